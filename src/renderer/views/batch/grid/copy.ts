import { writeTsv } from '../draft/tsv.ts';
import type { Range } from './places.ts';

/** A range as spreadsheet programs take it from the clipboard. */
export function copyOf({ top, bottom, left, right }: Range, text: (row: number, column: number) => string): string {
  const rows = Array.from({ length: bottom - top + 1 }, (_row, row) =>
    Array.from({ length: right - left + 1 }, (_cell, column) => text(top + row, left + column)),
  );
  return writeTsv(rows);
}

export function answerCopy(event: ClipboardEvent, text: string): void {
  event.preventDefault();
  event.clipboardData?.setData('text/plain', text);
}
