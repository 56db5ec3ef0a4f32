import { messageFor, type Message } from '../../contract/messages/message.ts';
import type { DraftEdit } from '../../contract/batch.ts';
import { foldHeader, usualColumns } from '../../contract/kinds/index.ts';
import type { Kind } from '../../contract/kinds/kind.ts';
import { RefusedError } from '../base/errors.ts';
import type { ColumnMapping } from './columns.ts';
import type { Defaults } from './defaults.ts';
import { MAX_ROWS, splitIt, tooManyRows } from './table.ts';

/** The content of a draft at one moment. Never changed: an edit makes another that shares every row it leaves alone. */
export interface DraftList {
  readonly headers: readonly string[];
  /** Cells as text; a row may have fewer than there are headers. */
  readonly rows: readonly (readonly string[])[];
  readonly mapping: ColumnMapping;
  /** Kind of rows that do not say. */
  readonly kind: Kind | null;
  readonly defaults: Defaults;
}

const MAX_COLUMNS = 500;

/** The list after an edit. Throws RefusedError when the edit names a row or column that does not exist. Pure. */
export function applyEdit(list: DraftList, edit: DraftEdit): DraftList {
  switch (edit.type) {
    case 'cells': {
      const { columns = [], cells, below = [], added = [] } = edit;
      const widened = columns.reduce((wider, header) => withColumn(wider, header.trim()), list);
      const edited = withRowsBelow(withCells(widened, cells), below);
      return withRows(edited, edited.rows.length, added);
    }
    case 'insert':
      return withRows(list, edit.at, edit.rows);
    case 'remove': {
      for (const row of edit.rows) checkRow(list, row);
      const gone = new Set(edit.rows);
      return { ...list, rows: list.rows.filter((_row, index) => !gone.has(index)) };
    }
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

type CellsEdit = Extract<DraftEdit, { type: 'cells' }>;

function withCells(list: DraftList, cells: CellsEdit['cells']): DraftList {
  const rows = [...list.rows];
  const edited = new Map<number, string[]>();
  for (const { row, column, value } of cells) {
    checkRow(list, row);
    checkColumn(list, column);
    const copy = edited.get(row) ?? [...(rows[row] ?? [])];
    while (copy.length < column) copy.push('');
    copy[column] = value;
    edited.set(row, copy);
  }
  for (const [row, copy] of edited) rows[row] = copy;
  return { ...list, rows };
}

function withRows(list: DraftList, at: number, added: readonly (readonly string[])[]): DraftList {
  if (at > list.rows.length) throw rowNotThere(at);
  checkAdded(list, added);
  return { ...list, rows: [...list.rows.slice(0, at), ...added, ...list.rows.slice(at)] };
}

function withRowsBelow(list: DraftList, below: NonNullable<CellsEdit['below']>): DraftList {
  if (below.length === 0) return list;
  for (const { row } of below) checkRow(list, row);
  checkAdded(
    list,
    below.map(({ cells }) => cells),
  );
  const under = Map.groupBy(below, ({ row }) => row);
  return {
    ...list,
    rows: list.rows.flatMap((row, index) => [row, ...(under.get(index) ?? []).map(({ cells }) => cells)]),
  };
}

/** Throws RefusedError when the list would be too long, or a row is wider than the list. */
function checkAdded(list: DraftList, added: readonly (readonly string[])[]): void {
  if (list.rows.length + added.length > MAX_ROWS) throw new RefusedError('too_many_rows', tooManyRows.problem, splitIt);
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
    throw new RefusedError('last_column', messageFor('failure.lastColumn'), messageFor('remedy.discardList'));
  }
  const stays = (_each: unknown, index: number): boolean => index !== column;
  const before = list.headers[column] ?? '';
  const headers = list.headers.filter(stays);
  const isTwice = headers.some((each) => foldHeader(each) === foldHeader(before));
  const mapping = isTwice ? list.mapping : withoutMapping(list.mapping, before);
  return { ...list, headers, mapping, rows: list.rows.map((row) => row.filter(stays)) };
}

function mappedTo(mapping: ColumnMapping, header: string): string | null {
  return Object.entries(mapping).find(([each]) => foldHeader(each) === foldHeader(header))?.[1] ?? null;
}

const withoutMapping = (mapping: ColumnMapping, header: string): ColumnMapping =>
  Object.fromEntries(Object.entries(mapping).filter(([each]) => foldHeader(each) !== foldHeader(header)));

/** Throws RefusedError when a column beside these cannot be called so. */
function checkHeader(others: readonly string[], header: string): void {
  if (header === '') {
    throw new RefusedError('no_header', messageFor('failure.noHeader'), messageFor('remedy.giveOne'));
  }
  if (others.some((each) => foldHeader(each) === foldHeader(header))) {
    const taken = messageFor('failure.headerTaken', { column: header });
    throw new RefusedError('header_taken', taken, messageFor('remedy.otherHeader'));
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

/** Throws RefusedError when a list is wider than anybody could edit. */
export function checkWidth(columns: number): void {
  if (columns <= MAX_COLUMNS) return;
  const problem = messageFor('failure.tooManyColumns', { columns, most: MAX_COLUMNS });
  throw new RefusedError('too_many_columns', problem, messageFor('remedy.fewerColumns'));
}

function checkRow(list: DraftList, row: number): void {
  if (row >= list.rows.length) throw rowNotThere(row);
}

function checkColumn(list: DraftList, column: number): void {
  if (column >= list.headers.length) throw columnNotThere(column);
}

const rowNotThere = (row: number): RefusedError => notThere(messageFor('failure.rowNotThere', { row: row + 1 }));

const columnNotThere = (column: number): RefusedError =>
  notThere(messageFor('failure.columnNotThere', { column: column + 1 }));

const notThere = (text: Message): RefusedError =>
  new RefusedError('not_there', text, messageFor('remedy.loadListAgain'));
