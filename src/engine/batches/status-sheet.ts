import { isDeepStrictEqual } from 'node:util';
import { statusColumn, STATUS_COLUMNS, type StatusColumn } from '../../contract/status-columns.ts';
import { messageFor } from '../../contract/messages/message.ts';
import { refused, RefusedError } from '../base/errors.ts';
import { csvWithCells, type CellEdits } from './csv-edit.ts';
import { editWorkbook, readRawTable, type ReadTableOptions } from './read-table.ts';
import { withoutStatus, type Table } from './table.ts';

/** What is written for one row; null leaves the cell empty. */
export type StatusCells = Readonly<Record<StatusColumn, string | number | null>>;

export interface StatusSheet {
  readonly headers: Readonly<Record<StatusColumn, string>>;
  /** By the row as a spreadsheet numbers it. */
  readonly rows: ReadonlyMap<number, StatusCells>;
}

export interface MarkedList {
  readonly bytes: Uint8Array;
  /** How many rows it has, and how many of them are shots of the batch. */
  readonly rows: number;
  readonly found: number;
  /** It had these columns before. */
  readonly hadStatus: boolean;
}

interface ListToMark {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly options?: ReadTableOptions;
}

/**
 * A person's own list with its status in columns of ours: those that it has from before, else behind its last one. All
 * else stays as it is, byte for byte in a text and part for part in a workbook. `statusOf`: of the list without ours.
 * Throws RefusedError for what cannot be read, or not be written as it was read.
 */
export async function withStatus(list: ListToMark, statusOf: (table: Table) => StatusSheet): Promise<MarkedList> {
  const { bytes, name } = list;
  const raw = await readRawTable(list, list.options);
  const defect = raw.defects.find(({ severity }) => severity === 'error');
  if (defect) throw new RefusedError('bad_list', defect.problem, defect.remedy);
  const table = withoutStatus(raw);
  const status = statusOf(table);
  const edits = editsFor(raw, status);
  const { encoding, delimiter, sheets, sheet } = raw;
  const marked =
    encoding === null || delimiter === null
      ? await editWorkbook({ bytes, place: sheets.indexOf(sheet ?? ''), edits })
      : csvWithCells(bytes, { encoding, delimiter }, edits);
  if (marked === null || !isSameList(table, await readRawTable({ bytes: marked, name }, list.options))) {
    throw refused('bad_list', messageFor('failure.statusNotWritten', { list: name }), 'remedy.saveAsUtf8');
  }
  const found = [...status.rows.values()].filter(({ state }) => state !== null).length;
  return { bytes: marked, rows: table.rows.length, found, hadStatus: table !== raw };
}

function editsFor(raw: Table, { headers, rows }: StatusSheet): CellEdits {
  const known = new Map(raw.headers.map((header, index) => [statusColumn(header), index]));
  let next = Math.max(...[raw.headers, ...raw.rows].map(usedWidth));
  const places = STATUS_COLUMNS.map((column) => ({ column, index: known.get(column) ?? next++ }));
  const edits = new Map([[raw.headerRow, new Map(places.map(({ column, index }) => [index, headers[column]]))]]) as Map<
    number,
    ReadonlyMap<number, string | number | null>
  >;
  for (const [row, cells] of rows) edits.set(row, new Map(places.map(({ column, index }) => [index, cells[column]])));
  return edits;
}

const usedWidth = (cells: readonly string[]): number => cells.findLastIndex((cell) => cell.trim() !== '') + 1;

/** What was read from the result, without ours, has to be what the list says. */
function isSameList(before: Table, written: Table): boolean {
  const after = withoutStatus(written);
  const cells = ({ headers, rows }: Table) => [headers, ...rows].map((row) => row.slice(0, usedWidth(row)));
  return isDeepStrictEqual(
    [cells(before), before.rowNumbers, before.headerRow],
    [cells(after), after.rowNumbers, after.headerRow],
  );
}
