/** One column as the grid shows it. The first one stays in sight. */
export interface GridColumn {
  /** Names the column for as long as the list lives. */
  readonly key: string;
  readonly title: string;
  /** Below the title. */
  readonly subtitle: string;
  /** Pixels. */
  readonly width: number;
  /** Texts line up at their end, as numbers do. */
  readonly alignEnd: boolean;
  /** What is wrong with the header itself, in words. */
  readonly defect: { readonly mark: 'error' | 'warning'; readonly words: string } | null;
  readonly sorted: 'ascending' | 'descending' | null;
  /** Drawn by the `cell` snippet of the grid instead of as text. */
  readonly isCustom: boolean;
  /** It may be given the width that is left over, where nobody gave it one. */
  readonly stretches: boolean;
}

type Mark = 'error' | 'warning' | null;

/** What a grid shows. Everything is asked by place on screen and may be reactive. */
export interface GridSource {
  readonly rowCount: number;
  readonly columns: readonly GridColumn[];
  /** Null while it is not loaded. */
  readonly text: (row: number, column: number) => string | null;
  /** What counts in place of an empty text, said elsewhere; null where nothing does. */
  readonly ghost?: (row: number, column: number) => string | null;
  /** A defect in the cell. */
  readonly mark: (row: number, column: number) => Mark;
  /** What stands before the row: its number in the list. */
  readonly number: (row: number) => number;
  /** The worst defect of the row. */
  readonly rowMark: (row: number) => Mark;
  readonly editable: boolean;
}

/** Pixels. */
export const ROW_HEIGHT = 28;
export const HEADER_HEIGHT = 44;
export const GUTTER_WIDTH = 64;
export const NARROWEST_COLUMN = 48;
export const WIDEST_COLUMN = 1200;
/** A column that takes what is left over is at most as wide: longer lines are hard to read. */
const WIDEST_STRETCHED = 900;

/** The columns with what is left of the width given to the first that wants it. Pixels. Pure. */
export function stretched(columns: readonly GridColumn[], width: number): readonly GridColumn[] {
  const at = columns.findIndex((column) => column.stretches);
  const column = columns[at];
  const left = width - columns.reduce((sum, each) => sum + each.width, 0);
  if (column === undefined || left <= 0 || column.width >= WIDEST_STRETCHED) return columns;
  return columns.with(at, { ...column, width: Math.min(column.width + left, WIDEST_STRETCHED) });
}
