import type { DraftView } from '../../../../contract/batch.ts';
import { say } from '../../../../contract/messages/words.ts';
import { api } from '../../../lib/client.ts';
import { toastError } from '../../../lib/toasts.ts';
import { RowStore } from './row-store.ts';

/** Rows asked for at once: while scrolling, and when all of them are needed. */
const WINDOW = 500;
const LARGE_WINDOW = 5000;
const AHEAD = 150;
/** How often a list is read again while another window keeps editing it. */
const MOST_READINGS = 5;

interface Stretch {
  readonly start: number;
  readonly count: number;
}

interface ListHeld {
  readonly id: string;
  readonly isClosed: () => boolean;
  /** The list as it was when the rows that are here were read. */
  readonly view: () => DraftView;
  /** The loaded rows are in the same places as the engine's. */
  readonly isInStep: () => boolean;
  readonly settled: () => Promise<void>;
  /** The engine has other rows by now. */
  readonly onbehind: () => void;
  readonly ontrouble: (error: unknown) => void;
}

/** The rows of a draft as far as they are here: loaded as they come in sight, or all of them when asked. */
export class LoadedList {
  readonly #list: ListHeld;
  #rows: RowStore;
  /** Grows whenever a text may have changed. */
  #version = $state(0);
  /** How much of the list is here while all of it is being loaded, 0 to 1. */
  loadedShare = $state(1);
  #wanted = { first: 0, last: 40 };
  #filling = false;
  #loadingAll: Promise<boolean> | null = null;

  constructor(list: ListHeld) {
    this.#list = list;
    this.#rows = new RowStore(list.view().rows);
  }

  get rows(): RowStore {
    void this.#version;
    return this.#rows;
  }

  get count(): number {
    return this.rows.count;
  }

  get isComplete(): boolean {
    return this.rows.isComplete;
  }

  text(row: number, column: number): string | null {
    const cells = this.rows.row(row);
    return cells === undefined ? null : (cells[column] ?? '');
  }

  row(row: number): readonly string[] {
    return this.rows.row(row) ?? [];
  }

  change(work: (rows: RowStore) => void): void {
    work(this.#rows);
    this.#version += 1;
  }

  replace(rows: RowStore): void {
    this.#rows = rows;
    this.#version += 1;
  }

  /** Sets the visible rows, so that they are loaded. */
  want(first: number, last: number): void {
    this.#wanted = { first, last };
    void this.fill();
  }

  loadAll(): Promise<boolean> {
    this.#loadingAll ??= this.#loadEverything().finally(() => (this.#loadingAll = null));
    return this.#loadingAll;
  }

  async fill(): Promise<void> {
    if (this.#filling || this.#list.isClosed()) return;
    this.#filling = true;
    try {
      for (let gap = this.#gapInSight(); gap !== null && !this.#list.isClosed(); gap = this.#gapInSight()) {
        await this.#list.settled();
        if (!(await this.#load(this.#rows, gap))) break;
      }
    } catch (error) {
      this.#list.ontrouble(error);
    } finally {
      this.#filling = false;
    }
  }

  /**
   * Reads the engine's list again, as far as it was loaded here: the visible rows, so that nothing flickers, or all.
   */
  async readAgain(told: DraftView): Promise<{ readonly view: DraftView; readonly rows: RowStore }> {
    let view = told;
    for (let reading = 1; ; reading += 1) {
      const rows = new RowStore(view.rows);
      const isWhole = await this.#read(view, rows);
      if (isWhole || reading === MOST_READINGS) return { view, rows };
      view = await api.drafts.get({ draftId: this.#list.id });
    }
  }

  /** False when the list was edited while it was read. */
  async #read({ revision }: DraftView, rows: RowStore): Promise<boolean> {
    const wasComplete = this.#rows.isComplete && this.#rows.count > 0;
    const [first, last] = wasComplete ? [0, rows.count - 1] : [this.#wanted.first - AHEAD, this.#wanted.last + AHEAD];
    const most = wasComplete ? LARGE_WINDOW : WINDOW;
    for (let gap = rows.firstGap(first, last, most); gap !== null; gap = rows.firstGap(first, last, most)) {
      const read = await api.drafts.rows({ draftId: this.#list.id, ...gap });
      if (read.revision !== revision) return false;
      if (read.rows.length === 0) break;
      rows.put(gap.start, read.rows);
    }
    return true;
  }

  async #loadEverything(): Promise<boolean> {
    try {
      while (!this.#list.isClosed()) {
        await this.#list.settled();
        const gap = this.#rows.firstGap(0, this.#rows.count - 1, LARGE_WINDOW);
        if (gap === null) break;
        this.loadedShare = gap.start / Math.max(1, this.#rows.count);
        if (!(await this.#load(this.#rows, gap)) && !this.#list.isInStep()) return false;
      }
      return !this.#list.isClosed();
    } catch (error) {
      toastError(error);
      return false;
    } finally {
      this.loadedShare = 1;
      this.#version += 1;
    }
  }

  #gapInSight(): Stretch | null {
    const { first, last } = this.#wanted;
    return this.#rows.pageFor(first, last, WINDOW) ?? this.#rows.pageFor(first - AHEAD, last + AHEAD, WINDOW);
  }

  /** Loads one stretch; false when the list was changed meanwhile, for the rows may have moved. */
  async #load(rows: RowStore, gap: Stretch): Promise<boolean> {
    if (!this.#list.isInStep()) return false;
    const loaded = await api.drafts.rows({ draftId: this.#list.id, ...gap });
    if (!this.#list.isInStep() || rows !== this.#rows) return false;
    if (loaded.revision !== this.#list.view().revision) {
      this.#list.onbehind();
      return false;
    }
    if (loaded.rows.length === 0) throw new Error(say('list.listShrank'));
    rows.put(gap.start, loaded.rows);
    this.#version += 1;
    return true;
  }
}
