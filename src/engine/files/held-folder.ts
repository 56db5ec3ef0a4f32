import { closeSync, constants, existsSync, fsync, open as openFile, readlinkSync } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemCode } from '../base/errors.ts';
import { notOurs, toPath, type Place } from './place.ts';

export interface HeldFolder {
  /** A path to `name` in this very folder. It is valid only while the work runs. */
  at(name: string): string;
  /** Makes created, moved and removed names durable. False where the system cannot sync folders, as Windows. */
  sync(): Promise<boolean>;
}

/** Runs `work` in the folder at a place. Rejects with ProjectFileError if a folder in the path is not a real folder. */
export type HoldFolder = <Result>(place: Place, work: (folder: HeldFolder) => Promise<Result>) => Promise<Result>;

const OWN_FOLDERS = '/proc/self/fd';
const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0);
const NO_LINK = FOLDER | (constants.O_NOFOLLOW ?? 0);

// Numbers instead of handles: closing one synchronously costs a hundredth of closing it on another thread. It does not
// block, because a folder that was only read has nothing to write.
const openNumber = promisify(openFile);

/**
 * The folder stays open during the work, and no link below the project's own folder was followed to reach it. The work
 * happens in that open folder, even if another program moves it or puts a link in its place. Only Linux shows open
 * folders as paths in the file system.
 */
export const holdByHandle: HoldFolder = async (place, work) => {
  const fd = (await openByCachedPath(place)) ?? (await openStepByStep(place));
  try {
    return await work({ at: (name) => `${OWN_FOLDERS}/${fd}/${name}`, sync: () => synced(promisify(fsync)(fd)) });
  } catch (error) {
    throw withPath(error, `${OWN_FOLDERS}/${fd}/`, join(toPath(place), '/'));
  } finally {
    closeSync(fd);
  }
};

/** Where each project's folder was when it was last opened step by step, without links. */
const realPaths = new Map<string, string>();

/**
 * Opens a folder by its whole path, then asks the system where the open folder is. If that is the project's folder plus
 * the names asked for, no link was followed. Null if not, or if it cannot be opened.
 */
async function openByCachedPath(place: Place): Promise<number | null> {
  const project = realPaths.get(place.project);
  if (project === undefined || place.names.length === 0) return null;
  const fd = await openNumber(toPath(place), NO_LINK).catch(() => null);
  if (fd === null || whereIs(fd) === join(project, ...place.names)) return fd;
  closeSync(fd);
  return null;
}

/** Opens each folder inside the one before it, and follows no link. */
async function openStepByStep(place: Place): Promise<number> {
  let fd = await openFolder(place, 0, place.project);
  const project = whereIs(fd);
  if (project !== null) realPaths.set(place.project, project);
  for (const [index, name] of place.names.entries()) {
    const outer = fd;
    try {
      fd = await openFolder(place, index + 1, `${OWN_FOLDERS}/${outer}/${name}`);
    } finally {
      closeSync(outer);
    }
  }
  return fd;
}

/** The current path of an open folder; null if it is too long to read. */
function whereIs(fd: number): string | null {
  try {
    return readlinkSync(`${OWN_FOLDERS}/${fd}`);
  } catch {
    return null;
  }
}

/** On other systems, checks each folder of the path first. See `docs/explanation/security.md` for the gap this leaves. */
export const holdByPath: HoldFolder = async (place, work) => {
  for (let depth = 1; depth <= place.names.length; depth += 1) {
    const way = { ...place, names: place.names.slice(0, depth) };
    const found = await lstat(toPath(way));
    if (!found.isDirectory()) throw notOurs(way, found, 'folder');
  }
  const folder = toPath(place);
  return work({ at: (name) => join(folder, name), sync: () => syncFolderAt(folder) });
};

/** Node.js with `--permission` may refuse the check. On Windows, anybody may make a folder of this name. */
function showsOpenFolders(): boolean {
  try {
    return process.platform === 'linux' && existsSync(OWN_FOLDERS);
  } catch {
    return false;
  }
}

export const holdFolder: HoldFolder = showsOpenFolders() ? holdByHandle : holdByPath;

/** A path to the very file that is open, for APIs that take no handle; on other systems than Linux, its normal path. */
export const pathOfHandle = (fd: number, path: string): string =>
  holdFolder === holdByHandle ? `${OWN_FOLDERS}/${fd}` : path;

/** The project's folder itself (depth 0) may be a link, because the person chose it. */
async function openFolder(place: Place, depth: number, path: string): Promise<number> {
  try {
    return await openNumber(path, depth === 0 ? FOLDER : NO_LINK);
  } catch (error) {
    const way = { ...place, names: place.names.slice(0, depth) };
    if (depth > 0 && ['ENOTDIR', 'ELOOP'].includes(systemCode(error) ?? '')) {
      throw notOurs(way, await lstat(path), 'folder');
    }
    throw withPath(error, path, toPath(way));
  }
}

/** Replaces the folder's number in a message by its path, which people can read. */
function withPath(error: unknown, held: string, path: string): unknown {
  if (error instanceof Error) error.message = error.message.replaceAll(held, path);
  return error;
}

/** Codes of systems that cannot sync a folder. They order renames in their own way. */
const CANNOT_SYNC_FOLDERS = new Set([
  'EISDIR',
  'EPERM',
  'EACCES',
  'EINVAL',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EBADF',
]);

async function synced(syncing: Promise<void>): Promise<boolean> {
  try {
    await syncing;
    return true;
  } catch (error) {
    if (!CANNOT_SYNC_FOLDERS.has(systemCode(error) ?? '')) throw error;
    return false;
  }
}

/** Syncs a folder outside a project. False where the system cannot sync folders. */
export async function syncFolderAt(folder: string): Promise<boolean> {
  return synced(
    open(folder, 'r').then(async (handle) => {
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    }),
  );
}
