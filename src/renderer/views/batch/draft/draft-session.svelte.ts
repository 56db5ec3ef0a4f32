import type { DraftColumn, DraftEdit, DraftView, ReadOptions } from '../../../../contract/batch.ts';
import { t, sayText } from '../../../../contract/messages/words.ts';
import { api } from '../../../lib/client.ts';
import { percent } from '../../../lib/format.ts';
import { toast } from '../../../lib/toasts.ts';
import { editTimesFor, type Latest, type OwnUndo } from '../../../lib/undo.svelte.ts';
import { DraftSync } from './draft-sync.svelte.ts';
import { editRows, rowAfter, type RowEdit } from '../../../../contract/draft-list.ts';
import { DefectIndex } from './defect-index.ts';

/**
 * A list that is shown or edited. The engine keeps it; here are its rows (`list`), its defects (`defects`), and the sync
 * of both with the engine (`sync`). One window edits a list at a time.
 */
export class DraftSession implements OwnUndo {
  readonly id: string;
  readonly sync: DraftSync;
  readonly defects: DefectWatch;

  constructor(view: DraftView) {
    this.id = view.id;
    this.sync = new DraftSync(view);
    this.defects = new DefectWatch(this.sync);
    this.sync.oninstep = () => void this.defects.check();
    void this.sync.refresh();
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
    const { link, outbox } = this.sync;
    if (link.trouble !== null) return sayText(link.trouble.message);
    if (!this.list.isRead) return t('list.loading', { share: percent(this.list.readShare) });
    return outbox.stopped === null ? null : t('list.settleTextFirst');
  }

  /** Says why the list cannot be edited. Returns whether it can. */
  assureEditable(): boolean {
    const { obstacle } = this;
    if (obstacle !== null) toast(obstacle);
    return obstacle === null;
  }

  /** An edit on its way can be undone once the engine has it. */
  get changed(): Latest | null {
    return this.view.canUndo || this.isSaving ? this.#editAt(editTimesFor(this.id).changed) : null;
  }

  get undone(): Latest | null {
    return this.view.canRedo ? this.#editAt(editTimesFor(this.id).undone) : null;
  }

  #editAt(at: number): Latest {
    return { words: t('list.editOf', { list: this.view.name }), at };
  }

  /** Changes rows: at once here, then in the engine. */
  edit(edit: RowEdit): Promise<void> {
    // Text is never dropped.
    if (edit.type !== 'cells' && !this.assureEditable()) return Promise.resolve();
    editTimesFor(this.id).noteEdit();
    const newPlace = rowAfter(edit);
    if (newPlace !== null) this.defects.move(newPlace);
    return this.sync.edit(edit);
  }

  change(edit: Exclude<DraftEdit, RowEdit>): Promise<void> {
    editTimesFor(this.id).noteEdit();
    return this.#change(
      () => api.drafts.edit({ draftId: this.id, revision: this.view.revision, edit }),
      (rows) => editRows(rows, edit),
    );
  }

  undo(): Promise<void> {
    editTimesFor(this.id).noteUndo();
    return this.#change(() => api.drafts.undo({ draftId: this.id }));
  }

  redo(): Promise<void> {
    editTimesFor(this.id).noteRedo();
    return this.#change(() => api.drafts.redo({ draftId: this.id }));
  }

  reread(read: ReadOptions): Promise<void> {
    return this.#change(() => api.drafts.reread({ draftId: this.id, read }));
  }

  async #change(...change: Parameters<DraftSync['change']>): Promise<void> {
    if (this.assureEditable()) await this.sync.change(...change);
  }
}

/** The defects of a draft, read again until they fit the present list. */
class DefectWatch {
  readonly #sync: DraftSync;
  index = $state.raw(new DefectIndex([]));
  #checkedRevision = $state(-1);
  #turn: Promise<void> = Promise.resolve();

  constructor(sync: DraftSync) {
    this.#sync = sync;
  }

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

  again(): Promise<void> {
    return this.#enqueue(() => this.#read(true));
  }

  /** The engine says when it has checked the list after an edit: then its defects are read. */
  check(): Promise<void> {
    return this.#enqueue(async () => {
      const { view, isInStep } = this.#sync;
      if (isInStep && view.checkedRevision === view.revision && !this.isChecked) await this.#read(false);
    });
  }

  /** What is asked while an answer is on its way is asked after it. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work);
    return this.#turn;
  }

  async #read(again: boolean): Promise<void> {
    const sync = this.#sync;
    if (sync.link.isClosed) return;
    try {
      await sync.settled();
      const { revision, defects } = await api.drafts.defects({ draftId: sync.id, again });
      // Only the first of very many come one by one; the counts cover all.
      const view = await api.drafts.get({ draftId: sync.id });
      if (!sync.isInStep || view.revision !== sync.view.revision || revision !== view.revision) return;
      this.index = new DefectIndex(defects);
      this.#checkedRevision = view.revision;
      sync.view = view;
    } catch (error) {
      sync.link.failed(error);
    }
  }
}
