import { rowAfterKey } from '../../../lib/keys.ts';
import { writeTsv } from '../draft/cell-texts.ts';
import {
  clampPlace,
  movedBy,
  nextInReadingOrder,
  rangeFor,
  type Bounds,
  type GridSource,
  type CellPosition,
  type Press,
  type Range,
} from './grid-source.ts';
import { atLine, headingFor, lineOfHeading, lineOfRow, type GridHeading, type GridLine } from './row-groups.svelte.ts';

/** The cursor of a grid: on a heading, or at the active cell with the selection around it. */
export class GridCursor {
  readonly #source: Pick<GridSource, 'rows' | 'columns' | 'text'>;
  active = $state.raw<CellPosition>({ row: 0, column: 0 });
  #anchor = $state.raw<CellPosition>({ row: 0, column: 0 });
  /** The heading that it is on, by its place on screen; null on a cell. */
  heading = $state<number | null>(null);
  readonly selection = $derived(rangeFor(this.active, this.#anchor));

  constructor(source: Pick<GridSource, 'rows' | 'columns' | 'text'>) {
    this.#source = source;
  }

  get #bounds(): Bounds {
    return { rows: this.#source.rows.rowCount, columns: this.#source.columns.length };
  }

  get #headings(): readonly GridHeading[] {
    return this.#source.rows.headings;
  }

  get isEmpty(): boolean {
    const { rows, columns } = this.#bounds;
    return rows === 0 || columns === 0 || this.heading !== null;
  }

  #set(active: CellPosition, anchor: CellPosition): void {
    this.heading = null;
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

  /** Goes to a heading. The active cell is then the one below it, but keys do nothing to it. */
  toHeading(index: number): void {
    const heading = this.#headings[index];
    if (heading === undefined) return;
    this.to({ row: heading.above, column: this.active.column });
    this.heading = index;
  }

  selectGroup(index: number): void {
    const heading = this.#headings[index];
    if (heading === undefined || heading.isFolded) return;
    const bottom = heading.above + heading.count - 1;
    this.select({ top: heading.above, bottom, left: 0, right: this.#bounds.columns - 1 });
  }

  foldAll(isFolded: boolean): void {
    const heading = this.heading ?? headingFor(this.#headings, this.active.row);
    this.#source.rows.foldAll(isFolded);
    this.toHeading(heading);
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
    const press = { key: event.key, mod: event.ctrlKey || event.metaKey, page };
    const line = event.shiftKey || press.mod ? null : this.#linePressed(press);
    if (line !== null) {
      if ('heading' in line) this.toHeading(line.heading);
      else this.to({ row: line.row, column: this.active.column });
      return true;
    }
    // A heading has no cells to go along.
    if (this.heading !== null && !press.mod && !event.shiftKey) return false;
    return this.#moveAmongCells(press, event.shiftKey);
  }

  leaveCell(key: string): void {
    this.#moveAmongCells({ key, mod: false, page: 1 }, false);
  }

  #moveAmongCells(press: Press, extend: boolean): boolean {
    const isFilled = ({ row, column }: CellPosition) => this.#source.text(row, column) !== '';
    const next = movedBy(this.active, press, this.#bounds, isFilled);
    if (next === null) return false;
    this.to(next, extend);
    return true;
  }

  /** The line that a key leads to, up or down among rows and headings; null for other keys, and without groups. */
  #linePressed({ key, page }: Press): GridLine | null {
    const headings = this.#headings;
    const isAlongRow = this.heading === null && (key === 'Home' || key === 'End');
    if (headings.length === 0 || isAlongRow) return null;
    const line = rowAfterKey(key, this.#line(), { rows: this.#bounds.rows + headings.length, page });
    return line === null ? null : atLine(headings, line);
  }

  /** -1 where all groups are folded and it is on no heading. */
  #line(): number {
    if (this.heading !== null) return lineOfHeading(this.#headings, this.heading);
    return this.#bounds.rows === 0 ? -1 : lineOfRow(this.#headings, this.active.row);
  }

  step(back: boolean): boolean {
    const next = nextInReadingOrder(this.active, back, this.#bounds);
    if (next !== null) this.to(next);
    return next !== null;
  }

  clamp(): void {
    this.active = clampPlace(this.active, this.#bounds);
    this.#anchor = clampPlace(this.#anchor, this.#bounds);
    if (this.heading !== null && this.heading >= this.#headings.length) this.heading = null;
  }
}
