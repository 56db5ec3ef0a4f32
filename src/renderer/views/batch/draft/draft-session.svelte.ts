import type { DraftColumn, DraftEdit, DraftView, ReadOptions } from '../../../../contract/batch.ts';
import { say, sayText } from '../../../../contract/messages/words.ts';
import { api } from '../../../lib/client.ts';
import { windowName } from '../../../lib/state/changes.svelte.ts';
import { toast } from '../../../lib/toasts.ts';
import { editTimesOf, type Latest, type OwnUndo } from '../../../lib/undo.svelte.ts';
import { DefectWatch } from './defect-watch.svelte.ts';
import { DraftSync } from './draft-sync.svelte.ts';
import type { RowEdit } from '../../../../contract/draft-list.ts';
import { rowAfter } from './row-store.ts';

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
    const { sync } = this;
    this.defects = new DefectWatch({
      id: view.id,
      isClosed: () => sync.link.isClosed,
      isSettled: () => sync.isInStep,
      settled: () => sync.settled(),
      view: () => sync.view,
      oncounted: (counted) => sync.counted(counted),
      ontrouble: (error) => sync.link.failed(error),
    });
    if (sync.isInStep) this.#load();
    else void sync.refresh();
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

  /** Changes anything but rows: columns, their meaning, the kind, defaults. */
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

  /** Loads the visible rows and their defects. */
  #load(): void {
    void this.list.fill();
    void this.defects.check();
  }
}
