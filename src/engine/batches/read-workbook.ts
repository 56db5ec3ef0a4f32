import { Worker } from 'node:worker_threads';
import { messageFor, type Message, type Text } from '../../contract/messages/message.ts';
import { messageOf, systemCode } from '../base/errors.ts';
import { threadFile } from '../base/thread-file.ts';
import { unreadableTable } from './table.ts';
import type { Table } from './table.ts';
import type { WorkbookPiece, WorkbookRequest } from './workbook-thread.ts';

/** Every zip archive, so every workbook, begins with it. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 0x03 || bytes[2] === 0x05);
}

/** Workbooks of Excel before 2007, and password-protected newer ones. */
export function isOldWorkbook(bytes: Uint8Array): boolean {
  return [0xd0, 0xcf, 0x11, 0xe0].every((byte, place) => bytes[place] === byte);
}

export interface WorkbookLimits {
  /** Memory for the objects made of the workbook, MB. */
  readonly heapMb: number;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

const HEAP_MB = 1024;
const TIME_LIMIT_MS = 60_000;
const usualLimits = (): WorkbookLimits => ({ heapMb: HEAP_MB, signal: AbortSignal.timeout(TIME_LIMIT_MS) });

/**
 * Reads one sheet of a workbook in its own thread, with limits of memory and time and an empty environment. However the
 * thread ends, the answer is a table: with rows, or with a defect.
 */
export async function readWorkbook(request: WorkbookRequest, limits = usualLimits()): Promise<Table> {
  // A copy, since a buffer of Node.js may share its memory with others, and would be handed over with all of it.
  const bytes = new Uint8Array(request.bytes);
  const thread = new Worker(threadFile('workbook-thread', import.meta.url), {
    name: 'workbook',
    workerData: { ...request, bytes },
    transferList: [bytes.buffer],
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: limits.heapMb },
  });
  try {
    return await tableFrom(thread, request.list, limits.signal);
  } finally {
    await thread.terminate();
  }
}

function tableFrom(thread: Worker, list: Text, signal: AbortSignal): Promise<Table> {
  const rows: (readonly string[])[] = [];
  const rowNumbers: number[] = [];
  return new Promise((resolve) => {
    thread.on('message', (piece: WorkbookPiece) => {
      if ('table' in piece) return resolve({ ...piece.table, rows, rowNumbers });
      rows.push(...piece.rows);
      rowNumbers.push(...piece.rowNumbers);
      thread.postMessage('next');
    });
    const giveUp = (problem: Message) =>
      resolve(unreadableTable('xlsx', { problem, remedy: messageFor('remedy.saveAsCsv') }));
    const tooSlow = () => giveUp(messageFor('defect.workbookTooSlow', { list }));
    thread.on('error', (error) => {
      if (systemCode(error) === 'ERR_WORKER_OUT_OF_MEMORY') giveUp(messageFor('defect.workbookTooMuch', { list }));
      else giveUp(messageFor('defect.workbookUnreadable', { list, reason: messageOf(error) }));
    });
    thread.on('exit', (status) => giveUp(messageFor('defect.readerEnded', { list, status: String(status) })));
    if (signal.aborted) tooSlow();
    else signal.addEventListener('abort', tooSlow, { once: true });
  });
}
