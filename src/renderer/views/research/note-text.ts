import type { WebFinding } from '../../../contract/research.ts';

/** So much of a page is proposed for a note: the rest stays in the clipping. */
const LONGEST = 600;

/** The proposed note for a row: source and date, then the beginning of the text. Pure. */
export function noteOf({ title, url, date, text }: WebFinding): string {
  const source = [title === url ? '' : title, date ?? '', url].filter(Boolean).join(', ');
  const words = text.replaceAll(/\s+/g, ' ').trim();
  const beginning = words.length > LONGEST ? `${words.slice(0, LONGEST).toWellFormed().trimEnd()}…` : words;
  return [source, beginning].filter(Boolean).join('\n');
}

/** The notes of a row with one more below the present ones. */
export const withNote = (notes: string, note: string): string =>
  [notes.trim(), note.trim()].filter(Boolean).join('\n\n');

/** The column of a list that holds the notes, and the one to add when there is none. */
export function notesColumn(columns: readonly { readonly column: string | null }[]): {
  readonly index: number;
  readonly added: readonly string[];
} {
  const index = columns.findIndex(({ column }) => column === 'notes');
  return index >= 0 ? { index, added: [] } : { index: columns.length, added: ['notes'] };
}
