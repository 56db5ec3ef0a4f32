import type { DraftSession } from './draft-session.svelte.ts';
import { columnNamed } from './column-meaning.ts';

export interface ShotRow {
  readonly shot: string;
  readonly listRow: number;
}

/**
 * The rows of a list as shots. As the engine reads them: blank rows are passed over, and rows without a key are numbered by
 * their place among the others. `cells` of a row are null while it is not loaded: then it is taken for a shot.
 */
export function rowsAsShots(
  count: number,
  cells: (row: number) => readonly string[] | null,
  keyColumn: number,
): readonly ShotRow[] {
  const shots: ShotRow[] = [];
  for (let listRow = 0; listRow < count; listRow += 1) {
    const row = cells(listRow);
    if (row !== null && row.every((cell) => cell.trim() === '')) continue;
    const key = row?.[keyColumn]?.trim() ?? '';
    shots.push({ shot: key === '' ? String(shots.length + 1).padStart(4, '0') : key, listRow });
  }
  return shots;
}

/** The shots of a list, as far as it is loaded. */
export const shotsOf = (session: DraftSession): readonly ShotRow[] =>
  rowsAsShots(
    session.list.count,
    (row) => (session.list.text(row, 0) === null ? null : session.list.row(row)),
    columnNamed(session.view.columns, 'shot'),
  );
