import { serveReader } from '../base/serve-reader.ts';
import type { Text } from '../../contract/messages/message.ts';
import { readXlsx } from './read-xlsx.ts';
import type { Table } from './table.ts';

export interface WorkbookRequest {
  readonly bytes: Uint8Array;
  readonly list: Text;
  readonly sheet: string | undefined;
}

const ROWS_A_PIECE = 500;

/** The pieces: tables with some of the rows. All else is the same in each of them. */
serveReader<WorkbookRequest>(async function* ({ bytes, list, sheet }): AsyncGenerator<Table> {
  const { rows, rowNumbers, ...table } = await readXlsx(bytes, list, sheet);
  for (let place = 0; place === 0 || place < rows.length; place += ROWS_A_PIECE) {
    const end = place + ROWS_A_PIECE;
    yield { ...table, rows: rows.slice(place, end), rowNumbers: rowNumbers.slice(place, end) };
  }
});
