import { messageFor, textForLog } from '../../contract/messages/message-for.ts';
import type { Text, Message } from '../../contract/messages/message.ts';

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
  /** What to do next, in one sentence. */
  abstract readonly remedy: Text;
}

/** No key is set, so no request can be sent to the service. */
export class KeyMissingError extends DailiesError {
  readonly code = 'key_missing';
  readonly remedy = messageFor('remedy.setKeyOfService');

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

/** An agent asked for what can be charged, and nobody lets it. */
export const mayNotSpend = (): RefusedError =>
  new RefusedError('agent_may_not_spend', messageFor('failure.agentMayNotSpend'), messageFor('remedy.allowSpend'));

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

/**
 * Codes of a file that is there and cannot be used now: another program has it, the system denies it, or only iCloud has
 * its content. It is never taken for one that is absent.
 */
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

/** For logs. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The text to show for an error: the error's own, else the meaning of its system code, else its message. */
export function textOf(error: unknown): Text {
  if (error instanceof ErrorWithText) return error.text;
  return systemWords(systemCode(error) ?? '')?.text ?? messageOf(error);
}

/** The error to show for a disk or file error, with the file's name if known; null for any other error. */
export function diskTroubleOf(error: unknown): DailiesError | null {
  const words = systemWords(systemCode(error) ?? '');
  if (words === null) return null;
  const file = pathOf(error);
  const text = file === null ? words.text : messageFor('failure.ofFile', { file, reason: words.text });
  return new RefusedError('disk', text, words.remedy, { cause: error });
}

/** The path that Node names in the error. Null for a file that we had opened by its number. */
function pathOf(error: unknown): string | null {
  for (let current: unknown = error; current instanceof Error; current = current.cause) {
    if ('path' in current && typeof current.path === 'string')
      return /^\/(proc|dev)\//.test(current.path) ? null : current.path;
  }
  return null;
}

/** The only place that turns codes of the system and of SQLite into texts, with a remedy; null for an unknown code. */
export function systemWords(code: string): { readonly text: Message; readonly remedy: Message } | null {
  switch (codeOfAll(code)) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'SQLITE_FULL':
      return { text: messageFor('failure.diskFull', { code }), remedy: messageFor('remedy.freeSpace') };
    case 'EROFS':
      return { text: messageFor('failure.diskReadOnly', { code }), remedy: messageFor('remedy.unlockDisk') };
    case 'EACCES':
    case 'EPERM':
      return { text: messageFor('failure.noRight', { code }), remedy: messageFor('remedy.changeRights') };
    case 'SQLITE_READONLY':
    case 'SQLITE_CANTOPEN':
      return { text: messageFor('failure.folderNotWritable', { code }), remedy: messageFor('remedy.changeRights') };
    case 'SQLITE_BUSY':
    case 'SQLITE_LOCKED':
      return { text: messageFor('failure.databaseLocked', { code }), remedy: messageFor('remedy.closeOtherProgram') };
    case 'EBUSY':
    case 'ETXTBSY':
      return { text: messageFor('failure.inUse', { code }), remedy: messageFor('remedy.closeOtherProgram') };
    case 'EMFILE':
    case 'ENFILE':
      return { text: messageFor('failure.tooManyOpen', { code }), remedy: messageFor('remedy.closePrograms') };
    case 'ENOTDIR':
      return { text: messageFor('failure.partIsFile', { code }), remedy: messageFor('remedy.chooseOtherFolder') };
    case 'ENOENT':
      return { text: messageFor('failure.folderOrFileMissing', { code }), remedy: messageFor('remedy.connectDisk') };
    case 'EISDIR':
      return { text: messageFor('failure.isFolder', { code }), remedy: messageFor('remedy.nameFile') };
    case 'EEXIST':
      return { text: messageFor('failure.nameExists', { code }), remedy: messageFor('remedy.chooseOtherName') };
    case 'ENAMETOOLONG':
      return { text: messageFor('failure.fileNameTooLong', { code }), remedy: messageFor('remedy.chooseOtherName') };
    case 'EFBIG':
      return { text: messageFor('failure.fileTooLargeForDisk', { code }), remedy: messageFor('remedy.useOtherDisk') };
    case 'EIO':
    case 'ENXIO':
    case 'ENODEV':
    case 'ESTALE':
    case 'SQLITE_IOERR':
      return { text: messageFor('failure.diskUnreadable', { code }), remedy: messageFor('remedy.checkDisk') };
    default:
      return null;
  }
}

/** SQLite adds a detail to its codes: `SQLITE_IOERR_WRITE`. */
const codeOfAll = (code: string): string => /^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code;
