import { messageFor, type Text } from '../../contract/messages/message.ts';
import type { Output } from '../../contract/take.ts';
import { TRASH_FOLDER } from '../../contract/trash.ts';
import { ErrorWithText, systemCode, toText } from '../base/errors.ts';
import type { BatchStore } from '../db/batch-store.ts';
import { canNameAFile } from '../files/json-files.ts';

/** A file of the folder contains something impossible: it may come from anyone. */
export class ForeignFileError extends ErrorWithText {}

/** Runs `adopt` as a whole or not at all. Returns why it was refused, if it was. */
export function refusedBy(batches: BatchStore, adopt: () => void): Text | null {
  try {
    batches.inOneCommit(adopt);
    return null;
  } catch (error) {
    const isTheirs = error instanceof ForeignFileError || systemCode(error)?.startsWith('SQLITE_CONSTRAINT') === true;
    if (!isTheirs) throw error;
    return toText(error);
  }
}

/** Partial downloads, answers and recipes use the id as a file name. */
export function requireOwnName(id: string): void {
  if (!canNameAFile(id)) throw new ForeignFileError(messageFor('failure.foreignId', { id }));
}

/** A path below the project folder that is not in our own folder. */
export const staysInside = (path: string): boolean =>
  path.split(/[/\\]/).every((part) => !['', '.', '..', '.dailies'].includes(part.toLowerCase()) && !part.includes(':'));

/**
 * Where a file of a take lies in the trash, relative to the project folder. Its name follows from what it is, never from
 * what a folder says of it: a recipe that came from elsewhere cannot have another file removed.
 */
export function trashFile(takeId: string, { number, format }: Pick<Output, 'number' | 'format'>): string {
  if (!canNameAFile(takeId)) throw new Error(`"${takeId}" cannot be the name of a file.`);
  return `${TRASH_FOLDER}/${takeId}.${String(number)}.${format}`;
}
