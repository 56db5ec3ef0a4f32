import { mkdirSync, statSync } from 'node:fs';
import { messageOf, RefusedError, systemCode } from '../engine/base/errors.ts';
import { wholePath } from '../server/folders.ts';

/** Settings that name a folder. Empty, they are at their default. */
export const folderSettings = ['projectsFolder', 'selectsFolder'] as const;

/**
 * The folder that a setting is to name, its path tidied. Made now when it is not there, so that the dialogue that proposes
 * it can begin in it. Throws RefusedError.
 */
export function madeFolder(path: string): string {
  const folder = wholePath(path);
  try {
    // One that is there is left alone: some systems refuse to be asked for the top of a disk.
    if (!isFolder(folder)) mkdirSync(folder, { recursive: true });
    return folder;
  } catch (error) {
    throw new RefusedError(
      'bad_folder',
      `${folder} is not there and cannot be made: ${reasonOf(error)}.`,
      'Choose another folder.',
      { cause: error },
    );
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'there is a file in its place',
  ENOTDIR: 'there is a file on the way to it',
  ENOENT: 'the disk is not there',
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'that disk can only be read',
  ENOSPC: 'that disk is full',
  ENAMETOOLONG: 'its name is too long',
};

const reasonOf = (error: unknown): string => reasons[systemCode(error) ?? ''] ?? messageOf(error);
