import { messageFor } from '../../contract/messages/message.ts';
import { randomBytes } from 'node:crypto';
import { constants, type Dirent, type Stats } from 'node:fs';
import {
  link,
  lstat,
  mkdir,
  open,
  opendir,
  readdir,
  rename,
  rm,
  stat,
  unlink,
  type FileHandle,
} from 'node:fs/promises';
import { dirname } from 'node:path';
import { ErrorWithText, systemCode } from '../base/errors.ts';
import { holdFolder, pathOfHandle, syncFolderAt, type HeldFolder } from './held-folder.ts';
import { below, folderOf, notOurs, pathOf, type Place } from './place.ts';

/*
 * The one door to the files of a project. A project folder may come from a stranger, or lie where others can write, so
 * whatever is in it may be a link to a file of the person's own. Everything here therefore follows no link, on no part
 * of the way; opens regular files alone, which have no second name elsewhere; waits for no pipe and touches no device.
 * What is not as it has to be is a ProjectFileError, and was neither read nor written. A lint rule keeps `node:fs` out
 * of the modules that work in projects.
 */

/** A file of a project, open. The caller closes it. */
export interface OpenFile {
  readonly handle: FileHandle;
  /** As it was when it was opened. */
  readonly bytes: number;
}

const ACCESS = { read: constants.O_RDONLY, write: constants.O_RDWR, append: constants.O_WRONLY | constants.O_APPEND };
// A file that becomes a link or a pipe after it was looked at is still not followed, and not waited for.
const AS_IT_LIES = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens a file that is there. Nothing of it is changed by that. */
export function openFile(place: Place, access: keyof typeof ACCESS): Promise<OpenFile> {
  return inFolderOf(place, (folder) => openIn(folder, place, access));
}

async function openIn(folder: HeldFolder, place: Place, access: keyof typeof ACCESS): Promise<OpenFile> {
  const path = folder.at(nameOf(place));
  // A device is not even opened: some do things by that alone.
  requireOwnFile(place, await lstat(path));
  const handle = await open(path, ACCESS[access] | AS_IT_LIES);
  try {
    const found = await handle.stat();
    requireOwnFile(place, found);
    return { handle, bytes: found.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A path to the very file that is open, for what takes no handle. It ends when the file is closed. */
export const pathOfOpen = (place: Place, { handle }: OpenFile): string => pathOfHandle(handle.fd, pathOf(place));

/** Makes a file that is not there, for reading and writing. Rejects with `EEXIST` when anything has its name. */
export function createFile(place: Place): Promise<FileHandle> {
  return inFolderOf(place, (folder, name) => open(folder.at(name), 'wx+', 0o644));
}

/** Makes a file in place of whatever has its name, which is not written through. */
export async function createAfresh(place: Place): Promise<FileHandle> {
  await removeFile(place);
  return createFile(place);
}

/** Writes a file in place of whatever has its name. It is on the disk when this resolves; a crash may leave a piece of it. */
export async function writeAfresh(place: Place, content: string | Uint8Array): Promise<void> {
  const handle = await createAfresh(place);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(folderOf(place));
}

/** What a file holds, if that is not more than `maxBytes`. Rejects with FileTooLargeError otherwise. */
export function readFile(place: Place, maxBytes: number): Promise<Buffer> {
  return inFolderOf(place, (folder) => readIn(folder, place, maxBytes));
}

/** The same for some files of one folder, which is found once for all of them; null for one that cannot be read. */
export function readFiles(folder: Place, names: readonly string[], maxBytes: number): Promise<(Buffer | null)[]> {
  return holdFolder(folder, (held) =>
    Promise.all(names.map((name) => readIn(held, below(folder, name), maxBytes).catch(() => null))),
  );
}

/** The first bytes of a file, `maxBytes` at most. */
export async function readBeginning(place: Place, maxBytes: number): Promise<Buffer> {
  const { handle, bytes } = await openFile(place, 'read');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(bytes, maxBytes)), 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function readIn(folder: HeldFolder, place: Place, maxBytes: number): Promise<Buffer> {
  const { handle, bytes } = await openIn(folder, place, 'read');
  try {
    if (bytes > maxBytes) throw new FileTooLargeError();
    return await contentOf(handle, bytes);
  } finally {
    await handle.close();
  }
}

/** `bytes` were there when the file was opened: `readFile` of the handle would ask for that once more. */
async function contentOf(handle: FileHandle, bytes: number): Promise<Buffer> {
  const content = Buffer.allocUnsafe(bytes);
  let read = 0;
  for (let came = 1; read < bytes && came > 0; read += came) {
    came = (await handle.read(content, read, bytes - read, read)).bytesRead;
  }
  return content.subarray(0, read);
}

export class FileTooLargeError extends ErrorWithText {
  constructor() {
    super(messageFor('failure.fileFarTooLarge'));
  }
}

/** Adds to the end of a file, which is made when it is not there. It is on the disk when this resolves. */
export async function appendToFile(place: Place, text: string): Promise<void> {
  const handle = await openFile(place, 'append').then(
    (file) => file.handle,
    (error: unknown) => {
      if (systemCode(error) === 'ENOENT') return createFile(place);
      throw error;
    },
  );
  try {
    await handle.appendFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Replaces a file as a whole: a reader, or the start after a crash, finds the old content or the new, never a piece.
 * Whatever has its name gives way, and is not written through. `syncName: false` leaves out the sync of the folder; the
 * old content may then come back after a power cut.
 */
export function replaceFile(
  place: Place,
  content: string | Uint8Array | AsyncIterable<string>,
  { syncName = true } = {},
): Promise<void> {
  return inFolderOf(place, async (folder, name) => {
    const temporary = temporaryName(name);
    try {
      const handle = await open(folder.at(temporary), 'wx', 0o644);
      try {
        await handle.writeFile(content);
        await handle.datasync();
      } finally {
        await handle.close();
      }
      await rename(folder.at(temporary), folder.at(name));
    } catch (error) {
      await removeIn(folder, temporary);
      throw error;
    }
    if (syncName) await folder.sync();
  });
}

/** A regular file without a second name. Some file systems count no names at all and say 0. */
export const isOwnFile = (found: Stats): boolean => found.isFile() && found.nlink <= 1;

/** What has this name, itself: a link is a link. Null when nothing has. */
export function look(place: Place): Promise<Stats | null> {
  return inFolderOf(place, (folder, name) => lstat(folder.at(name))).catch(nullWhenAbsent);
}

/** The same for some names in one folder, which is found once for all of them. */
export async function lookAtAll(folder: Place, names: readonly string[]): Promise<(Stats | null)[]> {
  const found = await holdFolder(folder, (held) =>
    Promise.all(names.map((name) => lstat(held.at(nameOf(below(folder, name)))).catch(nullWhenAbsent))),
  ).catch(nullWhenAbsent);
  return found ?? names.map(() => null);
}

function nullWhenAbsent(error: unknown): null {
  if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return null;
  throw error;
}

/** Removes a file, or the link that is in its place; nothing when there is none. */
export function removeFile(place: Place): Promise<void> {
  return inFolderOf(place, removeIn).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error;
  });
}

/** Moves a file over whatever has the new name. */
export function moveFile(from: Place, to: Place): Promise<void> {
  return inFoldersOf(from, to, rename);
}

/** Gives a file a second name, for the moment until it loses the first. Rejects with `EEXIST` when anything has it. */
export function linkFile(from: Place, to: Place): Promise<void> {
  return inFoldersOf(from, to, link);
}

/** A folder and what is in it, each itself: a link is a link. Names may be any that the system has. Null when it is gone. */
export function lookInFolder(
  place: Place,
): Promise<{ readonly folder: Stats; readonly entries: readonly (readonly [string, Stats])[] } | null> {
  return holdFolder(place, async (held) => {
    const names = await readdir(held.at('.'));
    const entries: (readonly [string, Stats])[] = [];
    for (let start = 0; start < names.length; start += ENTRIES_AT_ONCE) {
      const some = names.slice(start, start + ENTRIES_AT_ONCE);
      const found = await Promise.all(some.map((name) => lstat(held.at(name)).catch(nullWhenAbsent)));
      for (const [index, name] of some.entries()) {
        const each = found[index];
        if (each) entries.push([name, each]);
      }
    }
    return { folder: await lstat(held.at('.')), entries };
  }).catch(nullWhenAbsent);
}

/** What is in a folder. */
export function listFolder(place: Place): Promise<Dirent[]> {
  return holdFolder(place, (folder) => readdir(folder.at('.'), { withFileTypes: true }));
}

/** Entries read at a stretch: few enough that nothing else has to wait. */
const ENTRIES_AT_ONCE = 1000;

/** Names of the regular files in a folder. A file system that shows names alone may leave some out. */
export function fileNames(place: Place): Promise<Set<string>> {
  return holdFolder(place, async (folder) => {
    const names = new Set<string>();
    for await (const entry of await opendir(folder.at('.'), { bufferSize: ENTRIES_AT_ONCE })) {
      if (entry.isFile()) names.add(entry.name);
    }
    return names;
  });
}

/** Makes names that were created, moved or removed in a folder durable, where the platform can. */
export function syncFolder(place: Place): Promise<void> {
  return holdFolder(place, (folder) => folder.sync());
}

/** Makes the folder of a project, where the person wants it; the first one that was new is durable in its parent. */
export async function makeProjectFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first !== undefined) await syncFolderAt(dirname(first));
}

/** Gives the folder of a project another name in the folder it lies in. Durable when this resolves. */
export async function moveProjectFolder(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolderAt(dirname(to));
}

/** Removes a folder that we have made, with all that is in it. No link in it is followed. */
export const removeMadeFolder = (path: string): Promise<void> => rm(path, { recursive: true, force: true });

/** What lies at the path of a project's folder, itself: a link is a link. Null when nothing does. */
export async function lookAtFolder(path: string): Promise<'folder' | 'other' | null> {
  const found = await lstat(path).catch(nullWhenAbsent);
  return found && (found.isDirectory() ? 'folder' : 'other');
}

/** Whether two paths lead to the same folder of a project, in whatever way they are written. */
export async function isSameFolder(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map(identityOfFolder));
  return first === second;
}

/** What tells the folder of a project from every other one, and stays when it is moved. */
export async function identityOfFolder(path: string): Promise<string> {
  const { dev, ino } = await stat(path, { bigint: true });
  return `${String(dev)}:${String(ino)}`;
}

/** Makes a folder and those on the way to it, each durable in its own. The project's folder is there already. */
export async function makeFolder(place: Place, mode = 0o777): Promise<void> {
  try {
    await holdFolder(place, () => Promise.resolve());
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || place.names.length === 0) throw error;
    await makeFolder(folderOf(place), mode);
    await inFolderOf(place, (folder, name) => makeIn(folder, name, mode));
    // What was made in the same moment may be anything.
    await holdFolder(place, () => Promise.resolve());
  }
}

const ABANDONED_AFTER_MS = 60 * 60_000;
const TEMPORARY = /^\..+\.[0-9a-f]{12}\.tmp$/;

/** Whether a file of that name is there for a moment only. */
export const isTemporary = (name: string): boolean => TEMPORARY.test(name);

/** A name in the same folder for a file of a moment, which nobody can have guessed; see `removeAbandoned`. */
const temporaryName = (name: string): string => `.${name}.${randomBytes(6).toString('hex')}.tmp`;

/** Removes the files of a moment that a process which was killed left in a folder, an hour or more ago. */
export async function removeAbandoned(place: Place, now: number): Promise<void> {
  for (const { name } of await listFolder(place)) {
    if (!TEMPORARY.test(name)) continue;
    const file = below(place, name);
    // Null for what has been moved to its place since: the engine itself may be at work in the folder.
    const found = await look(file);
    if (found && now - found.mtimeMs > ABANDONED_AFTER_MS) await removeFile(file);
  }
}

/** Shows that files can be made in a folder. */
export async function proveWritable(place: Place): Promise<void> {
  const probe = below(place, temporaryName('probe'));
  await (await createFile(probe)).close();
  await removeFile(probe);
}

function requireOwnFile(place: Place, found: Stats): void {
  if (!isOwnFile(found)) throw notOurs(place, found, 'file');
}

function inFolderOf<Result>(
  place: Place,
  work: (folder: HeldFolder, name: string) => Promise<Result>,
): Promise<Result> {
  return holdFolder(folderOf(place), (folder) => work(folder, nameOf(place)));
}

function nameOf({ names }: Place): string {
  const name = names.at(-1);
  if (name === undefined) throw new Error('The project’s own folder lies in no folder of it.');
  return name;
}

function inFoldersOf(from: Place, to: Place, act: (from: string, to: string) => Promise<void>): Promise<void> {
  return inFolderOf(from, (source, fromName) =>
    inFolderOf(to, (target, toName) => act(source.at(fromName), target.at(toName))),
  );
}

async function removeIn(folder: HeldFolder, name: string): Promise<void> {
  try {
    await unlink(folder.at(name));
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

async function makeIn(folder: HeldFolder, name: string, mode: number): Promise<void> {
  try {
    await mkdir(folder.at(name), { mode });
    await folder.sync();
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}
