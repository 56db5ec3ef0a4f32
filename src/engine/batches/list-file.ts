import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute } from 'node:path';
import { messageOf, RefusedError, systemCode } from '../base/errors.ts';
import { MAX_BYTES } from './table.ts';

/** What a shot list's name ends with; of `.xls` and `.ods` the reader says what to do about it. */
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
    throw new RefusedError('bad_list', 'This is not the whole path of a file.', 'Choose the list again.');
  }
  if (!LIST_ENDINGS.includes(extname(name).toLowerCase())) {
    throw new RefusedError('bad_list', `${name} is no shot list.`, 'Choose a CSV, TSV or XLSX file.');
  }
  let handle: FileHandle | null = null;
  try {
    // A pipe would keep us waiting for a writer.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const facts = await handle.stat();
    if (!facts.isFile())
      throw new RefusedError('bad_list', `${name} is not a file.`, 'Choose a CSV, TSV or XLSX file.');
    if (facts.size > MAX_BYTES) {
      throw new RefusedError('bad_list', `${name} is larger than 200 MB.`, 'Split it into several lists.');
    }
    return { name, folder: dirname(path), bytes: await handle.readFile() };
  } catch (error) {
    if (error instanceof RefusedError) throw error;
    const code = systemCode(error) ?? '';
    const why =
      code === 'ENOENT' ? 'it is not there any more' : code === 'EACCES' ? 'you may not read it' : messageOf(error);
    throw new RefusedError('bad_list', `${name} cannot be read: ${why}.`, 'Choose the list again.', { cause: error });
  } finally {
    await handle?.close();
  }
}
