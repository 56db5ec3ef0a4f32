import type { DraftEdit } from '../../../../contract/batch.ts';
import { columnNamed } from './column-meaning.ts';
import type { DraftSession } from './draft-session.svelte.ts';
import type { UnsentEdit } from './outbox.svelte.ts';
import { writeTsv } from './tsv.ts';

/** Longer texts are cut off where they are only named. */
const LONGEST = 60;

/** The first cell of a refused edit that the list still has, by its place in it; null when there is none. */
export function placeOfRefused(
  session: DraftSession,
  { edit }: UnsentEdit,
): { readonly row: number; readonly column: number } | null {
  if (edit.type !== 'cells') return null;
  for (const { row, column } of edit.cells) {
    const place = session.placeOf(row);
    if (place >= 0 && column < session.view.columns.length) return { row: place, column };
  }
  return null;
}

/** What a person wrote that the list does not have, and why. */
export function unkeptInWords(session: DraftSession, refused: UnsentEdit): string {
  const { edit, refused: why } = refused;
  if (edit.type !== 'cells' || why === null) return '';
  const [first] = edit.cells;
  const texts = edit.cells.length + (edit.added?.length ?? 0);
  const place = placeOfRefused(session, refused);
  const theirs = first === undefined ? null : session.unkept.theirs(first.row, first.column);
  return [
    `Not kept${place === null ? '' : ` for ${nameOfCell(session, place)}`}:`,
    first === undefined ? 'the rows you added.' : `“${shortened(first.value)}”${texts > 1 ? ' and more' : ''}.`,
    why.message,
    place !== null && theirs !== null
      ? `The list has ${theirs === '' ? 'nothing' : `“${shortened(theirs)}”`} there.`
      : '',
    why.remedy,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** The texts of an edit for the clipboard, a line a row. */
export function textsOf(edit: DraftEdit): string {
  if (edit.type !== 'cells') return '';
  const rows = new Map<number, string[]>();
  for (const { row, value } of edit.cells) rows.set(row, [...(rows.get(row) ?? []), value]);
  const [only] = edit.cells;
  if (edit.cells.length === 1 && edit.added === undefined) return only?.value ?? '';
  return writeTsv([...rows.values(), ...(edit.added ?? [])]);
}

function nameOfCell(session: DraftSession, { row, column }: { row: number; column: number }): string {
  const { columns } = session.view;
  const shot = session.text(row, columnNamed(columns, 'shot')) ?? '';
  return `${shot === '' ? `row ${row + 2}` : shot} · ${columns[column]?.header ?? ''}`;
}

const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
