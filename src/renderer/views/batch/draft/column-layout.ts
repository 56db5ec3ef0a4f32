import { foldHeader } from '../../../../contract/kinds/index.ts';

/** How the columns of one list are shown. Columns go by their keys: see `columnKeys`. */
export interface ColumnLayout {
  /** Columns from left to right; one that is missing here comes after its neighbour in the list. */
  readonly order: readonly string[];
  readonly hidden: readonly string[];
  /** How many of the shown columns stay in sight while scrolling sideways. */
  readonly frozen: number;
  /** Pixels. */
  readonly widths: Readonly<Record<string, number>>;
  /** What rows are put together by, as `groupingName` writes it; nothing where they are in no groups. */
  readonly group?: string | undefined;
}

/** The shot first, everything shown. */
export const plainLayout: ColumnLayout = { order: [], hidden: [], frozen: 1, widths: {} };

/** Keys of a list's columns that survive others being added and removed: the header, with a number where it repeats. */
export function columnKeys(headers: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  return headers.map((header) => {
    const folded = foldHeader(header);
    const count = (counts.get(folded) ?? 0) + 1;
    counts.set(folded, count);
    return count === 1 ? folded : `${folded} ${count}`;
  });
}

/**
 * Columns of the list, by their places in it, as they are shown from left to right; the hidden ones among them.
 * `first` goes to the left where the layout says nothing; -1 for none.
 */
export function arrangedColumns(keys: readonly string[], layout: ColumnLayout, first: number): readonly number[] {
  const places = new Map(keys.map((key, index) => [key, index]));
  const placed = layout.order.flatMap((key) => places.get(key) ?? []);
  const isPlaced = new Set(placed);
  const usual = keys.map((_key, index) => index);
  if (placed.length === 0) return first > 0 ? [first, ...usual.filter((index) => index !== first)] : usual;
  const followers = new Map<number, number[]>();
  let before = -1;
  for (const index of usual) {
    if (isPlaced.has(index)) before = index;
    else followers.set(before, [...(followers.get(before) ?? []), index]);
  }
  return [-1, ...placed].flatMap((index) => [...(index < 0 ? [] : [index]), ...(followers.get(index) ?? [])]);
}

export function moved<T>(values: readonly T[], from: number, to: number): readonly T[] {
  const value = values[from];
  if (value === undefined || from === to || to < 0 || to >= values.length) return values;
  return values.toSpliced(from, 1).toSpliced(to, 0, value);
}
