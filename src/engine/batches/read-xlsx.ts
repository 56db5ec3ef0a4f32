import { InvalidInputError, InvalidSpreadsheetError, readSheet } from 'read-excel-file/universal';
import { asProblem, messageFor } from '../../contract/messages/message-for.ts';
import type { Text } from '../../contract/messages/message.ts';
import type { Problem } from '../../contract/shot.ts';
import { MB } from '../../contract/units.ts';
import { RecordSorter, tooManyColumns, tooManyRows, unreadableTable, type Table } from './table.ts';
import { MAX_ROWS } from '../../contract/draft-list.ts';
import { strFromU8, unzipSync, zipSync, type Unzipped } from 'fflate';

/** Memory that a cell takes besides its characters, roughly. */
const CELL_BYTES = 16;

/**
 * Reads one sheet of a workbook, each cell as the text a person sees in it. Of the others only their names are read.
 * Some workbooks that keep every limit here still take more memory or time than there is: see `readWorkbook`.
 */
export async function readXlsx(bytes: Uint8Array, list: Text, sheet?: string): Promise<Table> {
  const unpacked = unpackWorkbook(bytes, list);
  if ('problem' in unpacked) return unreadableTable('xlsx', unpacked);
  const { sheets, archive } = unpacked;
  const place = sheet === undefined ? 0 : sheets.indexOf(sheet);
  const name = sheets[place];
  if (name === undefined) {
    const problem = messageFor('defect.noSheet', { list, sheet: sheet ?? '' });
    const complaint = asProblem(problem, messageFor('remedy.writeOneOf', { choices: sheets }));
    return { ...unreadableTable('xlsx', complaint, sheet), sheets };
  }
  const rows = await sheetFor(archive, place, list);
  if ('problem' in rows) return unreadableTable('xlsx', rows);
  const sorter = new RecordSorter();
  let size = 0;
  for (const row of rows) {
    const cells = row.map(cellText);
    sorter.take(cells);
    if (sorter.tooWide !== null) return unreadableTable('xlsx', tooManyColumns);
    if (sorter.rows.length > MAX_ROWS) return unreadableTable('xlsx', tooManyRows);
    // A text that many cells share lies in the workbook once, and in the table as often as it is shown.
    size += cells.reduce((sum, cell) => sum + cell.length + CELL_BYTES, 0);
    if (size > MAX_UNPACKED) return unreadableTable('xlsx', tooLarge(list));
  }
  const records = sorter.records();
  return { format: 'xlsx', encoding: null, delimiter: null, sheet: name, sheets, ...records, defects: [] };
}

async function sheetFor(archive: Uint8Array, place: number, list: Text) {
  try {
    // Numbers stay as the file writes them, so nothing is rounded.
    return await readSheet(archive.slice().buffer, place + 1, { trim: false, parseNumber: shownNumber });
  } catch (error) {
    if (error instanceof InvalidSpreadsheetError) {
      const problem = messageFor('defect.workbookCell', { list, reason: error.message });
      return asProblem(problem, 'remedy.correctWorkbookCell');
    }
    return damaged(list, error instanceof InvalidInputError ? error.code : 'damaged');
  }
}

const tooLarge = (list: Text): Problem =>
  asProblem(messageFor('defect.workbookTooLarge', { list, most: MAX_UNPACKED / MB }), 'remedy.saveAsCsv');

const damaged = (list: Text, reason: string): Problem =>
  asProblem(messageFor('defect.workbookDamaged', { list, reason }), 'remedy.saveWorkbookAgain');

/** A number as spreadsheets show it: 15 digits, so that 0.1 + 0.2 reads 0.3, and no `.0`. */
function shownNumber(text: string): string {
  const number = Number(text);
  return Number.isFinite(number) ? String(Number(number.toPrecision(15))) : text;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (value instanceof Date) return dateText(value);
  return String(value).replace(/\r\n?/g, '\n');
}

/** Workbooks count time from the end of 1899: what lies there is a time of day without a date. */
const FIRST_YEAR = 1900;

function dateText(date: Date): string {
  if (Number.isNaN(date.getTime())) return '';
  const [day = '', rest = ''] = date.toISOString().split('T');
  const time = rest.replace(/\.000Z$/, '').replace(/Z$/, '');
  if (date.getUTCFullYear() < FIRST_YEAR) return time.replace(/:00$/, '');
  return time === '00:00:00' ? day : `${day}T${time}`;
}

/** Bytes of a workbook once it is unpacked: a hundred thousand rows. Each takes some twenty bytes of memory to read. */
export const MAX_UNPACKED = 64 * 1000 ** 2;
export const MAX_PARTS = 10_000;

/** Unpacks the texts of a workbook, and nothing else, within bounds whatever it claims: 16 MB can become many GB. */
function unpackWorkbook(
  bytes: Uint8Array,
  list: Text,
): Problem | { readonly sheets: readonly string[]; readonly archive: Uint8Array } {
  let isOpenDocument = false;
  let parts = 0;
  let unpacked = 0;
  let files: Unzipped;
  try {
    files = unzipSync(bytes, {
      // Each part gets as much memory as the archive claims for it; a larger one is cut there.
      filter: ({ name, size, originalSize, compression }) => {
        isOpenDocument ||= name === 'content.xml' || name === 'META-INF/manifest.xml';
        parts += 1;
        if (parts > MAX_PARTS) throw new TooLargeError();
        if (!/\.(?:xml|rels)$/i.test(name) || isOpenDocument) return false;
        unpacked += compression === 0 ? size : originalSize;
        if (unpacked > MAX_UNPACKED) throw new TooLargeError();
        return true;
      },
    });
  } catch (error) {
    return error instanceof TooLargeError ? tooLarge(list) : damaged(list, 'INVALID_ZIP');
  }
  if (isOpenDocument) return asProblem(messageFor('defect.openDocument', { list }), 'remedy.chooseListFile');
  const workbook = files['xl/workbook.xml'];
  if (workbook === undefined) return damaged(list, 'INVALID_ZIP');
  for (const [name, sheet] of Object.entries(files)) {
    const problem = name.startsWith('xl/worksheets/') ? beyondAnySheet(strFromU8(sheet)) : null;
    if (problem !== null) return problem;
  }
  return { sheets: sheetNames(strFromU8(workbook)), archive: zipSync(files, { level: 0 }) };
}

class TooLargeError extends Error {}

const LAST_ROW = 1_048_576;
/** XFD, the last of 16,384 columns. */
const LAST_COLUMN = 'XFD';
const ROW_OR_CELL = /<(?:\w+:)?(row|c)\s(?:[^<>]*?\s)?r\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)')/g;

/**
 * Whether a sheet numbers a row or a column that no spreadsheet has: reading it would fill the memory up to there. A place
 * that is no place counts as one.
 */
function beyondAnySheet(sheet: string): Problem | null {
  for (const [, tag, double, single] of sheet.matchAll(ROW_OR_CELL)) {
    const [whole, column = '', row] = /^([A-Z]*)(\d{1,7})$/.exec(double ?? single ?? '') ?? [];
    if (whole === undefined || Number(row) > LAST_ROW) return tooManyRows;
    const isPastLast = column.length > LAST_COLUMN.length || (column.length === 3 && column > LAST_COLUMN);
    if (tag === 'c' && isPastLast) return tooManyColumns;
  }
  return null;
}

export const SHEET = /<(?:\w+:)?sheet\s[^<>]*>/g;
const NAME = /\sname=(?:"([^"]*)"|'([^']*)')/;

function sheetNames(workbook: string): string[] {
  return Array.from(workbook.matchAll(SHEET), ([tag]) => {
    const [, double, single] = NAME.exec(tag) ?? [];
    return plain(double ?? single ?? '');
  });
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export function plain(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,4}));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
