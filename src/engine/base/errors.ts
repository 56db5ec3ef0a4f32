import { asMessage, messageFor, textForLog } from '../../contract/messages/message-for.ts';
import type { Text, Message, PlainKey } from '../../contract/messages/message.ts';

/** An error with a text for people that says what happened. Its `message` is for logs and is in no language. */
export class ErrorWithText extends Error {
  readonly text: Text;

  constructor(text: Text, options?: ErrorOptions) {
    super(textForLog(text), options);
    this.text = text;
  }
}

/**
 * An error that a person can read and act on. Every error that the engine throws to its callers on purpose is a
 * DailiesError. Any other is our defect and is reported as an internal error.
 */
export abstract class DailiesError extends ErrorWithText {
  abstract readonly code: string;
  abstract readonly remedy: Text;
}

export class KeyMissingError extends DailiesError {
  readonly code = 'key_missing';
  readonly remedy = messageFor('remedy.setKeyAndRunAgain');

  constructor() {
    super(messageFor('failure.noKey'));
  }
}

/** The request cannot be done now. Nothing was changed. */
export class RefusedError extends DailiesError {
  readonly code: string;
  readonly remedy: Text;

  constructor(code: string, text: Text, remedy: Text, options?: ErrorOptions) {
    super(text, options);
    this.code = code;
    this.remedy = remedy;
  }
}

/**
 * A refusal in the words of the deck: what happened, and what to do, where the first text does not say it. A text without
 * facts is named by its key.
 */
export function refused(
  code: string,
  failure: Message | PlainKey,
  remedy: Message | PlainKey | '' = '',
  options?: ErrorOptions,
): RefusedError {
  return new RefusedError(code, asMessage(failure), remedy === '' ? '' : asMessage(remedy), options);
}

/** An agent asked for what can be charged, and nobody lets it. */
export const mayNotSpend = (): RefusedError => refused('agent_may_not_spend', 'failure.agentMayNotSpend');

/** The database could not be opened, read or written. Nothing is sent after this. */
export class DatabaseError extends DailiesError {
  readonly code: string = 'database';
  readonly remedy: Text;

  constructor(text: Text, remedy: Text, options?: ErrorOptions) {
    super(text, options);
    this.remedy = remedy;
  }
}

/** A newer release wrote the database, so this one cannot read it. It was left unchanged. */
export class NewerDatabaseError extends DatabaseError {
  override readonly code = 'newer_database';
}

/** Codes of a disk that is there but cannot be written now: it is full, over a quota or read-only. */
export const DISK_CLOSED: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

/** Codes of a file that is there but unusable now: held by a program, denied, or in iCloud. Never taken for absent. */
export const FILE_HELD: ReadonlySet<string> = new Set(['EBUSY', 'EPERM', 'EACCES', 'file_in_cloud']);

/** Whether an error says that a file is there and cannot be used now. */
export const isFileHeld = (error: unknown): boolean => FILE_HELD.has(systemCode(error) ?? '');

/** Node's error code (`ENOSPC`, `ECONNREFUSED`, …) of an error, or of its nearest cause with a code. */
export function systemCode(error: unknown): string | undefined {
  for (let current: unknown = error; current instanceof Error; current = current.cause) {
    if ('code' in current && typeof current.code === 'string') return current.code;
  }
  return undefined;
}

export function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The text to show for an error: the error's own, else the meaning of its system code, else its message. */
export function toText(error: unknown): Text {
  if (error instanceof ErrorWithText) return error.text;
  return systemWords(systemCode(error) ?? '')?.text ?? toMessage(error);
}

/** The error to show for a disk or file error, with the file's name if known; null for any other error. */
export function toDiskTrouble(error: unknown): DailiesError | null {
  const words = systemWords(systemCode(error) ?? '');
  if (words === null) return null;
  const file = toPath(error);
  const text = file === null ? words.text : messageFor('common.namedValue', { name: file, value: words.text });
  return new RefusedError('disk', text, words.remedy, { cause: error });
}

/** The path that Node names in the error. Null for a file that we had opened by its number. */
function toPath(error: unknown): string | null {
  for (let current: unknown = error; current instanceof Error; current = current.cause) {
    if ('path' in current && typeof current.path === 'string')
      return /^\/(proc|dev)\//.test(current.path) ? null : current.path;
  }
  return null;
}

/** The only place that turns codes of the system and of SQLite into texts, with a remedy. */
const SYSTEM_WORDS = [
  [['ENOSPC', 'EDQUOT', 'SQLITE_FULL'], 'failure.diskFull', 'remedy.freeSpace'],
  [['EROFS'], 'failure.diskReadOnly', 'remedy.unlockDisk'],
  [['EACCES', 'EPERM'], 'failure.noRight', 'remedy.checkPermissions'],
  [['SQLITE_READONLY', 'SQLITE_CANTOPEN'], 'failure.folderNotWritable', 'remedy.checkPermissions'],
  [['SQLITE_BUSY', 'SQLITE_LOCKED'], 'failure.databaseLocked', 'remedy.closeOtherProgram'],
  [['EBUSY', 'ETXTBSY'], 'failure.inUse', 'remedy.closeOtherProgram'],
  [['EMFILE', 'ENFILE'], 'failure.tooManyOpen', 'remedy.closeOtherProgram'],
  [['ENOTDIR'], 'failure.partIsFile', 'remedy.chooseOtherFolder'],
  [['ENOENT'], 'failure.folderOrFileMissing', 'remedy.connectDisk'],
  [['EISDIR'], 'failure.isFolder', 'remedy.nameFile'],
  [['EEXIST'], 'failure.nameExists', 'remedy.chooseOtherName'],
  [['ENAMETOOLONG'], 'failure.fileNameTooLong', 'remedy.chooseOtherName'],
  [['EFBIG'], 'failure.fileTooLargeForDisk', 'remedy.useOtherDisk'],
  [['EIO', 'ENXIO', 'ENODEV', 'ESTALE', 'SQLITE_IOERR'], 'failure.diskUnreadable', 'remedy.checkDisk'],
] as const;

/** Null for an unknown code. SQLite adds a detail to its codes: `SQLITE_IOERR_WRITE`. */
function systemWords(code: string): { readonly text: Message; readonly remedy: Message } | null {
  const plain = /^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code;
  const [, text, remedy] = SYSTEM_WORDS.find(([codes]) => codes.some((each) => each === plain)) ?? [];
  return text && remedy ? { text: messageFor(text, { code }), remedy: messageFor(remedy) } : null;
}
