import type { GridCursor } from './grid-cursor.svelte.ts';
import {
  foldedOf,
  groupAt,
  headingOf,
  placesIn,
  shownRows,
  withFolded,
  withoutFolded,
  type Folded,
  type GridHeading,
  type OrderedRows,
  type RowGroup,
  type ShownRows,
} from './row-groups.ts';

const none: OrderedRows = { rows: new Int32Array(), groups: [] };

/**
 * Rows of a list in an order and in groups, some of them folded. Rows are those of the list unless they are called "on
 * screen".
 */
export class GroupedRows {
  readonly #ordered: () => OrderedRows | null;
  readonly #count: () => number;
  #folded = $state.raw<Folded>(foldedOf([]));
  readonly #all = $derived.by(() => this.#ordered() ?? none);
  readonly #shown: ShownRows = $derived.by(() => shownRows(this.#all, this.#folded));
  readonly #places = $derived.by(() => placesIn(this.#all.rows, this.#count()));
  readonly #onScreen = $derived.by(() => placesIn(this.#shown.rows, this.#count()));

  /** `ordered`: null while the list is shown as it is. `count`: rows of the list. */
  constructor(ordered: () => OrderedRows | null, count: () => number) {
    this.#ordered = ordered;
    this.#count = count;
  }

  get isOrdered(): boolean {
    return this.#ordered() !== null;
  }

  get headings(): readonly GridHeading[] {
    return this.#shown.headings;
  }

  /** Rows on screen. */
  get rowCount(): number {
    return this.isOrdered ? this.#shown.rows.length : this.#count();
  }

  /** The row at a place on screen; -1 beyond them. */
  rowAt(onScreen: number): number {
    return this.isOrdered ? (this.#shown.rows[onScreen] ?? -1) : onScreen;
  }

  /** -1 when it is filtered out, or in a folded group. */
  onScreen(row: number): number {
    return this.isOrdered ? (this.#onScreen[row] ?? -1) : row;
  }

  /** How many rows there are, those in folded groups included. */
  get total(): number {
    return this.isOrdered ? this.#all.rows.length : this.#count();
  }

  /** The row at a place among all of them. */
  rowInOrder(place: number): number {
    return this.isOrdered ? (this.#all.rows[place] ?? -1) : place;
  }

  placeOf(row: number): number {
    return this.isOrdered ? (this.#places[row] ?? -1) : row;
  }

  groupOf(row: number): RowGroup | undefined {
    const place = this.placeOf(row);
    return place < 0 ? undefined : this.#all.groups[groupAt(this.#all.groups, place)];
  }

  /** Folds a group, or opens it. */
  fold(index: number, isFolded: boolean): void {
    const heading = this.headings[index];
    if (heading === undefined || heading.isFolded === isFolded) return;
    this.#folded = isFolded ? withFolded(this.#folded, heading.name) : withoutFolded(this.#folded, [heading.name]);
  }

  foldAll(cursor: GridCursor, isFolded: boolean): void {
    const heading = cursor.heading ?? headingOf(this.headings, cursor.active.row);
    this.#folded = foldedOf(isFolded ? this.headings : []);
    cursor.toHeading(heading);
  }

  openFor(rows: readonly number[]): void {
    if (this.#folded.size === 0) return;
    this.#folded = withoutFolded(
      this.#folded,
      rows.map((row) => this.groupOf(row)?.name),
    );
  }
}
