import type { DraftEdit } from './batch.ts';
import { foldHeader, usualColumns } from './kinds/index.ts';
import type { Kind } from './kinds/kind.ts';
import { messageFor } from './messages/message-for.ts';
import type { Message } from './messages/message.ts';

/** The content of a draft at one moment. Never changed: an edit makes another that shares every row it leaves alone. */
export interface DraftList {
  readonly headers: readonly string[];
  /** Cells as text; a row may have fewer than there are headers. */
  readonly rows: readonly (readonly string[])[];
  readonly mapping: Readonly<Record<string, string>>;
  readonly kind: Kind | null;
  readonly defaults: Readonly<Record<string, string>>;
}

export type RowEdit = Extract<DraftEdit, { type: 'cells' | 'insert' | 'remove' }>;
type CellsEdit = Extract<RowEdit, { type: 'cells' }>;

/** As many as one batch may have. */
export const MAX_ROWS = 250_000;
const MAX_COLUMNS = 500;

export class EditRefusedError extends Error {
  readonly code: string;
  readonly text: Message;
  readonly remedy: Message;

  constructor(code: string, text: Message, remedy: Message) {
    super(code);
    this.code = code;
    this.text = text;
    this.remedy = remedy;
  }
}

/** The list after an edit. Throws EditRefusedError when the edit names a row or column that does not exist. Pure. */
export function applyEdit(list: DraftList, edit: DraftEdit): DraftList {
  switch (edit.type) {
    case 'cells': {
      const { columns = [], cells, below = [], added = [] } = edit;
      const widened = columns.reduce((wider, header) => withColumn(wider, header.trim()), list);
      for (const { row, column } of cells) {
        checkRow(list, row);
        checkColumn(widened, column);
      }
      for (const { row } of below) checkRow(list, row);
      checkAdded(widened, [...below.map((each) => each.cells), ...added]);
      return { ...widened, rows: editRows(widened.rows, edit) };
    }
    case 'insert':
      if (edit.at > list.rows.length) throw rowNotThere(edit.at);
      checkAdded(list, edit.rows);
      return { ...list, rows: editRows(list.rows, edit) };
    case 'remove':
      for (const row of edit.rows) checkRow(list, row);
      return { ...list, rows: editRows(list.rows, edit) };
    case 'add_column':
      return withColumn(list, edit.header.trim());
    case 'rename_column':
      return withHeader(list, edit.column, edit.header.trim());
    case 'remove_column':
      return withoutColumn(list, edit.column);
    case 'map':
      return withMapping(list, edit.column, edit.to);
    case 'kind':
      return { ...list, kind: edit.kind };
    case 'default':
      return withDefault(list, edit.column, edit.value.trim());
  }
}

export function editRows(rows: DraftList['rows'], edit: DraftEdit): DraftList['rows'] {
  switch (edit.type) {
    case 'cells':
      return [...withRowsBelow(withCells(rows, edit.cells), edit.below ?? []), ...(edit.added ?? [])];
    case 'insert':
      return [...rows.slice(0, edit.at), ...edit.rows, ...rows.slice(edit.at)];
    case 'remove': {
      const gone = new Set(edit.rows);
      return rows.filter((_row, index) => !gone.has(index));
    }
    case 'remove_column':
      return rows.map((row) => row.filter((_cell, index) => index !== edit.column));
    default:
      return rows;
  }
}

function withCells(rows: DraftList['rows'], cells: CellsEdit['cells']): DraftList['rows'] {
  const edited = new Map<number, string[]>();
  for (const { row, column, value } of cells) {
    const copy = edited.get(row) ?? [...(rows[row] ?? [])];
    while (copy.length < column) copy.push('');
    copy[column] = value;
    edited.set(row, copy);
  }
  const after = [...rows];
  for (const [row, copy] of edited) after[row] = copy;
  return after;
}

function withRowsBelow(rows: DraftList['rows'], below: NonNullable<CellsEdit['below']>): DraftList['rows'] {
  if (below.length === 0) return rows;
  const under = Map.groupBy(below, ({ row }) => row);
  return rows.flatMap((row, index) => [row, ...(under.get(index) ?? []).map(({ cells }) => cells)]);
}

/** Where each row goes when these are put in or taken out; null for a row that goes away. */
export function rowAfter(edit: RowEdit): ((row: number) => number | null) | null {
  if (edit.type === 'insert') return (row) => (row >= edit.at ? row + edit.rows.length : row);
  if (edit.type === 'cells') {
    const above = edit.below?.map(({ row }) => row).toSorted((one, other) => one - other);
    return above === undefined ? null : (row) => row + countBelow(above, row);
  }
  const gone = edit.rows.toSorted((one, other) => one - other);
  const removed = new Set(gone);
  return (row) => (removed.has(row) ? null : row - countBelow(gone, row));
}

function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Throws EditRefusedError when the list would be too long, or a row is wider than the list. */
function checkAdded(list: DraftList, added: readonly (readonly string[])[]): void {
  if (list.rows.length + added.length > MAX_ROWS) {
    const problem = messageFor('defect.tooManyRows', { most: MAX_ROWS });
    throw new EditRefusedError('too_many_rows', problem, messageFor('remedy.splitList'));
  }
  for (const row of added) if (row.length > list.headers.length) throw columnNotThere(row.length - 1);
}

function withColumn(list: DraftList, header: string): DraftList {
  checkHeader(list.headers, header);
  checkWidth(list.headers.length + 1);
  return { ...list, headers: [...list.headers, header] };
}

/** A column keeps the meaning a person chose for it; otherwise the new header decides. */
function withHeader(list: DraftList, column: number, header: string): DraftList {
  checkColumn(list, column);
  checkHeader(
    list.headers.filter((_each, index) => index !== column),
    header,
  );
  const before = list.headers[column] ?? '';
  const meaning = mappedTo(list.mapping, before);
  const mapping = withoutMapping(list.mapping, before);
  const headers = list.headers.with(column, header);
  return { ...list, headers, mapping: meaning === null ? mapping : { ...mapping, [header]: meaning } };
}

function withoutColumn(list: DraftList, column: number): DraftList {
  checkColumn(list, column);
  if (list.headers.length === 1) {
    throw new EditRefusedError('last_column', messageFor('failure.lastColumn'), messageFor('remedy.discardList'));
  }
  const stays = (_each: unknown, index: number): boolean => index !== column;
  const before = list.headers[column] ?? '';
  const headers = list.headers.filter(stays);
  const isTwice = headers.some((each) => foldHeader(each) === foldHeader(before));
  const mapping = isTwice ? list.mapping : withoutMapping(list.mapping, before);
  return { ...list, headers, mapping, rows: editRows(list.rows, { type: 'remove_column', column }) };
}

function mappedTo(mapping: DraftList['mapping'], header: string): string | null {
  return Object.entries(mapping).find(([each]) => foldHeader(each) === foldHeader(header))?.[1] ?? null;
}

const withoutMapping = (mapping: DraftList['mapping'], header: string): DraftList['mapping'] =>
  Object.fromEntries(Object.entries(mapping).filter(([each]) => foldHeader(each) !== foldHeader(header)));

/** Throws EditRefusedError when a column beside these cannot be called so. */
function checkHeader(others: readonly string[], header: string): void {
  if (header === '') {
    throw new EditRefusedError('no_header', messageFor('failure.noHeader'), messageFor('remedy.giveHeader'));
  }
  if (others.some((each) => foldHeader(each) === foldHeader(header))) {
    const taken = messageFor('failure.headerTaken', { column: header });
    throw new EditRefusedError('header_taken', taken, messageFor('remedy.chooseOther'));
  }
}

function withDefault(list: DraftList, column: string, value: string): DraftList {
  if (!usualColumns(null).some(({ name }) => name === column)) {
    throw notThere(messageFor('failure.defaultNotThere', { column }));
  }
  const { [column]: _before, ...others } = list.defaults;
  return { ...list, defaults: value === '' ? others : { ...others, [column]: value } };
}

function withMapping(list: DraftList, column: number, to: string | null): DraftList {
  checkColumn(list, column);
  const { headers, header } = namedAlone(list.headers, column);
  return { ...list, headers, mapping: { ...list.mapping, [header]: to ?? '' } };
}

/** A mapping is stored by header, so an empty or repeated one gets a number. */
function namedAlone(headers: readonly string[], column: number): { headers: readonly string[]; header: string } {
  const written = headers[column]?.trim() ?? '';
  const taken = new Set(headers.filter((_each, index) => index !== column).map((each) => foldHeader(each)));
  if (written !== '' && !taken.has(foldHeader(written))) return { headers, header: written };
  const stem = written === '' ? 'Column' : written;
  let header = stem;
  for (let number = column + 1; header === stem || taken.has(foldHeader(header)); number += 1) {
    header = `${stem} ${number}`;
  }
  return { headers: headers.with(column, header), header };
}

/** Throws EditRefusedError when a list is wider than anybody could edit. */
export function checkWidth(columns: number): void {
  if (columns <= MAX_COLUMNS) return;
  const problem = messageFor('failure.tooManyColumns', { columns, most: MAX_COLUMNS });
  throw new EditRefusedError('too_many_columns', problem, messageFor('remedy.fewerColumns'));
}

function checkRow(list: DraftList, row: number): void {
  if (row >= list.rows.length) throw rowNotThere(row);
}

function checkColumn(list: DraftList, column: number): void {
  if (column >= list.headers.length) throw columnNotThere(column);
}

const rowNotThere = (row: number): EditRefusedError => notThere(messageFor('failure.rowNotThere', { row: row + 1 }));

const columnNotThere = (column: number): EditRefusedError =>
  notThere(messageFor('failure.columnNotThere', { column: column + 1 }));

const notThere = (text: Message): EditRefusedError =>
  new EditRefusedError('not_there', text, messageFor('remedy.loadJobsAgain'));

export interface PromptColumns {
  readonly prompt: number;
  /** Null in a list without keys. */
  readonly key: number | null;
}

/** New prompts of a row: one in place of its own, and one for each row that is put below it. */
export interface NewPrompts {
  readonly inPlace?: string | undefined;
  readonly below: readonly string[];
}

/** Puts new prompts into a list by their rows. A row below another has that one's cells and a key of its own. */
export function rewriteEdit(
  rows: readonly (readonly string[])[],
  columns: PromptColumns,
  prompts: ReadonlyMap<number, NewPrompts>,
): Extract<DraftEdit, { type: 'cells' }> {
  const { prompt: column, key } = columns;
  const taken = new Set(key === null ? [] : rows.map((row) => row[key] ?? ''));
  const copyFor = (row: number, prompt: string, version: number): string[] => {
    const cells = withCell(rows[row] ?? [], column, prompt);
    return key === null ? cells : withCell(cells, key, freeKey(cells[key] ?? '', version, taken));
  };
  const all = [...prompts];
  return {
    type: 'cells',
    cells: all.flatMap(([row, { inPlace }]) => (inPlace === undefined ? [] : [{ row, column, value: inPlace }])),
    below: all.flatMap(([row, { below }]) =>
      below.map((prompt, index) => ({ row, cells: copyFor(row, prompt, index + 2) })),
    ),
  };
}

/** `010-2` for the second version of 010, or the next number that is free. An empty key stays empty. */
function freeKey(key: string, first: number, taken: Set<string>): string {
  if (key === '') return '';
  let number = first;
  while (taken.has(`${key}-${String(number)}`)) number += 1;
  const free = `${key}-${String(number)}`;
  taken.add(free);
  return free;
}

function withCell(row: readonly string[], column: number, text: string): string[] {
  const cells = Array.from({ length: Math.max(row.length, column + 1) }, (_, index) => row[index] ?? '');
  cells[column] = text;
  return cells;
}
