import { InvalidInputError, InvalidSpreadsheetError, readSheet } from 'read-excel-file/universal';
import { messageFor } from '../../contract/messages/message-for.ts';
import type { Text } from '../../contract/messages/message.ts';
import { MB } from '../../contract/units.ts';
import { RecordSorter, tooManyColumns, tooManyRows, unreadableTable } from './table.ts';
import { MAX_ROWS } from '../../contract/draft-list.ts';
import type { Table } from './table.ts';
import { MAX_UNPACKED, unpackWorkbook } from './unpack-workbook.ts';

/** Memory that a cell takes besides its characters, roughly. */
const CELL_BYTES = 16;

/**
 * Reads one sheet of a workbook, each cell as the text a person sees in it. Of the others only their names are read.
 * Some workbooks that keep every limit here still take more memory or time than there is: see `readWorkbook`.
 *
 * @param list what to call the file in messages
 * @param sheet name of the sheet; the first one when absent
 */
export async function readXlsx(bytes: Uint8Array, list: Text, sheet?: string): Promise<Table> {
  const unpacked = unpackWorkbook(bytes);
  switch (unpacked.is) {
    case 'damaged':
      return damaged(list, 'INVALID_ZIP');
    case 'open_document': {
      const problem = messageFor('defect.openDocument', { list });
      return unreadableTable('xlsx', { problem, remedy: messageFor('remedy.chooseListFile') });
    }
    case 'too_large':
      return tooLarge(list);
    case 'too_many':
      return unreadableTable('xlsx', unpacked.of === 'rows' ? tooManyRows : tooManyColumns);
    case 'workbook':
      break;
  }
  const { sheets, archive } = unpacked;
  const place = sheet === undefined ? 0 : sheets.indexOf(sheet);
  const name = sheets[place];
  if (name === undefined) {
    const problem = messageFor('defect.noSheet', { list, sheet: sheet ?? '' });
    const remedy = messageFor('remedy.chooseSheet', { sheets });
    return { ...unreadableTable('xlsx', { problem, remedy }, sheet), sheets };
  }
  const rows = await sheetFor(archive, place, list);
  if ('defects' in rows) return rows;
  const sorter = new RecordSorter();
  let size = 0;
  for (const row of rows) {
    const cells = row.map(cellText);
    sorter.take(cells);
    if (sorter.tooWide !== null) return unreadableTable('xlsx', tooManyColumns);
    if (sorter.rowCount > MAX_ROWS) return unreadableTable('xlsx', tooManyRows);
    // A text that many cells share lies in the workbook once, and in the table as often as it is shown.
    size += cells.reduce((sum, cell) => sum + cell.length + CELL_BYTES, 0);
    if (size > MAX_UNPACKED) return tooLarge(list);
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
      return unreadableTable('xlsx', { problem, remedy: messageFor('remedy.correctWorkbookCell') });
    }
    return damaged(list, error instanceof InvalidInputError ? error.code : 'damaged');
  }
}

function tooLarge(list: Text): Table {
  const problem = messageFor('defect.workbookTooLarge', { list, most: MAX_UNPACKED / MB });
  return unreadableTable('xlsx', { problem, remedy: messageFor('remedy.saveAsCsv') });
}

function damaged(list: Text, reason: string): Table {
  const problem = messageFor('defect.workbookDamaged', { list, reason });
  return unreadableTable('xlsx', { problem, remedy: messageFor('remedy.saveWorkbookAgain') });
}

/**
 * A number as spreadsheets show it: 15 digits, so that 0.1 + 0.2 reads 0.3, and no `.0`.
 *
 * @param text the number as the file has it
 */
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
