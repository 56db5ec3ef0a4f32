import { parentPort, workerData } from 'node:worker_threads';
import type { Text } from '../../contract/messages/message.ts';
import type { Table } from './table.ts';
import { readXlsx } from './read-xlsx.ts';

/** All that the thread is given. */
export interface WorkbookRequest {
  readonly bytes: Uint8Array;
  /** What to call the file in messages. */
  readonly list: Text;
  /** Name of the sheet; the first one when absent. */
  readonly sheet: string | undefined;
}

/** The thread's answers: rows, piece by piece, and at the end the rest. */
export type WorkbookPiece = Pick<Table, 'rows' | 'rowNumbers'> | { readonly table: Omit<Table, 'rows' | 'rowNumbers'> };

/** Rows that the engine takes over at a stretch: a few milliseconds of work. */
const ROWS_A_PIECE = 500;

const { bytes, list, sheet } = workerData as WorkbookRequest;
const { rows, rowNumbers, ...table } = await readXlsx(bytes, list, sheet);

let place = 0;
const post = (piece: WorkbookPiece): void => parentPort?.postMessage(piece);

/** Sends one piece for each request, so that little is in memory. */
function postNext(): void {
  if (place >= rows.length) return post({ table });
  const end = place + ROWS_A_PIECE;
  post({ rows: rows.slice(place, end), rowNumbers: rowNumbers.slice(place, end) });
  place = end;
}

parentPort?.on('message', postNext);
postNext();
