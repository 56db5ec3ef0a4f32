import { say } from '../../../contract/messages/words.ts';
import type { DraftView } from '../../../contract/batch.ts';
import { api } from '../../lib/client.ts';
import { windowName } from '../../lib/state/changes.svelte.ts';
import { toastWithUndo, type Reverse } from '../../lib/undo.svelte.ts';
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

/** A row as a person chooses it. */
export interface NotesRow {
  readonly index: number;
  /** `Row 3 · 020 · A storm over the harbour`. */
  readonly label: string;
  readonly notes: string;
}

/** Rows read in one call. */
const PAGE = 5000;

/** The rows of a list that hold anything. */
export async function rowsForNotes(draft: DraftView): Promise<NotesRow[]> {
  const named = ['shot', 'prompt'].map((name) => draft.columns.findIndex(({ column }) => column === name));
  const { index: notes } = notesColumn(draft.columns);
  const found: NotesRow[] = [];
  for (let start = 0; start < draft.rows; start += PAGE) {
    const { rows } = await api.drafts.rows({ draftId: draft.id, start, count: PAGE });
    for (const [offset, cells] of rows.entries()) {
      if (cells.every((cell) => cell.trim() === '')) continue;
      const index = start + offset;
      const words = named.flatMap((column) => cells[column]?.trim().slice(0, 200) || []);
      const label = [say('list.rowNumber', { row: index + 2 }), ...words].join(' · ');
      found.push({ index, label, notes: cells[notes] ?? '' });
    }
  }
  return found;
}

/** Adds a note to rows in one edit of their list, with Undo. Throws the engine's refusal. */
export async function putIntoNotes(draft: DraftView, rows: readonly NotesRow[], note: string): Promise<void> {
  const { id: draftId, name } = draft;
  const { index: column, added: columns } = notesColumn(draft.columns);
  const cells = rows.map(({ index, notes }) => ({ row: index, column, value: withNote(notes, note) }));
  const edit = { type: 'cells' as const, columns: [...columns], cells };
  const { revision } = await api.drafts.edit({ draftId, revision: draft.revision, edit, by: windowName });
  // The list is not shown here: another window may edit it.
  await api.drafts.release({ draftId, by: windowName });
  toastWithUndo(say('research.putDone', { count: rows.length, list: name }), stepIn(draftId, revision, 'undo'));
}

/** Goes one step back or forth in the list, unless it was edited since. */
const stepIn = (draftId: string, revision: number, way: 'undo' | 'redo'): Reverse => {
  return async () => {
    const now = await api.drafts.get({ draftId });
    if (now.revision !== revision) throw new Error(say('research.editedSince'));
    const { revision: left } = await api.drafts[way]({ draftId, by: windowName });
    await api.drafts.release({ draftId, by: windowName });
    return stepIn(draftId, left, way === 'undo' ? 'redo' : 'undo');
  };
};
