import type { EditedCell } from '../../../../contract/batch.ts';
import type { Range } from '../grid/places.ts';

export function fillRange(range: Range, value: (row: number, column: number) => string): EditedCell[] {
  const cells: EditedCell[] = [];
  for (let row = range.top; row <= range.bottom; row += 1) {
    for (let column = range.left; column <= range.right; column += 1) {
      cells.push({ row, column, value: value(row, column) });
    }
  }
  return cells;
}

/** Fill down: the first row of the range in all of it; a single row takes the row above. Nothing above row 0. */
export function fillDown(range: Range, text: (row: number, column: number) => string): EditedCell[] {
  const from = range.top === range.bottom ? range.top - 1 : range.top;
  if (from < 0) return [];
  return fillRange({ ...range, top: from + 1 }, (_row, column) => text(from, column));
}

export interface Paste {
  readonly cells: readonly EditedCell[];
  /** Rows to add below the last one, from column 0 on screen. */
  readonly added: readonly (readonly string[])[];
  /** Columns of the block that found no room. */
  readonly droppedColumns: number;
  /** What to select afterwards. */
  readonly covered: Range;
}

/**
 * Where a pasted block goes: from the top left of the selection on, repeated when the selection is a whole number of
 * blocks, and beyond the last row into new ones.
 */
export function planPaste(
  block: readonly (readonly string[])[],
  selection: Range,
  bounds: { readonly rows: number; readonly columns: number },
): Paste {
  const height = block.length;
  const width = block[0]?.length ?? 0;
  const rows = repeated(height, selection.bottom - selection.top + 1);
  const wanted = repeated(width, selection.right - selection.left + 1);
  const columns = Math.min(wanted, bounds.columns - selection.left);
  const at = (row: number, column: number) => block[row % height]?.[column % width] ?? '';
  const present = Math.max(0, Math.min(rows, bounds.rows - selection.top));
  const cells: EditedCell[] = [];
  for (let row = 0; row < present; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      cells.push({ row: selection.top + row, column: selection.left + column, value: at(row, column) });
    }
  }
  const added: string[][] = [];
  for (let row = present; row < rows; row += 1) {
    const indent = Array<string>(selection.left).fill('');
    added.push([...indent, ...Array.from({ length: columns }, (_none, column) => at(row, column))]);
  }
  const covered = {
    ...selection,
    bottom: selection.top + Math.max(rows, 1) - 1,
    right: selection.left + Math.max(columns, 1) - 1,
  };
  return { cells, added, droppedColumns: wanted - columns, covered };
}

/** As many as fill the room in whole blocks, else one block. */
const repeated = (block: number, room: number): number => (block > 0 && room % block === 0 ? room : block);
