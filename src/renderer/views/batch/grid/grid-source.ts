import type { GridHeading } from './row-groups.ts';

export interface GridColumn {
  readonly key: string;
  readonly title: string;
  /** Below the title. */
  readonly subtitle: string;
  /** Pixels. */
  readonly width: number;
  /** Texts line up at their end, as numbers do. */
  readonly alignEnd: boolean;
  readonly defect: { readonly mark: 'error' | 'warning'; readonly words: string } | null;
  readonly sorted: 'ascending' | 'descending' | null;
  /** Drawn by the `cell` snippet of the grid instead of as text. */
  readonly isCustom: boolean;
  /** It may get the remaining width, unless a person set its width. */
  readonly stretches: boolean;
}

export type Mark = 'error' | 'warning' | null;

export interface GridGroups {
  /** In the order on screen. */
  readonly headings: readonly GridHeading[];
  readonly titleOf: (heading: GridHeading) => string;
  /** Rows of a group in which something is wrong. */
  readonly marked?: (index: number) => { readonly mark: Mark; readonly rows: number };
  readonly fold: (index: number, isFolded: boolean) => void;
}

export interface GridSource {
  readonly rowCount: number;
  readonly columns: readonly GridColumn[];
  /** How many of the first columns stay in sight while scrolling sideways; the first one without it. */
  readonly frozen?: number;
  readonly text: (row: number, column: number) => string;
  /** What counts in place of an empty text, said elsewhere; null where nothing does. */
  readonly ghost?: (row: number, column: number) => string | null;
  /** A defect in the cell. */
  readonly mark: (row: number, column: number) => Mark;
  /** The number beside the row: its number in the list. */
  readonly number: (row: number) => number;
  /** The worst defect of the row. */
  readonly rowMark: (row: number) => Mark;
  readonly editable: boolean;
  /** Null without groups. */
  readonly groups?: GridGroups | null;
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
