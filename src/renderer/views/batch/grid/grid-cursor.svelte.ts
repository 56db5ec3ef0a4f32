import {
  clampPlace,
  movedBy,
  nextInReadingOrder,
  rangeOf,
  type Bounds,
  type IsFilled,
  type Place,
  type Range,
} from './places.ts';

/** Where a person is in a grid: the active cell and what is selected around it. */
export class GridCursor {
  active = $state.raw<Place>({ row: 0, column: 0 });
  /** The other corner of the selection. */
  #anchor = $state.raw<Place>({ row: 0, column: 0 });
  readonly #bounds: () => Bounds;
  readonly #isFilled: IsFilled;
  readonly selection = $derived(rangeOf(this.active, this.#anchor));

  constructor(bounds: () => Bounds, isFilled: IsFilled) {
    this.#bounds = bounds;
    this.#isFilled = isFilled;
  }

  get isEmpty(): boolean {
    const { rows, columns } = this.#bounds();
    return rows === 0 || columns === 0;
  }

  /** Makes a cell the active one; `extend` keeps the other corner of the selection where it is. */
  to(place: Place, extend = false): void {
    this.active = clampPlace(place, this.#bounds());
    if (!extend) this.#anchor = this.active;
  }

  select(range: Range): void {
    const bounds = this.#bounds();
    this.#anchor = clampPlace({ row: range.bottom, column: range.right }, bounds);
    this.active = clampPlace({ row: range.top, column: range.left }, bounds);
  }

  /** Whole rows, from the one the selection started in when extended. */
  selectRow(row: number, extend = false): void {
    const last = this.#bounds().columns - 1;
    const from = extend ? this.#anchor.row : row;
    this.#anchor = { row: from, column: last };
    this.active = clampPlace({ row, column: 0 }, this.#bounds());
  }

  selectColumn(column: number, extend = false): void {
    const last = this.#bounds().rows - 1;
    const from = extend ? this.#anchor.column : column;
    this.#anchor = { row: Math.max(0, last), column: from };
    this.active = clampPlace({ row: 0, column }, this.#bounds());
  }

  selectAll(): void {
    const { rows, columns } = this.#bounds();
    this.select({ top: 0, bottom: rows - 1, left: 0, right: columns - 1 });
  }

  /** Moves as the key says. False when it is no key of movement. */
  press(event: KeyboardEvent, page: number): boolean {
    if (event.altKey) return false;
    const press = { key: event.key, mod: event.ctrlKey || event.metaKey, page };
    const next = movedBy(this.active, press, this.#bounds(), this.#isFilled);
    if (next === null) return false;
    this.to(next, event.shiftKey);
    return true;
  }

  /** One cell on in reading order. False at the end of the grid, where Tab goes elsewhere. */
  step(back: boolean): boolean {
    const next = nextInReadingOrder(this.active, back, this.#bounds());
    if (next !== null) this.to(next);
    return next !== null;
  }

  /** Goes along with rows that were put in or taken out above. */
  shift(rows: number): void {
    if (rows === 0) return;
    const bounds = this.#bounds();
    this.active = clampPlace({ ...this.active, row: this.active.row + rows }, bounds);
    this.#anchor = clampPlace({ ...this.#anchor, row: this.#anchor.row + rows }, bounds);
  }

  /** Keeps it inside after rows or columns went away. */
  clamp(): void {
    const bounds = this.#bounds();
    this.active = clampPlace(this.active, bounds);
    this.#anchor = clampPlace(this.#anchor, bounds);
  }
}
