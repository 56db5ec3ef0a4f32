import { messageFor } from '../../contract/messages/message.ts';
import { randomBytes } from 'node:crypto';
import { constants, type BigIntStats, type Dirent } from 'node:fs';
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
import pRetry from 'p-retry';
import { ErrorWithText, FILE_HELD, systemCode } from '../base/errors.ts';
import { holdFolder, pathOfHandle, syncFolderAt, type HeldFolder } from './held-folder.ts';
import { below, FileInCloudError, toFolder, notOurs, toPath, placeIn, type Entry, type Place } from './place.ts';

/*
 * All access to the files of a project goes through this module. A project folder may come from a stranger, or others
 * may be able to write to it, so anything in it may be a link to another file of the person. Functions here follow no
 * link in any part of a path. They open only regular files without a second hard link, wait for no pipe and open no
 * device. Anything else is a ProjectFileError, and was neither read nor written. A lint rule keeps `node:fs` out of the
 * modules that work in projects.
 */

export interface OpenFile {
  readonly handle: FileHandle;
  readonly bytes: number;
}

const ACCESS = { read: constants.O_RDONLY, write: constants.O_RDWR, append: constants.O_WRONLY | constants.O_APPEND };
// Guards against a file that becomes a link or a pipe after the check: it is not followed, and open does not block.
const NOFOLLOW_FLAGS = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Tries for two to three seconds while another program, such as a virus scanner, has the file, as on Windows. */
function patiently<Result>(act: () => Promise<Result>): Promise<Result> {
  const isInUse = (error: unknown): boolean => IN_USE.has(systemCode(error) ?? '');
  return act().catch((error: unknown) => {
    if (!isInUse(error)) throw error;
    return pRetry(act, { retries: 7, minTimeout: 20, shouldRetry: (context) => isInUse(context.error) });
  });
}

const IN_USE: ReadonlySet<string> = process.platform === 'win32' ? FILE_HELD : new Set(['EBUSY']);

export function openFile(place: Place, access: keyof typeof ACCESS): Promise<OpenFile> {
  return inFolderOf(place, (folder) => openIn(folder, place, access));
}

async function openIn(folder: HeldFolder, place: Place, access: keyof typeof ACCESS): Promise<OpenFile> {
  const path = folder.at(fileName(place));
  // Check before opening: opening alone can make a device act.
  requireOwnFile(place, await lstat(path));
  const handle = await patiently(() => open(path, ACCESS[access] | NOFOLLOW_FLAGS));
  try {
    const found = await handle.stat();
    requireOwnFile(place, found);
    return { handle, bytes: found.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A path to the very file that is open, for APIs that take no handle. It is valid until the file is closed. */
export const pathOfOpen = (place: Place, { handle }: OpenFile): string => pathOfHandle(handle.fd, toPath(place));

/** Creates a file for reading and writing. Rejects with `EEXIST` if the name is taken. */
export function createFile(place: Place): Promise<FileHandle> {
  return inFolderOf(place, async (folder, name) => {
    await requireNotInCloud(folder, place);
    return patiently(() => open(folder.at(name), 'wx+', 0o644));
  });
}

/** Creates a file, removing whatever has its name without writing through it. */
export async function createReplacing(place: Place): Promise<FileHandle> {
  await removeFile(place);
  return createFile(place);
}

/** Writes a file, removing whatever has its name. Durable when this resolves; a crash may leave part of it. */
export async function writeReplacing(place: Place, content: string | Uint8Array): Promise<void> {
  const handle = await createReplacing(place);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(toFolder(place));
}

/** Reads a file of at most `maxBytes`. Rejects with FileTooLargeError otherwise. */
export function readFile(place: Place, maxBytes: number): Promise<Buffer> {
  return inFolderOf(place, (folder) => readIn(folder, place, maxBytes));
}

/** Reads several files of one folder, opening the folder once; null for a file that cannot be read. */
export function readFiles(folder: Place, names: readonly string[], maxBytes: number): Promise<(Buffer | null)[]> {
  return holdFolder(folder, (held) =>
    Promise.all(names.map((name) => readIn(held, below(folder, name), maxBytes).catch(() => null))),
  );
}

/** The first bytes of a file, at most `maxBytes`. */
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
    return await contentFor(handle, bytes);
  } finally {
    await handle.close();
  }
}

/** Uses the size known from opening; `readFile` of the handle would ask the system again. */
async function contentFor(handle: FileHandle, bytes: number): Promise<Buffer> {
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

/** Appends to a file, creating it if needed. Durable when this resolves. */
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
 * Replaces a file as a whole: a reader, or the start after a crash, finds the old or the new content, never a part. It
 * replaces whatever has the name, without writing through it. `syncName: false` skips the sync of the folder; after a
 * power cut the old content may then return.
 */
export function replaceFile(
  place: Place,
  content: string | Uint8Array | AsyncIterable<string | Uint8Array>,
  { syncName = true } = {},
): Promise<void> {
  return inFolderOf(place, async (folder, name) => {
    await requireNotInCloud(folder, place);
    const temporary = temporaryName(name);
    try {
      const handle = await patiently(() => open(folder.at(temporary), 'wx', 0o644));
      try {
        await handle.writeFile(content);
        await handle.datasync();
      } finally {
        await handle.close();
      }
      await patiently(() => rename(folder.at(temporary), folder.at(name)));
    } catch (error) {
      await removeIn(folder, temporary);
      throw error;
    }
    if (syncName) await syncIn(folder, name);
  });
}

/** A regular file without a second hard link. Some file systems do not count links and report 0. */
export const isOwnFile = (found: Entry): boolean => found.isFile() && found.nlink <= 1;

/** The entry with this name, without following a link. Null if there is none. */
export function look(place: Place): Promise<Entry | null> {
  return inFolderOf(place, (folder, name) => lstat(folder.at(name))).catch(nullWhenAbsent);
}

/** Identifies an entry among all others, whatever its names. Stays the same when it is moved. Null if there is none. */
export function identityFor(place: Place): Promise<string | null> {
  return inFolderOf(place, async (folder, name) => idsFor(await lstat(folder.at(name), { bigint: true }))).catch(
    nullWhenAbsent,
  );
}

const idsFor = ({ dev, ino }: BigIntStats): string => `${String(dev)}:${String(ino)}`;

/** Whether files of one folder are there, opening the folder once. One that only iCloud has is. */
export async function areThere(folder: Place, names: readonly string[]): Promise<boolean[]> {
  const found = await holdFolder(folder, (held) =>
    Promise.all(
      names.map(async (name) => {
        const found = await lstat(held.at(fileName(below(folder, name)))).catch(nullWhenAbsent);
        return found?.isFile() ?? (await isInCloud(held, name));
      }),
    ),
  ).catch(nullWhenAbsent);
  return found ?? names.map(() => false);
}

function nullWhenAbsent(error: unknown): null {
  if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return null;
  throw error;
}

export function removeFile(place: Place): Promise<void> {
  return inFolderOf(place, removeIn).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error;
  });
}

export function moveFile(from: Place, to: Place): Promise<void> {
  return inFoldersOf(from, to, rename);
}

/** Gives a file a second name until its first is removed. Rejects with `EEXIST` if the name is taken. */
export function linkFile(from: Place, to: Place): Promise<void> {
  return inFoldersOf(from, to, link);
}

/** A folder and its entries, without following links. Names may be any that the system allows. Null if it is gone. */
export function lookInFolder(
  place: Place,
): Promise<{ readonly folder: Entry; readonly entries: readonly (readonly [string, Entry])[] } | null> {
  return holdFolder(place, async (held) => {
    const names = await readdir(held.at('.'));
    const entries: (readonly [string, Entry])[] = [];
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

export function listFolder(place: Place): Promise<Dirent[]> {
  return holdFolder(place, (folder) => readdir(folder.at('.'), { withFileTypes: true }));
}

/** Entries read at a time, few enough that nothing else waits long. */
const ENTRIES_AT_ONCE = 1000;

/** Names of a folder's regular files and those only iCloud has; a file system that lists only names may omit some. */
export function fileNames(place: Place): Promise<Set<string>> {
  return holdFolder(place, async (folder) => {
    const names = new Set<string>();
    for await (const entry of await opendir(folder.at('.'), { bufferSize: ENTRIES_AT_ONCE })) {
      if (entry.isFile()) names.add(nameInCloud(entry.name) ?? entry.name);
    }
    return names;
  });
}

/** Makes created, moved and removed names of a folder durable, where the system can. */
export async function syncFolder(place: Place): Promise<void> {
  await holdFolder(place, (folder) => folder.sync());
}

/** Makes the name of a file durable. */
export const syncName = (place: Place): Promise<void> => inFolderOf(place, syncIn);

/** A system that cannot sync the folder writes the name with the file it belongs to. */
async function syncIn(folder: HeldFolder, name: string): Promise<void> {
  if (await folder.sync()) return;
  const handle = await patiently(() => open(folder.at(name), ACCESS.write | NOFOLLOW_FLAGS));
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates the folder of a project at the path the person chose. Syncs the parent of the first folder it created. */
export async function makeProjectFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true }).catch(async (error: unknown) => {
    throw await whyNotMade(path, error);
  });
  if (first !== undefined) await syncFolderAt(dirname(first));
}

/** Node says ENOENT on a read-only disk when several folders are missing: the highest of them gives the cause. */
async function whyNotMade(path: string, error: unknown): Promise<unknown> {
  if (systemCode(error) !== 'ENOENT') return error;
  const parent = dirname(path);
  const isThere = parent === path || (await lstat(parent).catch(nullWhenAbsent)) !== null;
  if (!isThere) return whyNotMade(parent, error);
  return mkdir(path).then(
    () => error,
    (cause: unknown) => cause,
  );
}

/** Renames the folder of a project within its parent folder. Durable when this resolves. */
export async function moveProjectFolder(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolderAt(dirname(to));
}

/** Removes a folder that we created, with its content. Follows no link. */
export const removeMadeFolder = (path: string): Promise<void> => rm(path, { recursive: true, force: true });

/**
 * Whether a folder or something else is at the path of a project, without following a link. Null if nothing is there.
 */
export async function lookAtFolder(path: string): Promise<'folder' | 'other' | null> {
  const found = await lstat(path).catch(nullWhenAbsent);
  return found && (found.isDirectory() ? 'folder' : 'other');
}

/** Whether two paths lead to the same project folder, however they are written. */
export async function isSameFolder(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map(identityOfFolder));
  return first === second;
}

export async function identityOfFolder(path: string): Promise<string> {
  return idsFor(await stat(path, { bigint: true }));
}

/** Creates a folder and its missing parents, each durable. The project's folder must exist. */
export async function makeFolder(place: Place, mode = 0o777): Promise<void> {
  try {
    await holdFolder(place, () => Promise.resolve());
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || place.names.length === 0) throw error;
    await makeFolder(toFolder(place), mode);
    await inFolderOf(place, (folder, name) => makeIn(folder, name, mode));
    // Another program may have created something else there in the meantime.
    await holdFolder(place, () => Promise.resolve());
  }
}

const ABANDONED_AFTER_MS = 60 * 60_000;
export const TEMPORARY = /^\..+\.[0-9a-f]{12}\.tmp$/;

/** An unguessable name for a temporary file in the same folder; see `removeAbandoned`. */
const temporaryName = (name: string): string => `.${name}.${randomBytes(6).toString('hex')}.tmp`;

/** Removes temporary files that a killed process left in a folder an hour or more ago. */
export async function removeAbandoned(place: Place, now: number): Promise<void> {
  for (const { name } of await listFolder(place)) {
    if (!TEMPORARY.test(name)) continue;
    const file = below(place, name);
    // Null if it was moved to its final name since: the engine may be writing in the folder.
    const found = await look(file);
    if (found && now - found.mtimeMs > ABANDONED_AFTER_MS) await removeFile(file);
  }
}

export async function proveWritable(place: Place): Promise<void> {
  const probe = below(place, temporaryName('probe'));
  await (await createFile(probe)).close();
  await removeFile(probe);
}

const PROBE_BYTES = 4 * 1000 ** 2;

/** Whether so many bytes can be written in a folder. The file is unlinked first, so that no kill leaves it behind. */
export async function tryRoom(folder: string, bytes: number): Promise<boolean> {
  const probe = placeIn(folder, temporaryName('room'));
  const handle = await createFile(probe).catch(() => null);
  if (handle === null) return false;
  try {
    await removeFile(probe);
    for (let left = bytes; left > 0; left -= PROBE_BYTES) {
      await handle.writeFile(Buffer.alloc(Math.min(left, PROBE_BYTES)));
    }
    return true;
  } catch {
    return false;
  } finally {
    await handle.close();
  }
}

function requireOwnFile(place: Place, found: Entry): void {
  if (!isOwnFile(found)) throw notOurs(place, found, 'file');
}

function inFolderOf<Result>(
  place: Place,
  work: (folder: HeldFolder, name: string) => Promise<Result>,
): Promise<Result> {
  return holdFolder(toFolder(place), (folder) =>
    work(folder, fileName(place)).catch(async (error: unknown) => {
      if (systemCode(error) === 'ENOENT') await requireNotInCloud(folder, place);
      throw error;
    }),
  );
}

/** What iCloud leaves in the place of `name` when it takes the file off this disk. */
const placeholderFor = (name: string): string => `.${name}.icloud`;

/** The name of the file whose placeholder this is; null for any other name. */
export const nameInCloud = (name: string): string | null => /^\.(.+)\.icloud$/.exec(name)?.[1] ?? null;

/** Only macOS leaves placeholders, so elsewhere nobody pays for the look. */
async function isInCloud(folder: HeldFolder, name: string): Promise<boolean> {
  if (process.platform !== 'darwin') return false;
  try {
    await lstat(folder.at(placeholderFor(name)));
    return true;
  } catch (error) {
    // No file system has a placeholder for a name that is nearly as long as names get.
    if (systemCode(error) !== 'ENAMETOOLONG') nullWhenAbsent(error);
    return false;
  }
}

async function requireNotInCloud(folder: HeldFolder, place: Place): Promise<void> {
  if (await isInCloud(folder, fileName(place))) throw new FileInCloudError(place);
}

function fileName({ names }: Place): string {
  const name = names.at(-1);
  if (name === undefined) throw new Error('The project’s own folder has no parent folder in the project.');
  return name;
}

function inFoldersOf(from: Place, to: Place, act: (from: string, to: string) => Promise<void>): Promise<void> {
  return inFolderOf(from, (source, fromName) =>
    inFolderOf(to, async (target, toName) => {
      await requireNotInCloud(target, to);
      await patiently(() => act(source.at(fromName), target.at(toName)));
    }),
  );
}

async function removeIn(folder: HeldFolder, name: string): Promise<void> {
  try {
    await patiently(() => unlink(folder.at(name)));
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
