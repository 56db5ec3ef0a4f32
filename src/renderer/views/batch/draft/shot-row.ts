import { tell } from '../../../lib/toasts.ts';
import { columnNamed } from './column-meaning.ts';
import type { SheetEditor } from './sheet-editor.svelte.ts';

/** Key of the shot a row is. Rows without one are numbered by their place, as the engine does when it reads a list. */
export function shotOfRow(cell: string | null, row: number): string {
  const key = (cell ?? '').trim();
  return key === '' ? String(row + 1).padStart(4, '0') : key;
}

/** Goes to what is asked for in the row of a shot, once all rows are here. */
export async function goToShot(editor: SheetEditor, shot: string): Promise<void> {
  const { session } = editor.sheet;
  if (!(await session.loadAll())) return;
  const { columns } = session.view;
  const keys = columnNamed(columns, 'shot');
  const rows = Array.from({ length: session.rowCount }, (_none, row) => row);
  const row = rows.find((each) => shotOfRow(session.text(each, keys), each) === shot);
  if (row === undefined) tell(`The list has no shot “${shot}” any more.`);
  else await editor.goTo(row, columnNamed(columns, 'prompt'));
}
