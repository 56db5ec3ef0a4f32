import { messageFor, textForLog } from '../../contract/messages/message-for.ts';
import type { Text } from '../../contract/messages/message.ts';
import { systemWords } from './system-words.ts';

/** An error that says in one sentence for people what happened. Its `message`, for logs, is in no language. */
export class ErrorWithText extends Error {
  readonly text: Text;

  constructor(text: Text, options?: ErrorOptions) {
    super(textForLog(text), options);
    this.text = text;
  }
}

/**
 * An error that a person can read and act on. Every error the engine throws to its callers on purpose is one; anything
 * else is a defect of ours and is reported as an internal error.
 */
export abstract class DailiesError extends ErrorWithText {
  abstract readonly code: string;
  /** What to do next, in one sentence. */
  abstract readonly remedy: Text;
}

/** Nothing can be asked of the service without a key. */
export class KeyMissingError extends DailiesError {
  readonly code = 'key_missing';
  readonly remedy = messageFor('remedy.setKeyOfService');

  constructor() {
    super(messageFor('failure.noKey'));
  }
}

/** A request that is not possible now. Nothing was changed. */
export class RefusedError extends DailiesError {
  readonly code: string;
  readonly remedy: Text;

  constructor(code: string, text: Text, remedy: Text, options?: ErrorOptions) {
    super(text, options);
    this.code = code;
    this.remedy = remedy;
  }
}

/** The database could not be opened, read or written. Nothing is sent once this was seen. */
export class DatabaseError extends DailiesError {
  readonly code: string = 'database';
  readonly remedy: Text;

  constructor(text: Text, remedy: Text, options?: ErrorOptions) {
    super(text, options);
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

/** For logs. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** For people: what an error of ours says, what the system means by its code, or the words of another error. */
export function textOf(error: unknown): Text {
  if (error instanceof ErrorWithText) return error.text;
  return systemWords(systemCode(error) ?? '')?.text ?? messageOf(error);
}

/** The error of a disk or a file, for people, with the file where it is known; null when it was neither. */
export function diskTroubleOf(error: unknown): DailiesError | null {
  const words = systemWords(systemCode(error) ?? '');
  if (words === null) return null;
  const file = pathOf(error);
  const text = file === null ? words.text : messageFor('failure.ofFile', { file, reason: words.text });
  return new RefusedError('disk', text, words.remedy, { cause: error });
}

/** The file that Node says it failed of; null also for one that we had open by a number. */
function pathOf(error: unknown): string | null {
  for (let current: unknown = error; current instanceof Error; current = current.cause) {
    if ('path' in current && typeof current.path === 'string')
      return /^\/(proc|dev)\//.test(current.path) ? null : current.path;
  }
  return null;
}
