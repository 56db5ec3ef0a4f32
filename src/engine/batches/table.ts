import { MAX_ROWS } from '../../contract/draft-list.ts';
import { statusColumn } from '../../contract/status-columns.ts';
import { asProblem, messageFor } from '../../contract/messages/message-for.ts';
import type { Problem, Defect } from '../../contract/shot.ts';

/** A shot list as written: all cells are text, and nothing is checked yet. */
export interface Table {
  readonly format: 'csv' | 'xlsx';
  /** Encoding the text was read in, for example `utf-8`; null for a workbook. */
  readonly encoding: string | null;
  /** What separates cells; null for a workbook. */
  readonly delimiter: string | null;
  /** Sheet that was read, and all there are; null and empty for text. */
  readonly sheet: string | null;
  readonly sheets: readonly string[];
  readonly headers: readonly string[];
  /** Row of the headers as a spreadsheet numbers it: 1, unless empty rows come before it. */
  readonly headerRow: number;
  /** Rows below the header that hold anything, each with as many cells as were written. */
  readonly rows: readonly (readonly string[])[];
  /** Row of each of `rows` as a spreadsheet numbers it, so a cell with line breaks counts once. */
  readonly rowNumbers: readonly number[];
  readonly emptyRows: number;
  /** Defects of the file itself. With an error among them, the rows cannot be trusted. */
  readonly defects: readonly Defect[];
}

/** The list as its person wrote it: the columns that we once added say nothing of its shots. Pure. */
export function withoutStatus(table: Table): Table {
  const ours = new Set(table.headers.flatMap((header, index) => (statusColumn(header) === null ? [] : [index])));
  if (ours.size === 0) return table;
  const own = (cells: readonly string[]): string[] => cells.filter((_cell, index) => !ours.has(index));
  return { ...table, headers: own(table.headers), rows: table.rows.map(own) };
}

const nothingRead: Table = {
  format: 'csv',
  encoding: null,
  delimiter: null,
  sheet: null,
  sheets: [],
  headers: [],
  headerRow: 1,
  rows: [],
  rowNumbers: [],
  emptyRows: 0,
  defects: [],
};

export const tableOfRow = (headers: readonly string[], cells: readonly string[]): Table => ({
  ...nothingRead,
  headers,
  rows: [cells],
  rowNumbers: [2],
});

export function unreadableTable(format: Table['format'], complaint: Problem, value = ''): Table {
  return { ...nothingRead, format, defects: [{ severity: 'error', row: 0, column: '', value, ...complaint }] };
}

export const MAX_BYTES = 200 * 1000 ** 2;
const MAX_COLUMNS = 16_384;

export const splitIt = messageFor('remedy.splitList');
export const tooManyRows = asProblem(messageFor('defect.tooManyRows', { most: MAX_ROWS }), splitIt);
export const tooManyColumns = asProblem(messageFor('defect.rowTooWide', { most: MAX_COLUMNS }), 'remedy.fewerColumns');

export type Records = Pick<Table, 'headers' | 'headerRow' | 'rows' | 'rowNumbers' | 'emptyRows'>;

export class RecordSorter {
  readonly rows: (readonly string[])[] = [];
  /** The row with more cells than a list may have. */
  tooWide: number | null = null;
  nextRow = 1;
  private headers: readonly string[] | null = null;
  private headerRow = 1;
  private readonly rowNumbers: number[] = [];
  private lastFilled = 0;

  take(record: readonly string[]): void {
    const row = this.nextRow;
    this.nextRow += 1;
    if (record.length > MAX_COLUMNS) this.tooWide ??= row;
    if (record.every(isBlank)) return;
    this.lastFilled = row;
    if (this.headers === null) {
      this.headers = record;
      this.headerRow = row;
      return;
    }
    this.rows.push(record);
    this.rowNumbers.push(row);
  }

  records(): Records {
    const { headerRow, rows, rowNumbers } = this;
    // Empty records after the last filled one are line breaks at the end of the file, not rows.
    const emptyRows = this.headers === null ? 0 : this.lastFilled - headerRow - rows.length;
    return { headers: this.headers ?? [], headerRow, rows, rowNumbers, emptyRows };
  }
}

function isBlank(cell: string): boolean {
  return cell === '' || cell.trim() === '';
}
