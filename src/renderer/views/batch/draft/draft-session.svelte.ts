import type { DraftEdit, DraftView, ReadOptions } from '../../../../contract/batch.ts';
import { api, troubleOf, type Trouble } from '../../../lib/client.ts';
import { tellTrouble } from '../../../lib/toasts.ts';
import type { DefectIndex } from './defect-index.ts';
import { DefectWatch } from './defect-watch.svelte.ts';
import { RowStore, rowAfter } from './row-store.ts';

/** Rows asked for at once: while scrolling, and when all of them are needed. */
const WINDOW = 500;
const LARGE_WINDOW = 5000;
/** Rows loaded beyond what is in sight. */
const AHEAD = 150;

/**
 * A list being edited. The engine holds it; here is the part in sight, with edits shown at once and sent one after the
 * other. When the engine refuses one, everything is read afresh.
 */
export class DraftSession {
  readonly id: string;
  #view: DraftView;
  #rows: RowStore;
  /** Grows whenever a text may have changed. */
  #version = $state(0);
  readonly #defects: DefectWatch;
  #pending = $state(0);
  #loadedShare = $state(1);
  #trouble = $state.raw<Trouble | null>(null);
  #closed = false;

  #queue: Promise<void> = Promise.resolve();
  #wanted = { first: 0, last: 40 };
  #filling = false;
  #loadingAll: Promise<boolean> | null = null;
  /** An undo or a new reading is under way: edits made meanwhile change rows that are about to be replaced. */
  #travelling = 0;
  #isStale = false;
  /** Grows when the engine refuses an edit: those made on top of it are dropped. */
  #epoch = 0;

  constructor(view: DraftView) {
    this.id = view.id;
    this.#view = $state.raw(view);
    this.#rows = new RowStore(view.rows);
    this.#defects = new DefectWatch({
      id: view.id,
      isClosed: () => this.#closed,
      isSettled: () => this.#pending === 0,
      settled: () => this.#queue,
      revision: () => this.#view.revision,
      oncounted: (counted) => (this.#view = counted),
      ontrouble: (error) => (this.#trouble = troubleOf(error)),
    });
    void this.#fill();
    void this.#defects.check();
  }

  get view(): DraftView {
    return this.#view;
  }

  get rowCount(): number {
    void this.#version;
    return this.#rows.count;
  }

  /** Every row is here. */
  get isComplete(): boolean {
    void this.#version;
    return this.#rows.isComplete;
  }

  get defects(): DefectIndex {
    return this.#defects.index;
  }

  /** The defects are those of the list as it stands. */
  get isChecked(): boolean {
    return this.#pending === 0 && this.#defects.checkedRevision >= this.#view.revision;
  }

  /** How many there are in all, as far as they were counted; `defects` may hold the first of them only. */
  get errors(): number {
    const { errors } = this.defects;
    return this.isChecked ? Math.max(this.#view.errors, errors) : errors;
  }

  get warnings(): number {
    const { warnings } = this.defects;
    return this.isChecked ? Math.max(this.#view.warnings, warnings) : warnings;
  }

  get isSaving(): boolean {
    return this.#pending > 0;
  }

  /** How much of the list is here while all of it is being loaded, 0 to 1. */
  get loadedShare(): number {
    return this.#loadedShare;
  }

  /** Why the list cannot be read any more. */
  get trouble(): Trouble | null {
    return this.#trouble;
  }

  /** Text of a cell; null while its row is not loaded. */
  text(row: number, column: number): string | null {
    void this.#version;
    const cells = this.#rows.row(row);
    return cells === undefined ? null : (cells[column] ?? '');
  }

  row(row: number): readonly string[] {
    void this.#version;
    return this.#rows.row(row) ?? [];
  }

  close(): void {
    this.#closed = true;
  }

  /** Tells which rows are in sight, so that they are loaded. */
  want(first: number, last: number): void {
    this.#wanted = { first, last };
    void this.#fill();
  }

  /** Makes an edit: at once here, then in the engine. */
  edit(edit: DraftEdit): Promise<void> {
    if (this.#travelling > 0) this.#isStale = true;
    this.#rows.apply(edit);
    this.#version += 1;
    const newRow = rowAfter(edit);
    if (newRow !== null) this.#defects.move(newRow);
    return this.#send(() => api.drafts.edit({ draftId: this.id, revision: this.#view.revision, edit }));
  }

  undo(): Promise<void> {
    return this.#travel(() => api.drafts.undo({ draftId: this.id }));
  }

  redo(): Promise<void> {
    return this.#travel(() => api.drafts.redo({ draftId: this.id }));
  }

  reread(read: ReadOptions): Promise<void> {
    return this.#travel(() => api.drafts.reread({ draftId: this.id, read }));
  }

  /** Reads the list again when somebody else has changed it. */
  async refresh(): Promise<void> {
    if (this.#pending > 0 || this.#closed) return;
    try {
      const view = await api.drafts.get({ draftId: this.id });
      if (this.#pending > 0 || this.#closed) return;
      const isOther = view.revision !== this.#view.revision;
      this.#view = view;
      if (isOther || this.#isStale) await this.#readAfresh();
      this.#trouble = null;
    } catch (error) {
      this.#trouble = troubleOf(error);
    }
  }

  /** Looks once more for what is wrong with it, though nothing was edited: files that rows name come and go. */
  checkAgain(): Promise<void> {
    return this.#defects.checkAgain();
  }

  /** Loads every row, which filters, sorting and searching need. False when it cannot. */
  loadAll(): Promise<boolean> {
    this.#loadingAll ??= this.#loadEverything().finally(() => (this.#loadingAll = null));
    return this.#loadingAll;
  }

  async #loadEverything(): Promise<boolean> {
    try {
      while (!this.#closed) {
        await this.#queue;
        const gap = this.#rows.firstGap(0, this.#rows.count - 1, LARGE_WINDOW);
        if (gap === null) break;
        this.#loadedShare = gap.start / Math.max(1, this.#rows.count);
        await this.#load(this.#rows, gap);
      }
      return !this.#closed;
    } catch (error) {
      tellTrouble(error);
      return false;
    } finally {
      this.#loadedShare = 1;
      this.#version += 1;
    }
  }

  #send(call: () => Promise<DraftView>): Promise<void> {
    const epoch = this.#epoch;
    this.#pending += 1;
    this.#queue = this.#queue.then(async () => {
      try {
        // Made on top of an edit that was refused, it may no longer mean what was meant.
        if (epoch === this.#epoch) this.#view = await call();
        const isLast = this.#pending === 1;
        if (isLast && (this.#isStale || this.#view.rows !== this.#rows.count)) await this.#readAfresh();
      } catch (error) {
        this.#epoch += 1;
        const { message, remedy } = troubleOf(error);
        const isAway = error instanceof TypeError;
        tellTrouble(new Error(`Your last change of the list was not kept. ${message}${isAway ? '' : ` ${remedy}`}`));
        await this.#recover();
      } finally {
        this.#pending -= 1;
      }
      void this.#fill();
      void this.#defects.check();
    });
    return this.#queue;
  }

  /** A change of which only the engine knows what it does to the rows. */
  #travel(call: () => Promise<DraftView>): Promise<void> {
    this.#travelling += 1;
    return this.#send(async () => {
      try {
        this.#view = await call();
        await this.#readAfresh();
        return this.#view;
      } finally {
        this.#travelling -= 1;
      }
    });
  }

  async #recover(): Promise<void> {
    this.#isStale = true;
    try {
      this.#view = await api.drafts.get({ draftId: this.id });
      await this.#readAfresh();
    } catch (error) {
      this.#trouble = troubleOf(error);
    }
  }

  /** Replaces all rows, those in sight first, so that nothing flickers. */
  async #readAfresh(): Promise<void> {
    const wasComplete = this.#rows.isComplete && this.#rows.count > 0;
    const rows = new RowStore(this.#view.rows);
    const most = wasComplete ? LARGE_WINDOW : WINDOW;
    const first = wasComplete ? 0 : this.#wanted.first - AHEAD;
    const last = wasComplete ? rows.count - 1 : this.#wanted.last + AHEAD;
    for (let gap = rows.firstGap(first, last, most); gap !== null; gap = rows.firstGap(first, last, most)) {
      const { rows: loaded } = await api.drafts.rows({ draftId: this.id, ...gap });
      if (loaded.length === 0) break;
      rows.put(gap.start, loaded);
    }
    this.#rows = rows;
    // An undo is answered before edits made on top of it are: those make the rows stale again.
    this.#isStale = this.#travelling > 0 && this.#isStale;
    this.#version += 1;
    void this.#defects.check();
  }

  async #fill(): Promise<void> {
    if (this.#filling || this.#closed) return;
    this.#filling = true;
    try {
      while (!this.#closed) {
        const { first, last } = this.#wanted;
        const gap = this.#rows.pageFor(first, last, WINDOW) ?? this.#rows.pageFor(first - AHEAD, last + AHEAD, WINDOW);
        if (gap === null) break;
        await this.#queue;
        await this.#load(this.#rows, gap);
      }
    } catch (error) {
      this.#trouble = troubleOf(error);
    } finally {
      this.#filling = false;
    }
  }

  /** Loads one stretch; dropped when the list was changed meanwhile, for the rows may have moved. */
  async #load(rows: RowStore, gap: { readonly start: number; readonly count: number }): Promise<void> {
    const loaded = await api.drafts.rows({ draftId: this.id, ...gap });
    if (this.#pending > 0 || rows !== this.#rows) return;
    if (loaded.revision !== this.#view.revision) {
      await this.refresh();
      return;
    }
    if (loaded.rows.length === 0) throw new Error('The list is shorter than it was said to be. Open it again.');
    rows.put(gap.start, loaded.rows);
    this.#version += 1;
  }
}
