import { accessSync, constants, statSync } from 'node:fs';
import { statfs, realpath } from 'node:fs/promises';
import { dirname, basename, delimiter, isAbsolute, join, resolve } from 'node:path';
import { messageFor } from '../../contract/messages/message.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { systemCode, refused } from '../base/errors.ts';

/** Bytes free for this user on the file system of `path`, or of its nearest existing parent. */
export async function freeBytes(path: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(path, { bigint: true });
    return Number(bavail * bsize);
  } catch (error) {
    const parent = dirname(path);
    const absent = ['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '');
    if (!absent || parent === path) throw error;
    return freeBytes(parent);
  }
}

/** Throws RefusedError if a copy of so many bytes does not fit on the disk of a folder. A disk that does not say may. */
export async function requireRoom(folder: string, bytes: number): Promise<void> {
  const free = await freeBytes(folder).catch(() => Infinity);
  if (bytes <= free) return;
  const sizes = { needed: bytesForPeople(bytes), free: bytesForPeople(free) };
  throw refused('no_room', messageFor('failure.noRoom', { folder, ...sizes }), 'remedy.otherFolderOrSpace');
}

/** The canonical path, however it is written. If it does not exist yet, the nearest existing parent is resolved. */
export async function realPath(path: string): Promise<string> {
  const place = resolve(path);
  try {
    return await realpath(place);
  } catch {
    const parent = dirname(place);
    return parent === place ? place : join(await realPath(parent), basename(place));
  }
}

/** A path from the top of the disk, tidied: there is no working folder that a person in a window would know of. */
export function wholePath(path: string): string {
  if (isAbsolute(path) && !path.includes('\0')) return resolve(path);
  throw refused('bad_folder', 'failure.notFullPath', 'remedy.giveFullPath');
}

/** An `ffmpeg` on the PATH; null where there is none. Folders that are relative are passed over. */
export function findFfmpeg(env: Readonly<Record<string, string | undefined>>): string | null {
  const name = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg';
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
