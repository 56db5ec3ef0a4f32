import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemCode } from '../errors.ts';

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

/** Makes names that were created, moved or removed in a folder durable, where the platform can. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!CANNOT_SYNC_FOLDERS.has(systemCode(error) ?? '')) throw error;
  }
}

/** Creates a folder with its parents; the first one that was new is durable in its parent. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first !== undefined) await syncFolder(dirname(first));
}

const TEMPORARY = /^\..+\.[0-9a-f]{12}\.tmp$/;
const ABANDONED_AFTER_MS = 60 * 60_000;

/** A name in the same folder for a file of a moment, which nobody can have guessed; see `removeAbandoned`. */
export function temporaryName(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
}

/** Removes the files of a moment that whoever was killed left in a folder, an hour or more ago. */
export async function removeAbandoned(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!TEMPORARY.test(name)) continue;
    const path = join(folder, name);
    const writtenAt = await lastWritten(path);
    if (writtenAt !== null && now - writtenAt > ABANDONED_AFTER_MS) await rm(path, { force: true });
  }
}

/** Null for what was moved to its place meanwhile: the engine itself may be at work in the folder. */
async function lastWritten(path: string): Promise<number | null> {
  try {
    return (await lstat(path)).mtimeMs;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Replaces a file as a whole: a reader, or whoever comes after a crash, finds the old content or the new, never a
 * piece. `syncName: false` leaves out the sync of the folder; the old content may then come back after a power cut.
 */
export async function replaceFile(
  path: string,
  content: string | AsyncIterable<string>,
  { syncName = true } = {},
): Promise<void> {
  // Created exclusively: a link planted beforehand is never written through.
  const temporary = temporaryName(path);
  try {
    const handle = await open(temporary, 'wx', 0o644);
    try {
      await handle.writeFile(content);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  if (syncName) await syncFolder(dirname(path));
}
