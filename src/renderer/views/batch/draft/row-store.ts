import { editRows, type RowEdit } from '../../../../contract/draft-list.ts';

type Row = readonly string[];

/** Rows of a list as far as they were loaded, with the edits made here already in place. Counts from 0. */
export class RowStore {
  #rows: (Row | undefined)[];
  #missing: number;

  constructor(count: number) {
    // Filled, because `filter` passes over holes.
    this.#rows = new Array<Row | undefined>(count).fill(undefined);
    this.#missing = count;
  }

  get count(): number {
    return this.#rows.length;
  }

  get isComplete(): boolean {
    return this.#missing === 0;
  }

  row(index: number): Row | undefined {
    return this.#rows[index];
  }

  put(start: number, rows: readonly Row[]): void {
    for (const [offset, row] of rows.entries()) {
      const index = start + offset;
      if (index >= this.#rows.length) return;
      if (this.#rows[index] === undefined) this.#missing -= 1;
      this.#rows[index] = row;
    }
  }

  /** The rows of a window that are not loaded yet, as one stretch of at most `most`; null when all are. */
  firstGap(from: number, to: number, most: number): { readonly start: number; readonly count: number } | null {
    const end = Math.min(to, this.#rows.length - 1);
    for (let index = Math.max(0, from); index <= end; index += 1) {
      if (this.#rows[index] !== undefined) continue;
      let stop = index;
      while (stop + 1 <= end && stop + 1 - index < most && this.#rows[stop + 1] === undefined) stop += 1;
      return { start: index, count: stop - index + 1 };
    }
    return null;
  }

  /**
   * The first rows of a window that are not loaded, with their neighbours that are not either: at most `most` rows, so
   * that a list that scrolls is asked for in pages and not in twos and threes. Null when the window is loaded.
   */
  pageFor(from: number, to: number, most: number): { readonly start: number; readonly count: number } | null {
    const gap = this.firstGap(from, to, 1);
    if (gap === null) return null;
    const page = gap.start - (gap.start % most);
    let start = gap.start;
    while (start > page && this.#rows[start - 1] === undefined) start -= 1;
    return this.firstGap(start, page + most - 1, most);
  }

  /** Makes an edit here before the engine has answered. */
  apply(edit: RowEdit): void {
    this.#rows = [...editRows(this.#rows, edit)];
    this.#missing = this.#rows.filter((row) => row === undefined).length;
  }
}

/** Where each row goes when these are put in or taken out; null for a row that goes away. */
export function rowAfter(edit: RowEdit): ((row: number) => number | null) | null {
  if (edit.type === 'insert') return (row) => (row >= edit.at ? row + edit.rows.length : row);
  if (edit.type === 'cells') {
    const above = edit.below?.map(({ row }) => row).toSorted((one, other) => one - other);
    return above === undefined ? null : (row) => row + countBelow(above, row);
  }
  const gone = edit.rows.toSorted((one, other) => one - other);
  const removed = new Set(gone);
  return (row) => (removed.has(row) ? null : row - countBelow(gone, row));
}

/** How many of the sorted numbers are smaller. */
function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
