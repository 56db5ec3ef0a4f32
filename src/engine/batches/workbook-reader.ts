import { serveReader } from '../base/serve-reader.ts';
import type { Text } from '../../contract/messages/message.ts';
import { editXlsx, type EditRequest } from './edit-xlsx.ts';
import { readXlsx } from './read-xlsx.ts';
import type { Table } from './table.ts';

export interface WorkbookRequest {
  readonly bytes: Uint8Array;
  readonly list: Text;
  readonly sheet: string | undefined;
}

const ROWS_A_PIECE = 500;

/**
 * The pieces of what was read: tables with some of the rows; all else is the same in each of them. What was edited is one
 * piece, the workbook.
 */
serveReader<WorkbookRequest | EditRequest>(async function* (request): AsyncGenerator<Table | Uint8Array> {
  if ('edits' in request) return yield editXlsx(request);
  const { bytes, list, sheet } = request;
  const { rows, rowNumbers, ...table } = await readXlsx(bytes, list, sheet);
  for (let place = 0; place === 0 || place < rows.length; place += ROWS_A_PIECE) {
    const end = place + ROWS_A_PIECE;
    yield { ...table, rows: rows.slice(place, end), rowNumbers: rowNumbers.slice(place, end) };
  }
});
