import { WIDEST_STRETCHED, type GridColumn } from './grid-source.ts';

/** The columns with what is left of the width given to the first that wants it. Pixels. Pure. */
export function stretched(columns: readonly GridColumn[], width: number): readonly GridColumn[] {
  const at = columns.findIndex((column) => column.stretches);
  const column = columns[at];
  const left = width - columns.reduce((sum, each) => sum + each.width, 0);
  if (column === undefined || left <= 0 || column.width >= WIDEST_STRETCHED) return columns;
  return columns.with(at, { ...column, width: Math.min(column.width + left, WIDEST_STRETCHED) });
}
