import { groupOrder } from '../../../lib/grouping.ts';

export interface RowGroup {
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

/** A group as it is on screen. */
export interface GridHeading extends RowGroup {
  /** The row on screen below it; for one at the end, the number of rows. */
  readonly above: number;
  readonly isFolded: boolean;
}

export interface ShownRows {
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

export type Folded = ReadonlySet<string>;
export const foldedOf = (groups: readonly RowGroup[]): Folded => new Set(groups.map(({ name }) => name));
export const withFolded = (folded: Folded, name: string): Folded => new Set([...folded, name]);

/** The folded groups without those named; the same where none of them is. Pure. */
export function withoutFolded(folded: Folded, opened: Iterable<string | undefined>): Folded {
  const names = new Set(opened);
  const left = [...folded].filter((name) => !names.has(name));
  return left.length === folded.size ? folded : new Set(left);
}

/** The rows on screen while some groups are folded. Pure. */
export function shownRows({ rows, groups }: OrderedRows, folded: Folded): ShownRows {
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
export function placesIn(order: Int32Array, count: number): Int32Array {
  const places = new Int32Array(count).fill(-1);
  for (const [place, row] of order.entries()) if (row < count) places[row] = place;
  return places;
}

/** The group that holds a place of the order, by halving; -1 where there are none. Pure. */
export const groupAt = (groups: readonly RowGroup[], place: number): number =>
  countWhile(groups, ({ start }) => start <= place) - 1;

/** The heading of a row on screen; -1 without one. Pure. */
export const headingOf = (headings: readonly GridHeading[], row: number): number =>
  countWhile(headings, ({ above }) => above <= row) - 1;

/** Headings and rows are lines of the same height, one after the other. */
export const lineOfRow = (headings: readonly GridHeading[], row: number): number => row + headingOf(headings, row) + 1;
export const lineOfHeading = (headings: readonly GridHeading[], index: number): number =>
  (headings[index]?.above ?? 0) + index;

/** The number of headings above a line. Pure. */
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

/** A line of the grid: a heading, or a row. */
export type GridLine = { readonly heading: number } | { readonly row: number };

/** The heading or row on a line. Pure. */
export function atLine(headings: readonly GridHeading[], line: number): GridLine {
  const before = headingsBefore(headings, line);
  return lineOfHeading(headings, before) === line && before < headings.length
    ? { heading: before }
    : { row: line - before };
}
