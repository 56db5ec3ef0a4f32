import type { DraftEdit, PlacedEdit } from '../../../../contract/batch.ts';

/** How many rows an edit puts in. */
export function rowsPutIn(edit: PlacedEdit): number {
  if (edit.type === 'insert') return edit.rows.length;
  return edit.type === 'cells' ? (edit.added?.length ?? 0) : 0;
}

/** The rows that an edit goes by, by their place. */
export function placesIn(edit: PlacedEdit): readonly number[] {
  if (edit.type === 'cells') return edit.cells.map(({ row }) => row);
  if (edit.type === 'remove') return edit.rows;
  return edit.type === 'insert' && edit.at > 0 ? [edit.at - 1] : [];
}

/** It goes by a row that the engine never heard of: what put that in was refused. */
export function isAboutNoRow(edit: DraftEdit): boolean {
  if (edit.type === 'cells') return edit.cells.some(({ row }) => row < 0);
  if (edit.type === 'remove') return edit.rows.some((row) => row < 0);
  return edit.type === 'insert' && edit.after !== null && edit.after < 0;
}

/** Where each row goes when these are put in or taken out; null for a row that goes away. */
export function rowAfter(edit: PlacedEdit): ((row: number) => number | null) | null {
  if (edit.type === 'insert') return (row) => (row >= edit.at ? row + edit.rows.length : row);
  if (edit.type !== 'remove') return null;
  const gone = edit.rows.toSorted((one, other) => one - other);
  const removed = new Set(gone);
  return (row) => (removed.has(row) ? null : row - countBelow(gone, row));
}

/** How many of the sorted numbers are smaller. */
function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
