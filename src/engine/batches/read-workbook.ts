import { messageFor, type Message, type Text } from '../../contract/messages/message.ts';
import { toMessage } from '../base/errors.ts';
import { readApart, ReaderEndedError } from '../base/reader-process.ts';
import { threadFile } from '../base/reader-process.ts';
import { unreadableTable } from './table.ts';
import type { Table } from './table.ts';
import type { WorkbookRequest } from './workbook-reader.ts';

export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 0x03 || bytes[2] === 0x05);
}

/** Workbooks of Excel before 2007, and password-protected newer ones. */
export function isOldWorkbook(bytes: Uint8Array): boolean {
  return [0xd0, 0xcf, 0x11, 0xe0].every((byte, place) => bytes[place] === byte);
}

/** Far longer than a list takes, ms. */
const TIME_LIMIT_MS = 30_000;
const usualLimit = (): AbortSignal => AbortSignal.timeout(TIME_LIMIT_MS);

/** Reads a sheet in a process of its own, bounded in memory and time. The answer is a table, of rows or of a defect. */
export async function readWorkbook(request: WorkbookRequest, limit = usualLimit): Promise<Table> {
  const { list } = request;
  const rows: (readonly string[])[] = [];
  const rowNumbers: number[] = [];
  const take = (piece: Table): void => {
    rows.push(...piece.rows);
    rowNumbers.push(...piece.rowNumbers);
  };
  try {
    const entry = threadFile('workbook-reader', import.meta.url);
    const last = await readApart(entry, request, limit, take);
    take(last);
    return { ...last, rows, rowNumbers };
  } catch (error) {
    return unreadableTable('xlsx', { problem: problemFor(error, list), remedy: messageFor('remedy.saveAsCsv') });
  }
}

function problemFor(error: unknown, list: Text): Message {
  if (error instanceof ReaderEndedError) return messageFor('defect.workbookTooMuch', { list });
  if (error instanceof DOMException) return messageFor('defect.workbookTooSlow', { list });
  return messageFor('defect.workbookUnreadable', { list, reason: toMessage(error) });
}
