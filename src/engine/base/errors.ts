/**
 * An error that already knows how to be told to a person. Every error the engine throws on purpose is one;
 * anything else is a defect of ours and is reported as an internal error.
 */
export abstract class DailiesError extends Error {
  abstract readonly code: string;
  /** What to do next, in one sentence. */
  abstract readonly remedy: string;
}

/** Nothing can be asked of the service without a key. */
export class KeyMissingError extends DailiesError {
  readonly code = 'key_missing';
  readonly remedy = 'Set the key of your account.';

  constructor() {
    super('No key is set for this service.');
  }
}

/** A request that is not possible now. Nothing was changed. */
export class RefusedError extends DailiesError {
  readonly code: string;
  readonly remedy: string;

  constructor(code: string, message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.remedy = remedy;
  }
}

/** The database could not be opened, read or written. Nothing is sent once this was seen. */
export class DatabaseError extends DailiesError {
  readonly code: string = 'database';
  readonly remedy: string;

  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.remedy = remedy;
  }
}

/** The database was written by a newer release, which alone knows how to read it. It was left as it is. */
export class NewerDatabaseError extends DatabaseError {
  override readonly code = 'newer_database';
}

/** A disk that takes nothing at the moment, though it is there: full, over a quota, or read-only. */
export const DISK_CLOSED: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

/** Node's error code (`ENOSPC`, `ECONNREFUSED`, …) of an error or of its nearest cause that has one. */
export function systemCode(error: unknown): string | undefined {
  for (let current: unknown = error; current instanceof Error; current = current.cause) {
    if ('code' in current && typeof current.code === 'string') return current.code;
  }
  return undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The error of a disk, for people; null when it was not the disk. */
export function diskTroubleOf(error: unknown): DailiesError | null {
  const code = systemCode(error) ?? '';
  const told = Object.entries(DISK_TROUBLES).find(([codes]) => codes.split(' ').some((each) => code.startsWith(each)));
  return told ? new RefusedError('disk', ...told[1], { cause: error }) : null;
}

/** Message and remedy by the codes of the system and of SQLite. */
const DISK_TROUBLES: Readonly<Record<string, readonly [message: string, remedy: string]>> = {
  'ENOSPC EDQUOT SQLITE_FULL': ['The disk is full.', 'Free some space; nothing that was saved is lost.'],
  'EACCES EPERM EROFS SQLITE_READONLY SQLITE_CANTOPEN': [
    'Dailies may not write to the folder.',
    'Change the rights of the folder.',
  ],
  SQLITE_BUSY: [
    'Another program has locked the database of Dailies.',
    'Close it, then repeat the action. What was stored before continues.',
  ],
  'ENOENT ENOTDIR': ['A required folder or file is missing.', 'Connect its disk, or put it back where it was.'],
  'EIO SQLITE_IOERR': ['The disk cannot be read or written.', 'Check its connection, and copy its files.'],
};
