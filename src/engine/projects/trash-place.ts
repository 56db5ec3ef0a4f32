import type { Output } from '../../contract/take.ts';
import { TRASH_FOLDER } from '../../contract/trash.ts';
import { canNameAFile } from '../files/json-files.ts';

/**
 * Where a file of a take lies in the trash, relative to the project folder. Its name follows from what it is, never from
 * what a folder says of it: a recipe that came from elsewhere cannot have another file removed.
 */
export function trashFile(takeId: string, { number, format }: Pick<Output, 'number' | 'format'>): string {
  if (!canNameAFile(takeId)) throw new Error(`"${takeId}" cannot be the name of a file.`);
  return `${TRASH_FOLDER}/${takeId}.${String(number)}.${format}`;
}
