export interface GridColumn {
  readonly key: string;
  readonly title: string;
  readonly subtitle: string;
  /** Pixels. */
  readonly width: number;
  /** Texts line up at their end, as numbers do. */
  readonly alignEnd: boolean;
  readonly defect: { readonly mark: 'error' | 'warning'; readonly words: string } | null;
  readonly sorted: 'ascending' | 'descending' | null;
  /** Its cells may name media. */
  readonly hasPictures: boolean;
  /** It may get the remaining width, unless a person set its width. */
  readonly stretches: boolean;
}

export type Mark = 'error' | 'warning' | null;

/** A line above the first row of a group. */
export interface GridHeading {
  readonly title: string;
  /** The first row of the group, on screen. */
  readonly start: number;
  readonly count: number;
  /** The worst mark of its rows, and how many of them have one. */
  readonly mark: Mark;
  readonly marked: number;
}

/** Pixels. */
export const ROW_HEIGHT = 28;
export const HEADER_HEIGHT = 44;
export const GUTTER_WIDTH = 64;
export const NARROWEST_COLUMN = 48;
export const WIDEST_COLUMN = 1200;
/** Widest column for the remaining width: longer lines are hard to read. */
const WIDEST_STRETCHED = 900;

/** Pixels that frozen columns leave to the others at least. */
const ROOM_TO_SCROLL = 240;

/** How many of the first columns stay in sight, where so many are asked for, in a width in pixels. One at least. Pure. */
export function frozenThatFit(columns: readonly GridColumn[], asked: number, width: number): number {
  let [count, used] = [1, columns[0]?.width ?? 0];
  for (const column of columns.slice(1, asked)) {
    used += column.width;
    if (used > width - ROOM_TO_SCROLL) break;
    count += 1;
  }
  return Math.min(count, columns.length);
}

/** The columns, with the remaining width given to the first that may stretch. Pixels. Pure. */
export function stretched(columns: readonly GridColumn[], width: number): readonly GridColumn[] {
  const at = columns.findIndex((column) => column.stretches);
  const column = columns[at];
  const left = width - columns.reduce((sum, each) => sum + each.width, 0);
  if (column === undefined || left <= 0 || column.width >= WIDEST_STRETCHED) return columns;
  return columns.with(at, { ...column, width: Math.min(column.width + left, WIDEST_STRETCHED) });
}

type Starts = readonly { readonly start: number }[];

/** The group that a row on screen is in; -1 without groups. Headings and rows are lines of the same height. */
export const groupAt = (groups: Starts, row: number): number => countWhile(groups, ({ start }) => start <= row) - 1;

export const lineOfRow = (groups: Starts, row: number): number => row + groupAt(groups, row) + 1;

export const lineOfHeading = (groups: Starts, index: number): number => (groups[index]?.start ?? 0) + index;

export const headingsBefore = (groups: Starts, line: number): number =>
  countWhile(groups, ({ start }, index) => start + index < line);

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

export interface CellPosition {
  readonly row: number;
  readonly column: number;
}

export interface Range {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

export interface Bounds {
  readonly rows: number;
  readonly columns: number;
}

export const rangeFor = (one: CellPosition, other: CellPosition): Range => ({
  top: Math.min(one.row, other.row),
  bottom: Math.max(one.row, other.row),
  left: Math.min(one.column, other.column),
  right: Math.max(one.column, other.column),
});

export const cellsIn = (range: Range): number => (range.bottom - range.top + 1) * (range.right - range.left + 1);

export function clampPlace(place: CellPosition, { rows, columns }: Bounds): CellPosition {
  const clamp = (value: number, count: number) => Math.max(0, Math.min(value, count - 1));
  return { row: clamp(place.row, rows), column: clamp(place.column, columns) };
}

interface Press {
  readonly key: string;
  readonly mod: boolean;
  readonly page: number;
}

type IsFilled = (place: CellPosition) => boolean;

const arrows: Readonly<Record<string, CellPosition>> = {
  ArrowUp: { row: -1, column: 0 },
  ArrowDown: { row: 1, column: 0 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowRight: { row: 0, column: 1 },
};

/** The cell that a key moves to; null for other keys. Ctrl and an arrow go to the edge of the filled cells. */
export function movedBy(
  place: CellPosition,
  { key, mod, page }: Press,
  bounds: Bounds,
  isFilled: IsFilled,
): CellPosition | null {
  const { row, column } = place;
  const way = arrows[key];
  if (way !== undefined && mod) return edgeFrom(place, way, bounds, isFilled);
  if (way !== undefined) return clampPlace({ row: row + way.row, column: column + way.column }, bounds);
  const last = { row: bounds.rows - 1, column: bounds.columns - 1 };
  const moved = ((): CellPosition | null => {
    switch (key) {
      case 'Home':
        return { row: mod ? 0 : row, column: 0 };
      case 'End':
        return { row: mod ? last.row : row, column: last.column };
      case 'PageUp':
        return { row: row - page, column };
      case 'PageDown':
        return { row: row + page, column };
      default:
        return null;
    }
  })();
  return moved === null ? null : clampPlace(moved, bounds);
}

function edgeFrom(from: CellPosition, way: CellPosition, bounds: Bounds, isFilled: IsFilled): CellPosition {
  const next = (place: CellPosition): CellPosition | null => {
    const step = { row: place.row + way.row, column: place.column + way.column };
    const isInside = step.row >= 0 && step.row < bounds.rows && step.column >= 0 && step.column < bounds.columns;
    return isInside ? step : null;
  };
  const first = next(from);
  if (first === null) return from;
  const staysInBlock = isFilled(from) && isFilled(first);
  let place = first;
  for (let ahead = next(place); ahead !== null; ahead = next(place)) {
    if (staysInBlock ? !isFilled(ahead) : isFilled(place)) break;
    place = ahead;
  }
  return place;
}

/** The cell after this one in reading order, or before it; null beyond the first and the last. */
export function nextInReadingOrder(
  { row, column }: CellPosition,
  back: boolean,
  { rows, columns }: Bounds,
): CellPosition | null {
  const index = row * columns + column + (back ? -1 : 1);
  if (index < 0 || index >= rows * columns) return null;
  return { row: Math.floor(index / columns), column: index % columns };
}

/** The next cell after `from` that `matches`, going round at the end; null when none does. */
export function findNext(
  matches: (place: CellPosition) => boolean,
  from: CellPosition,
  back: boolean,
  bounds: Bounds,
): CellPosition | null {
  const { rows, columns } = bounds;
  if (rows === 0 || columns === 0) return null;
  const around = back ? { row: rows - 1, column: columns - 1 } : { row: 0, column: 0 };
  let place = from;
  for (let count = rows * columns; count > 0; count -= 1) {
    place = nextInReadingOrder(place, back, bounds) ?? around;
    if (matches(place)) return place;
  }
  return null;
}
