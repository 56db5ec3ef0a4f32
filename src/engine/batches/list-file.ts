import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute } from 'node:path';
import { messageFor, type Message } from '../../contract/messages/message.ts';
import { MB } from '../../contract/units.ts';
import { systemCode, toText, refused, RefusedError } from '../base/errors.ts';
import { MAX_BYTES, splitIt } from './table.ts';

/** Extensions of shot lists; for `.xls` and `.ods` the reader says what to do. */
export const LIST_ENDINGS: readonly string[] = ['.csv', '.tsv', '.txt', '.xlsx', '.xls', '.ods'];

export interface ListFile {
  readonly name: string;
  /** Absolute; local paths in the list start there. */
  readonly folder: string;
  readonly bytes: Uint8Array;
}

/** Reads a shot list where it lies on this machine. Throws RefusedError for anything that is none. */
export async function readListFile(path: string): Promise<ListFile> {
  const name = basename(path);
  if (!isAbsolute(path) || path.includes('\0')) {
    throw badList(messageFor('failure.notFullPath'), CHOOSE_AGAIN);
  }
  if (!LIST_ENDINGS.includes(extname(name).toLowerCase())) {
    throw badList(messageFor('failure.notAList', { name }), CHOOSE_FILE);
  }
  let handle: FileHandle | null = null;
  try {
    // A pipe would keep us waiting for a writer.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const facts = await handle.stat();
    if (!facts.isFile()) throw badList(messageFor('failure.notAFile', { file: name }), CHOOSE_FILE);
    if (facts.size > MAX_BYTES) {
      throw badList(messageFor('defect.listTooLarge', { list: name, most: MAX_BYTES / MB }), splitIt);
    }
    return { name, folder: dirname(path), bytes: await handle.readFile() };
  } catch (error) {
    if (error instanceof RefusedError) throw error;
    const isGone = systemCode(error) === 'ENOENT';
    const text = isGone
      ? messageFor('failure.noSuchFile', { file: name })
      : messageFor('failure.fileUnreadable', { file: name, reason: toText(error) });
    throw badList(text, CHOOSE_AGAIN, { cause: error });
  } finally {
    await handle?.close();
  }
}

const CHOOSE_AGAIN = messageFor('remedy.openListAgain');
const CHOOSE_FILE = messageFor('remedy.chooseListFile');

const badList = (text: Message, remedy: Message, options?: ErrorOptions): RefusedError =>
  refused('bad_list', text, remedy, options);
