import type { EditedCell } from '../../../../contract/batch.ts';
import type { Range } from '../grid/grid-source.ts';

export function fillRange(range: Range, value: (row: number, column: number) => string): EditedCell[] {
  const cells: EditedCell[] = [];
  for (let row = range.top; row <= range.bottom; row += 1) {
    for (let column = range.left; column <= range.right; column += 1) {
      cells.push({ row, column, value: value(row, column) });
    }
  }
  return cells;
}

/** Fill down: the first row of the range in all of it; a single row takes the row above. Nothing above row 0. */
export function fillDown(range: Range, text: (row: number, column: number) => string): EditedCell[] {
  const from = range.top === range.bottom ? range.top - 1 : range.top;
  if (from < 0) return [];
  return fillRange({ ...range, top: from + 1 }, (_row, column) => text(from, column));
}

interface Paste {
  readonly cells: readonly EditedCell[];
  /** Rows to add below the last one, from column 0 on screen. */
  readonly added: readonly (readonly string[])[];
  readonly droppedColumns: number;
  readonly covered: Range;
}

/**
 * Where a pasted block goes: from the top left of the selection on, repeated when the selection is a whole number of
 * blocks, and beyond the last row into new ones.
 */
export function planPaste(
  block: readonly (readonly string[])[],
  selection: Range,
  bounds: { readonly rows: number; readonly columns: number },
): Paste {
  const height = block.length;
  const width = block[0]?.length ?? 0;
  const rows = repeated(height, selection.bottom - selection.top + 1);
  const wanted = repeated(width, selection.right - selection.left + 1);
  const columns = Math.min(wanted, bounds.columns - selection.left);
  const at = (row: number, column: number) => block[row % height]?.[column % width] ?? '';
  const present = Math.max(0, Math.min(rows, bounds.rows - selection.top));
  const cells: EditedCell[] = [];
  for (let row = 0; row < present; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      cells.push({ row: selection.top + row, column: selection.left + column, value: at(row, column) });
    }
  }
  const added: string[][] = [];
  for (let row = present; row < rows; row += 1) {
    const indent = Array<string>(selection.left).fill('');
    added.push([...indent, ...Array.from({ length: columns }, (_none, column) => at(row, column))]);
  }
  const covered = {
    ...selection,
    bottom: selection.top + Math.max(rows, 1) - 1,
    right: selection.left + Math.max(columns, 1) - 1,
  };
  return { cells, added, droppedColumns: wanted - columns, covered };
}

/** As many as fill the room in whole blocks, else one block. */
const repeated = (block: number, room: number): number => (block > 0 && room % block === 0 ? room : block);

/** Cells as spreadsheets put them on the clipboard: tabs, line breaks between rows, quotes around what holds either. */
export function writeTsv(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((row) => row.map(quoted).join('\t'));
  // Several rows end with a line break each, as they do from Excel: else an empty last row would be lost.
  return lines.length === 1 ? lines.join('') : lines.map((line) => `${line}\n`).join('');
}

const quoted = (cell: string): string => (/["\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** The block a clipboard text holds, every row as wide as the widest. A line break at its very end starts no row. */
export function readTsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  const endRow = (): void => {
    rows.push(row);
    row = [];
  };
  while (at < text.length) {
    const cell = text[at] === '"' ? readQuoted(text, at) : readPlain(text, at);
    row.push(cell.value);
    at = cell.end;
    const next = text[at];
    if (next === undefined) break;
    const isBreak = next !== '\t';
    at += text.startsWith('\r\n', at) ? 2 : 1;
    if (isBreak) endRow();
    else if (at === text.length) row.push('');
  }
  if (row.length > 0 || rows.length === 0) endRow();
  const width = Math.max(1, ...rows.map((each) => each.length));
  return rows.map((each) => [...each, ...Array<string>(width - each.length).fill('')]);
}

interface Cell {
  readonly value: string;
  readonly end: number;
}

function readPlain(text: string, start: number): Cell {
  let end = start;
  while (end < text.length && !isSeparator(text[end])) end += 1;
  return { value: text.slice(start, end), end };
}

/** A quoted cell; a text that only begins with a quote, as `"Stop," she said` does, stays as it is. */
function readQuoted(text: string, start: number): Cell {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] !== '"') continue;
    if (text[at + 1] === '"') {
      at += 1;
      continue;
    }
    const end = at + 1;
    if (end < text.length && !isSeparator(text[end])) break;
    return { value: text.slice(start + 1, at).replaceAll('""', '"'), end };
  }
  return readPlain(text, start);
}

const isSeparator = (character: string | undefined): boolean =>
  character === '\t' || character === '\n' || character === '\r';

interface FindQuery {
  readonly text: string;
  readonly matchCase: boolean;
  /** The cell says this and nothing else, spaces around it apart. */
  readonly wholeCell: boolean;
}

export interface Finder {
  readonly matches: (cell: string) => boolean;
  readonly count: (cell: string) => number;
  readonly replaced: (cell: string, by: string) => string;
}

/** Finds a plain text; null for an empty one. Case counts or not, letter by letter, in any script. */
export function finderFor({ text, matchCase, wholeCell }: FindQuery): Finder | null {
  if ((wholeCell ? text.trim() : text) === '') return null;
  // The whole text is escaped, so every character means itself and a search takes linear time.
  const plain = (wholeCell ? text.trim() : text).replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const flags = matchCase ? 'u' : 'iu';
  const pattern = wholeCell ? String.raw`^\s*${plain}\s*$` : plain;
  const [one, all] = [new RegExp(pattern, flags), new RegExp(pattern, `${flags}g`)];
  return {
    matches: (cell) => one.test(cell),
    count: (cell) => cell.match(all)?.length ?? 0,
    // A function, because the new text may hold `$` signs that a replacement string would read as references.
    replaced: (cell, by) => cell.replaceAll(all, () => by),
  };
}

export const bulkActions = ['set', 'append', 'prepend'] as const;
export type BulkAction = (typeof bulkActions)[number];

export interface BulkEdit {
  readonly action: BulkAction;
  readonly text: string;
}

/** The text of a cell after it. A text that is joined to another is set apart by a blank, unless it says otherwise. */
export function bulkText(before: string, { action, text }: BulkEdit): string {
  switch (action) {
    case 'set':
      // Nothing typed yet: to empty cells is Delete in the list.
      return text === '' ? before : text;
    case 'append':
      return joined(before, text);
    case 'prepend':
      return joined(text, before);
  }
}

/** Signs that follow a word without a blank. */
const CLINGS = /^[\s.,;:!?)\]}、。，；：！？）】”’'"]/u;

function joined(one: string, other: string): string {
  const isApart = one === '' || other === '' || /\s$/u.test(one) || CLINGS.test(other);
  return isApart ? `${one}${other}` : `${one} ${other}`;
}

interface BulkChange {
  readonly row: number;
  readonly before: string;
  readonly after: string;
}

export function bulkChanges(
  edit: BulkEdit,
  { top, bottom }: { readonly top: number; readonly bottom: number },
  text: (row: number) => string,
): readonly BulkChange[] {
  const changes: BulkChange[] = [];
  for (let row = top; row <= bottom; row += 1) {
    const before = text(row);
    const after = bulkText(before, edit);
    if (after !== before) changes.push({ row, before, after });
  }
  return changes;
}
