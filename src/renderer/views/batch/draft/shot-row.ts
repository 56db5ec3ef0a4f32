import { toast } from '../../../lib/toasts.ts';
import { columnNamed } from './column-meaning.ts';
import type { DraftSession } from './draft-session.svelte.ts';
import { rowsAsShots, type ShotRow } from './rows-as-shots.ts';
import type { SheetEditor } from './sheet-editor.svelte.ts';

/** The shots of a list, as far as it is loaded. */
export const shotsOf = (session: DraftSession): readonly ShotRow[] =>
  rowsAsShots(
    session.list.count,
    (row) => (session.list.text(row, 0) === null ? null : session.list.row(row)),
    columnNamed(session.view.columns, 'shot'),
  );

/** Goes to what is asked for in the row of a shot, once all rows are here. */
export async function goToShot(editor: SheetEditor, shot: string): Promise<void> {
  const { session } = editor.sheet;
  if (!(await session.list.loadAll())) return;
  const { columns } = session.view;
  const row = shotsOf(session).find((each) => each.shot === shot)?.listRow;
  if (row === undefined) toast(`The list has no shot “${shot}” any more.`);
  else await editor.goTo(row, columnNamed(columns, 'prompt'));
}
