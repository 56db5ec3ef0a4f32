import { toast } from '../../../lib/toasts.ts';
import type { DraftSheet } from './draft-sheet.svelte.ts';
import { wholeList } from './view-order.ts';

/** Takes a column out of a list. Nothing is asked: undo brings it back with all its cells. */
export async function removeColumn(sheet: DraftSheet, column: number): Promise<void> {
  const { session } = sheet;
  const before = session.view.columns;
  // Filters and order go by the places of columns.
  if (sheet.isFiltered || sheet.request.sort !== null) await sheet.look(wholeList);
  await session.change({ type: 'remove_column', column });
  if (session.view.columns.length >= before.length) return;
  toast(`Removed the column “${before[column]?.header ?? ''}”. Undo brings it back.`);
}

export const mayRemoveColumn = ({ session }: DraftSheet): boolean =>
  session.view.columns.length > 1 && session.obstacle === null && !session.sync.link.isAway;
