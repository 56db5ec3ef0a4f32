import { toastError } from '../../../lib/toasts.ts';
import { writeTsv } from '../draft/tsv.ts';
import type { Range } from './places.ts';

type Text = (row: number, column: number) => string | null;

/** A range as spreadsheet programs take it from the clipboard; null when some of it is not loaded. */
export function copyOf({ top, bottom, left, right }: Range, text: Text): string | null {
  const rows: string[][] = [];
  for (let row = top; row <= bottom; row += 1) {
    const cells: string[] = [];
    for (let column = left; column <= right; column += 1) {
      const cell = text(row, column);
      if (cell === null) return null;
      cells.push(cell);
    }
    rows.push(cells);
  }
  return writeTsv(rows);
}

/** Answers a copy. Cells that are not loaded cannot reach the clipboard within the event, and follow later. */
export function answerCopy(event: ClipboardEvent, text: () => string | null, loadAll: () => Promise<boolean>): void {
  event.preventDefault();
  const copied = text();
  if (copied !== null) event.clipboardData?.setData('text/plain', copied);
  else void copyLoaded(text, loadAll);
}

/** Puts it on the clipboard, once all of it has been loaded. */
export async function copyLoaded(text: () => string | null, loadAll: () => Promise<boolean>): Promise<void> {
  if (text() === null && !(await loadAll())) return;
  await navigator.clipboard.writeText(text() ?? '').catch(toastError);
}
