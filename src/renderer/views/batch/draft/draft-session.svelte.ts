import type { DraftColumn, DraftEdit, DraftView, ReadOptions } from '../../../../contract/batch.ts';
import { say, sayText } from '../../../../contract/messages/words.ts';
import { api } from '../../../lib/client.ts';
import { windowName } from '../../../lib/state/changes.svelte.ts';
import { toast } from '../../../lib/toasts.ts';
import { editTimesOf, type Latest, type OwnUndo } from '../../../lib/undo.svelte.ts';
import { DraftSync } from './draft-sync.svelte.ts';
import type { RowEdit } from '../../../../contract/draft-list.ts';
import { rowAfter } from './row-store.ts';
import { DefectIndex } from './defect-index.ts';

/**
 * A list that is shown or edited. The engine holds it; here are the visible part (`list`), its defects (`defects`), and
 * the sync of both with the engine (`sync`). One window edits a list at a time.
 */
export class DraftSession implements OwnUndo {
  readonly id: string;
  readonly sync: DraftSync;
  readonly defects: DefectWatch;
  /** A cell is open: rows are not replaced under it. */
  isTyping: () => boolean = () => false;
  /** Called when other rows have come in place of those that were shown. */
  onreplaced: () => void = () => undefined;

  constructor(view: DraftView) {
    this.id = view.id;
    this.sync = new DraftSync(view, {
      isTyping: () => this.isTyping(),
      onreplaced: () => this.onreplaced(),
      oninstep: () => this.#load(),
    });
    this.defects = new DefectWatch(this.sync);
    if (this.sync.isInStep) this.#load();
    else void this.sync.refresh();
  }

  get view(): DraftView {
    return this.sync.view;
  }

  get list(): DraftSync['list'] {
    return this.sync.list;
  }

  /** Columns of the list, with those that edits on their way to the engine add. */
  get columns(): readonly DraftColumn[] {
    const added = this.sync.outbox.waiting.flatMap(({ edit }) => (edit.type === 'cells' ? (edit.columns ?? []) : []));
    return [...this.view.columns, ...added.map((header) => ({ header, column: header, isExtra: false }))];
  }

  get isSaving(): boolean {
    return this.sync.outbox.waiting.length > 0;
  }

  /** Why it cannot be edited here, for people; null when it can. */
  get obstacle(): string | null {
    const { link, outbox, isEditedElsewhere } = this.sync;
    if (link.trouble !== null) return sayText(link.trouble.message);
    if (outbox.stopped !== null) return say('list.settleTextFirst');
    return isEditedElsewhere ? say('failure.editedElsewhere') : null;
  }

  /** Says why the list cannot be edited. Returns whether it can. */
  assureEditable(): boolean {
    const { obstacle } = this;
    if (obstacle !== null) toast(obstacle);
    return obstacle === null;
  }

  /** An edit on its way can be undone once the engine has it. */
  get changed(): Latest | null {
    return this.view.canUndo || this.isSaving ? this.#editAt(editTimesOf(this.id).changed) : null;
  }

  get undone(): Latest | null {
    return this.view.canRedo ? this.#editAt(editTimesOf(this.id).undone) : null;
  }

  #editAt(at: number): Latest {
    return { words: say('list.editOf', { list: this.view.name }), at };
  }

  /** Changes rows: at once here, then in the engine. */
  edit(edit: RowEdit): Promise<void> {
    // Text is never dropped, also where the list was taken over while it was written.
    if (edit.type !== 'cells' && !this.assureEditable()) return Promise.resolve();
    editTimesOf(this.id).noteEdit();
    const newPlace = rowAfter(edit);
    if (newPlace !== null) this.defects.move(newPlace);
    return this.sync.edit(edit);
  }

  change(edit: Exclude<DraftEdit, RowEdit>): Promise<void> {
    editTimesOf(this.id).noteEdit();
    const effect = edit.type === 'remove_column' ? 'rows may move' : 'rows stay';
    return this.#change(effect, () =>
      api.drafts.edit({ draftId: this.id, revision: this.view.revision, edit, by: windowName }),
    );
  }

  undo(): Promise<void> {
    editTimesOf(this.id).noteUndo();
    return this.#change('rows may move', () => api.drafts.undo({ draftId: this.id, by: windowName }));
  }

  redo(): Promise<void> {
    editTimesOf(this.id).noteRedo();
    return this.#change('rows may move', () => api.drafts.redo({ draftId: this.id, by: windowName }));
  }

  reread(read: ReadOptions): Promise<void> {
    return this.#change('other rows', () => api.drafts.reread({ draftId: this.id, read, by: windowName }));
  }

  async #change(effect: Parameters<DraftSync['change']>[0], call: () => Promise<DraftView>): Promise<void> {
    if (this.assureEditable()) await this.sync.change(effect, call);
  }

  #load(): void {
    void this.list.fill();
    void this.defects.check();
  }
}

/** How long after an edit its defects are asked for, and how long until they are asked for again, ms. */
const CHECK_AFTER_MS = 120;
const CHECK_AGAIN_MS = 250;

class DefectWatch {
  readonly #sync: DraftSync;
  index = $state.raw(new DefectIndex([]));
  #checkedRevision = $state(-1);
  #checking = false;

  constructor(sync: DraftSync) {
    this.#sync = sync;
  }

  /** They fit the present list. */
  get isChecked(): boolean {
    return this.#sync.isInStep && this.#checkedRevision >= this.#sync.view.revision;
  }

  /** How many there are in all, as far as they were counted; the index may hold the first of them only. */
  get errors(): number {
    const { errors } = this.index;
    return this.isChecked ? Math.max(this.#sync.view.errors, errors) : errors;
  }

  get warnings(): number {
    const { warnings } = this.index;
    return this.isChecked ? Math.max(this.#sync.view.warnings, warnings) : warnings;
  }

  /** Rows were put in or taken out: their defects go with them, until they are counted again. */
  move(newRow: (row: number) => number | null): void {
    this.index = this.index.moved(newRow);
  }

  /** Looks once more, though nothing was edited: files that rows name come and go. */
  async again(): Promise<void> {
    if (this.#checking || this.#sync.link.isClosed) return;
    this.#checking = true;
    try {
      await this.#sync.settled();
      await this.#ask(true);
    } catch (error) {
      this.#sync.link.failed(error);
    } finally {
      this.#checking = false;
    }
    // Edits made meanwhile found it busy.
    await this.check();
  }

  async check(): Promise<void> {
    if (this.#checking) return;
    this.#checking = true;
    const sync = this.#sync;
    try {
      for (let wait = CHECK_AFTER_MS; !sync.link.isClosed && this.#checkedRevision < sync.view.revision;) {
        await pause(this.#checkedRevision < 0 ? 0 : wait);
        await sync.settled();
        await this.#ask();
        wait = CHECK_AGAIN_MS;
      }
    } catch (error) {
      sync.link.failed(error);
    } finally {
      this.#checking = false;
    }
  }

  async #ask(again = false): Promise<void> {
    const sync = this.#sync;
    const { revision, defects } = await api.drafts.defects({ draftId: sync.id, again });
    // Only the first of very many come one by one; the counts cover all.
    const view = await api.drafts.get({ draftId: sync.id });
    if (!sync.isInStep || view.revision !== sync.view.revision || revision !== view.revision) return;
    this.index = new DefectIndex(defects);
    this.#checkedRevision = view.revision;
    sync.take(view);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
