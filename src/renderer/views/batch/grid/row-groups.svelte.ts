import { SvelteSet } from 'svelte/reactivity';
import { groupOrder } from '../../../lib/grouping.ts';

interface RowGroup {
  /** Their common value; empty for rows without one. */
  readonly name: string;
  /** Place of its first row among the ordered ones. */
  readonly start: number;
  readonly count: number;
}

/** Rows in the order of the view, group by group. Without groups all of them are on screen. */
export interface OrderedRows {
  readonly rows: Int32Array;
  readonly groups: readonly RowGroup[];
}

export interface GridHeading extends RowGroup {
  /** The row on screen below it; for one at the end, the number of rows. */
  readonly above: number;
  readonly isFolded: boolean;
}

interface ShownRows {
  readonly rows: Int32Array;
  readonly headings: readonly GridHeading[];
}

/** Rows put together by their names, groups in the order of these, each in the order that its rows had. Linear. Pure. */
export function groupRows(rows: Int32Array, nameOf: (row: number) => string): OrderedRows {
  const byName = Map.groupBy(rows, nameOf);
  const inOrder = groupOrder();
  const named = [...byName].sort(([one], [other]) => inOrder(one, other));
  const ordered = new Int32Array(rows.length);
  let start = 0;
  const groups = named.map(([name, members]): RowGroup => {
    ordered.set(members, start);
    const group = { name, start, count: members.length };
    start += members.length;
    return group;
  });
  return { rows: ordered, groups };
}

/** The rows on screen while some groups are folded. Pure. */
export function shownRows({ rows, groups }: OrderedRows, folded: ReadonlySet<string>): ShownRows {
  if (groups.length === 0) return { rows, headings: [] };
  const shown = new Int32Array(rows.length);
  let above = 0;
  const headings = groups.map((group): GridHeading => {
    const heading = { ...group, above, isFolded: folded.has(group.name) };
    if (!heading.isFolded) {
      shown.set(rows.subarray(group.start, group.start + group.count), above);
      above += group.count;
    }
    return heading;
  });
  return { rows: shown.subarray(0, above), headings };
}

/** The place of each of `count` rows of the list in an order; -1 for rows that it lacks. Pure. */
function placesIn(order: Int32Array, count: number): Int32Array {
  const places = new Int32Array(count).fill(-1);
  for (const [place, row] of order.entries()) if (row < count) places[row] = place;
  return places;
}

/** The group that holds a place of the order, by halving; -1 where there are none. Pure. */
export const groupAt = (groups: readonly RowGroup[], place: number): number =>
  countWhile(groups, ({ start }) => start <= place) - 1;

/** The heading of a row on screen; -1 without one. Pure. */
export const headingFor = (headings: readonly GridHeading[], row: number): number =>
  countWhile(headings, ({ above }) => above <= row) - 1;

/** Headings and rows are lines of the same height, one after the other. */
export const lineOfRow = (headings: readonly GridHeading[], row: number): number => row + headingFor(headings, row) + 1;
export const lineOfHeading = (headings: readonly GridHeading[], index: number): number =>
  (headings[index]?.above ?? 0) + index;

export const headingsBefore = (headings: readonly GridHeading[], line: number): number =>
  countWhile(headings, ({ above }, index) => above + index < line);

/** How many of the first items pass the test, by binary search: where one item passes, all before it do. */
function countWhile<T>(items: readonly T[], holds: (item: T, index: number) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && holds(item, middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

export type GridLine = { readonly heading: number } | { readonly row: number };

export function atLine(headings: readonly GridHeading[], line: number): GridLine {
  const before = headingsBefore(headings, line);
  return lineOfHeading(headings, before) === line && before < headings.length
    ? { heading: before }
    : { row: line - before };
}

const none: OrderedRows = { rows: new Int32Array(), groups: [] };

/** Rows of a list in an order and in groups, some folded. Rows are those of the list unless called "on screen". */
export class GroupedRows {
  readonly #ordered: () => OrderedRows | null;
  readonly #count: () => number;
  readonly #folded = new SvelteSet<string>();
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

  /** In the order on screen; none without groups. */
  get headings(): readonly GridHeading[] {
    return this.#shown.headings;
  }

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

  get total(): number {
    return this.isOrdered ? this.#all.rows.length : this.#count();
  }

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

  fold(index: number, isFolded: boolean): void {
    const { name } = this.headings[index] ?? {};
    if (name === undefined) return;
    if (isFolded) this.#folded.add(name);
    else this.#folded.delete(name);
  }

  foldAll(isFolded: boolean): void {
    this.#folded.clear();
    if (isFolded) for (const { name } of this.headings) this.#folded.add(name);
  }

  openFor(rows: readonly number[]): void {
    if (this.#folded.size > 0) for (const row of rows) this.#folded.delete(this.groupOf(row)?.name ?? '');
  }
}
