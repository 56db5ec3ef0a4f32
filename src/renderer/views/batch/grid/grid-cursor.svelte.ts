import { writeTsv } from '../draft/cell-texts.ts';
import type { DraftSheet } from '../draft/draft-sheet.svelte.ts';
import {
  clampPlace,
  movedBy,
  nextInReadingOrder,
  rangeFor,
  type Bounds,
  type CellPosition,
  type GridHeading,
  type Range,
} from './grid-source.ts';

/** The cursor of a grid: the active cell with the selection around it. */
export class GridCursor {
  readonly #source: Pick<DraftSheet, 'rowCount' | 'columns' | 'text'>;
  active = $state.raw<CellPosition>({ row: 0, column: 0 });
  #anchor = $state.raw<CellPosition>({ row: 0, column: 0 });
  readonly selection = $derived(rangeFor(this.active, this.#anchor));

  constructor(source: Pick<DraftSheet, 'rowCount' | 'columns' | 'text'>) {
    this.#source = source;
  }

  get #bounds(): Bounds {
    return { rows: this.#source.rowCount, columns: this.#source.columns.length };
  }

  get isEmpty(): boolean {
    const { rows, columns } = this.#bounds;
    return rows === 0 || columns === 0;
  }

  #set(active: CellPosition, anchor: CellPosition): void {
    this.active = clampPlace(active, this.#bounds);
    this.#anchor = clampPlace(anchor, this.#bounds);
  }

  /** Makes a cell the active one; `extend` keeps the other corner of the selection where it is. */
  to(place: CellPosition, extend = false): void {
    this.#set(place, extend ? this.#anchor : place);
  }

  select({ top, bottom, left, right }: Range): void {
    this.#set({ row: top, column: left }, { row: bottom, column: right });
  }

  /** Whole rows, from the one the selection started in when extended. */
  selectRow(row: number, extend = false): void {
    this.#set({ row, column: 0 }, { row: extend ? this.#anchor.row : row, column: this.#bounds.columns - 1 });
  }

  selectColumn(column: number, extend = false): void {
    this.#set({ row: 0, column }, { row: this.#bounds.rows - 1, column: extend ? this.#anchor.column : column });
  }

  selectGroup({ start, count }: GridHeading): void {
    this.select({ top: start, bottom: start + count - 1, left: 0, right: this.#bounds.columns - 1 });
  }

  selectAll(): void {
    const { rows, columns } = this.#bounds;
    this.select({ top: 0, bottom: rows - 1, left: 0, right: columns - 1 });
  }

  copied(): string {
    const { top, bottom, left, right } = this.selection;
    const rows = Array.from({ length: bottom - top + 1 }, (_row, row) =>
      Array.from({ length: right - left + 1 }, (_cell, column) => this.#source.text(top + row, left + column)),
    );
    return writeTsv(rows);
  }

  press(event: KeyboardEvent, page: number): boolean {
    if (event.altKey) return false;
    const isFilled = ({ row, column }: CellPosition) => this.#source.text(row, column) !== '';
    const press = { key: event.key, mod: event.ctrlKey || event.metaKey, page };
    const next = movedBy(this.active, press, this.#bounds, isFilled);
    if (next === null) return false;
    this.to(next, event.shiftKey);
    return true;
  }

  step(back: boolean): boolean {
    const next = nextInReadingOrder(this.active, back, this.#bounds);
    if (next !== null) this.to(next);
    return next !== null;
  }

  clamp(): void {
    this.#set(this.active, this.#anchor);
  }
}
