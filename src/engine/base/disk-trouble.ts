import { RefusedError, systemCode, type DailiesError } from './errors.ts';

/** What the disk said, in words for people; null when it was not the disk. */
export function diskTroubleOf(error: unknown): DailiesError | null {
  const code = systemCode(error) ?? '';
  const told = Object.entries(DISK_TROUBLES).find(([codes]) => codes.split(' ').some((each) => code.startsWith(each)));
  return told ? new RefusedError('disk', ...told[1], { cause: error }) : null;
}

/** Message and remedy by the codes of the system and of SQLite. */
const DISK_TROUBLES: Readonly<Record<string, readonly [message: string, remedy: string]>> = {
  'ENOSPC EDQUOT SQLITE_FULL': ['The disk is full.', 'Make room on it; nothing that was saved is lost.'],
  'EACCES EPERM EROFS SQLITE_READONLY SQLITE_CANTOPEN': [
    'The folder may not be written.',
    'Give yourself the right to write there.',
  ],
  SQLITE_BUSY: [
    'Another program has locked the database of Dailies.',
    'Close it, then ask for the same once more; what was stored before goes on.',
  ],
  'ENOENT ENOTDIR': ['A folder or file that is needed is not there.', 'Plug its disk in, or put it back where it was.'],
  'EIO SQLITE_IOERR': ['The disk cannot be read or written.', 'Check its connection, and copy what it holds.'],
};
