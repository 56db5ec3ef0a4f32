import { closeSync, constants, existsSync, fsync, open as openFile, readlinkSync } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemCode } from '../base/errors.ts';
import { notOurs, pathOf, type Place } from './place.ts';

/** A folder of a project in which something is being done. */
export interface HeldFolder {
  /** The path by which the system finds `name` in this very folder. It ends with the work that was given the folder. */
  at(name: string): string;
  /** Makes names that were created, moved or removed in it durable, where the platform can. */
  sync(): Promise<void>;
}

/** Does `work` in the folder at a place. Rejects with ProjectFileError when any folder on the way is not a real one. */
export type HoldFolder = <Result>(place: Place, work: (folder: HeldFolder) => Promise<Result>) => Promise<Result>;

const OWN_FOLDERS = '/proc/self/fd';
const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0);
const NO_LINK = FOLDER | (constants.O_NOFOLLOW ?? 0);

// Numbers instead of handles: to close one at once costs a hundredth of what it costs to have another thread do so, and
// waits for nothing, since a folder that was only read has nothing left to write.
const openNumber = promisify(openFile);

/**
 * The folder is open while the work is done, and no link was followed on the way to it below the project's own folder.
 * What is done then is done in the folder that was opened: moving it, or putting a link in its place at that moment,
 * changes nothing. Linux alone shows its open folders as a place in the file system.
 */
export const holdByHandle: HoldFolder = async (place, work) => {
  const fd = (await openWhereItWas(place)) ?? (await openStepByStep(place));
  try {
    return await work({ at: (name) => `${OWN_FOLDERS}/${fd}/${name}`, sync: () => synced(promisify(fsync)(fd)) });
  } catch (error) {
    throw withPath(error, `${OWN_FOLDERS}/${fd}/`, join(pathOf(place), '/'));
  } finally {
    closeSync(fd);
  }
};

/** Where the folder of each project was when it was last opened step by step, without a link. */
const realPaths = new Map<string, string>();

/**
 * Opens a folder by its whole path. The system knows where the folder lies that it has opened: where that is below the
 * project's folder by the very names asked for, no link was followed. Null where it is not, or cannot be opened.
 */
async function openWhereItWas(place: Place): Promise<number | null> {
  const project = realPaths.get(place.project);
  if (project === undefined || place.names.length === 0) return null;
  const fd = await openNumber(pathOf(place), NO_LINK).catch(() => null);
  if (fd === null || whereIs(fd) === join(project, ...place.names)) return fd;
  closeSync(fd);
  return null;
}

/** Each folder is opened inside the one before it, and no link is followed. */
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

/** The path of an open folder as it is now; null for one that is too long to say. */
function whereIs(fd: number): string | null {
  try {
    return readlinkSync(`${OWN_FOLDERS}/${fd}`);
  } catch {
    return null;
  }
}

/** Elsewhere each folder on the way is looked at first. See `docs/security.md` for what this leaves open. */
export const holdByPath: HoldFolder = async (place, work) => {
  for (let depth = 1; depth <= place.names.length; depth += 1) {
    const way = { ...place, names: place.names.slice(0, depth) };
    const found = await lstat(pathOf(way));
    if (!found.isDirectory()) throw notOurs(way, found, 'folder');
  }
  const folder = pathOf(place);
  return work({ at: (name) => join(folder, name), sync: () => syncFolderAt(folder) });
};

/** A Node.js that may read only some folders (`--permission`) refuses to look. */
function showsOpenFolders(): boolean {
  try {
    return existsSync(OWN_FOLDERS);
  } catch {
    return false;
  }
}

export const holdFolder: HoldFolder = showsOpenFolders() ? holdByHandle : holdByPath;

/** A path by which the system finds the very file that is open, for what takes no handle; elsewhere than on Linux, its own. */
export const pathOfHandle = (fd: number, path: string): string =>
  holdFolder === holdByHandle ? `${OWN_FOLDERS}/${fd}` : path;

/** The project's folder itself (depth 0) may be reached by a link: the person chose it. */
async function openFolder(place: Place, depth: number, path: string): Promise<number> {
  try {
    return await openNumber(path, depth === 0 ? FOLDER : NO_LINK);
  } catch (error) {
    const way = { ...place, names: place.names.slice(0, depth) };
    if (depth > 0 && ['ENOTDIR', 'ELOOP'].includes(systemCode(error) ?? '')) {
      throw notOurs(way, await lstat(path), 'folder');
    }
    throw withPath(error, path, pathOf(way));
  }
}

/** The number that a folder has in this process says nothing to people. */
function withPath(error: unknown, held: string, path: string): unknown {
  if (error instanceof Error) error.message = error.message.replaceAll(held, path);
  return error;
}

/** Systems and file systems that cannot sync a folder say so with one of these; they order renames in their own way. */
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

async function synced(syncing: Promise<void>): Promise<void> {
  try {
    await syncing;
  } catch (error) {
    if (!CANNOT_SYNC_FOLDERS.has(systemCode(error) ?? '')) throw error;
  }
}

/** The same for a folder outside a project. */
export async function syncFolderAt(folder: string): Promise<void> {
  await synced(
    open(folder, 'r').then(async (handle) => {
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    }),
  );
}
