import type { DraftSession } from './draft-session.svelte.ts';
import { columnNamed } from './column-meaning.ts';

export interface ShotRow {
  readonly shot: string;
  readonly listRow: number;
}

/**
 * The rows of a list as shots. As the engine reads them: blank rows are passed over, and rows without a key are numbered by
 * their place among the others.
 */
export function rowsAsShots(rows: readonly (readonly string[])[], keyColumn: number): readonly ShotRow[] {
  const shots: ShotRow[] = [];
  for (const [listRow, row] of rows.entries()) {
    if (row.every((cell) => cell.trim() === '')) continue;
    const key = row[keyColumn]?.trim() ?? '';
    shots.push({ shot: key === '' ? String(shots.length + 1).padStart(4, '0') : key, listRow });
  }
  return shots;
}

export const shotsOf = ({ list, view }: DraftSession): readonly ShotRow[] =>
  rowsAsShots(list.all, columnNamed(view.columns, 'shot'));
