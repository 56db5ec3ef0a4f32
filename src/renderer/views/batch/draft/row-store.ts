import type { DraftEdit, PlacedEdit } from '../../../../contract/batch.ts';

type Row = readonly string[];

/** So many rows are looked for one by one. */
const FEW_ROWS = 16;

/** Rows of a list as far as they were loaded, with the edits made here already in place. Counts from 0. */
export class RowStore {
  #rows: (Row | undefined)[];
  /** What the engine calls each row; below zero while it has not heard of one. Undefined with its row. */
  #ids: (number | undefined)[];
  #missing: number;

  constructor(count: number) {
    // Filled, because `filter` passes over holes.
    this.#rows = new Array<Row | undefined>(count).fill(undefined);
    this.#ids = new Array<number | undefined>(count).fill(undefined);
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

  /** What a row is called; undefined while it is not loaded. */
  idAt(index: number): number | undefined {
    return this.#ids[index];
  }

  /** Where a row stands; -1 when it is not there, or not loaded. */
  placeOf(id: number): number {
    return this.#ids.indexOf(id);
  }

  /** Where each of the rows that are loaded stands. */
  places(): ReadonlyMap<number, number> {
    return new Map(this.#ids.flatMap((id, place) => (id === undefined ? [] : [[id, place] as const])));
  }

  /** Gives rows the names that the engine has for them now. */
  rename(names: ReadonlyMap<number, number>): void {
    if (names.size > 0) this.#ids = this.#ids.map((id) => (id === undefined ? id : (names.get(id) ?? id)));
  }

  put(start: number, rows: readonly Row[], ids: readonly number[]): void {
    for (const [offset, row] of rows.entries()) {
      const index = start + offset;
      if (index >= this.#rows.length) return;
      if (this.#rows[index] === undefined) this.#missing -= 1;
      this.#rows[index] = row;
      this.#ids[index] = ids[offset];
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

  /**
   * Makes an edit here before the engine has answered; `ids` name the rows that it puts in. Edits that concern the columns or
   * the kind change no row.
   */
  apply(edit: PlacedEdit, ids: readonly number[]): void {
    if (edit.type === 'cells') {
      this.#setCells(edit.cells);
      if (edit.added) this.#insert(this.#rows.length, edit.added, ids);
    } else if (edit.type === 'insert') {
      this.#insert(edit.at, edit.rows, ids);
    } else if (edit.type === 'remove') {
      const gone = new Set(edit.rows);
      for (const index of gone) if (index < this.#rows.length && this.#rows[index] === undefined) this.#missing -= 1;
      this.#rows = this.#rows.filter((_row, index) => !gone.has(index));
      this.#ids = this.#ids.filter((_id, index) => !gone.has(index));
    }
  }

  /** An edit as the engine is told of it: rows by what they are called. Null while one of them is not loaded. */
  named(edit: PlacedEdit): DraftEdit | null {
    switch (edit.type) {
      case 'cells': {
        const cells = edit.cells.map((cell) => ({ ...cell, row: this.#ids[cell.row] }));
        return areNamed(cells) ? { ...edit, cells } : null;
      }
      case 'insert': {
        const after = edit.at === 0 ? null : this.#ids[edit.at - 1];
        return after === undefined ? null : { type: 'insert', after, rows: edit.rows };
      }
      case 'remove': {
        const rows = edit.rows.map((row) => this.#ids[row]);
        return rows.every((row) => row !== undefined) ? { type: 'remove', rows } : null;
      }
      default:
        return edit;
    }
  }

  /** An edit with its rows by their place; without those that are not there. */
  placed(edit: DraftEdit): PlacedEdit {
    if (edit.type === 'insert') {
      const after = edit.after === null ? -1 : this.placeOf(edit.after);
      const at = after < 0 && edit.after !== null ? this.count : after + 1;
      return { type: 'insert', at, rows: edit.rows };
    }
    if (edit.type !== 'cells' && edit.type !== 'remove') return edit;
    const rows = edit.type === 'cells' ? edit.cells.length : edit.rows.length;
    const places = rows > FEW_ROWS ? this.places() : null;
    const found = (row: number): number[] => {
      const place = places === null ? this.placeOf(row) : (places.get(row) ?? -1);
      return place < 0 ? [] : [place];
    };
    if (edit.type === 'remove') return { type: 'remove', rows: edit.rows.flatMap(found) };
    return { ...edit, cells: edit.cells.flatMap((cell) => found(cell.row).map((row) => ({ ...cell, row }))) };
  }

  #insert(at: number, rows: readonly Row[], ids: readonly number[]): void {
    this.#rows = [...this.#rows.slice(0, at), ...rows, ...this.#rows.slice(at)];
    this.#ids = [...this.#ids.slice(0, at), ...rows.map((_row, index) => ids[index]), ...this.#ids.slice(at)];
  }

  #setCells(cells: Extract<PlacedEdit, { type: 'cells' }>['cells']): void {
    for (const { row, column, value } of cells) {
      const before = this.#rows[row];
      if (before === undefined) continue;
      const copy = [...before];
      while (copy.length < column) copy.push('');
      copy[column] = value;
      this.#rows[row] = copy;
    }
  }
}

type Cell = Extract<DraftEdit, { type: 'cells' }>['cells'][number];

const areNamed = (cells: readonly (Omit<Cell, 'row'> & { readonly row: number | undefined })[]): cells is Cell[] =>
  cells.every(({ row }) => row !== undefined);
