import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import type { Stats } from 'node:fs';
import { copyFile, link, lstat, open, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DailiesError, systemCode } from '../errors.ts';
import { makeFolder, syncFolder } from '../projects/durable.ts';
import { FolderNames, numberedName } from './folder-names.ts';

export interface PublishRequest {
  /** The whole, checked part. */
  readonly partPath: string;
  /** Absolute folder the take belongs to; created when absent. */
  readonly folder: string;
  /** Safe name without extension; see `takeStem`. */
  readonly stem: string;
  readonly extension: string;
  /** sha256 (hex) and size of the part, to know our own file again. */
  readonly sha256: string;
  readonly bytes: number;
}

export interface Published {
  /** Name in `folder`. */
  readonly file: string;
  /** True when the file was there already: an earlier try had placed it and died before that was noted. */
  readonly adopted: boolean;
}

export class PublishError extends DailiesError {
  readonly code = 'publish_failed';
  readonly remedy = 'Nothing is lost: the file is fetched again at no cost.';
}

/** More equal names than this in one folder mean that something else is wrong. */
const MAX_NAMES = 10_000;
const LINKS_UNSUPPORTED = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK', 'EACCES']);

export interface Publisher {
  /**
   * Moves a part to its name in the project folder: durable when this resolves, under the first free name, never over
   * another file. Safe to repeat after a crash at any point: a file placed before is found again, not doubled.
   */
  publish(request: PublishRequest): Promise<Published>;
}

/** Remembers the names in the folders it has published to, so that thousands of takes cost one listing. */
export function createPublisher(): Publisher {
  const folders = new Map<string, FolderNames>();
  return {
    async publish(request) {
      await makeFolder(request.folder);
      const names = folders.get(request.folder) ?? new FolderNames(request.folder);
      folders.set(request.folder, names);
      return publishInto(request, names);
    },
  };
}

/** `Publisher.publish` for a single file. */
export function publishOutput(request: PublishRequest): Promise<Published> {
  return createPublisher().publish(request);
}

async function publishInto(request: PublishRequest, names: FolderNames): Promise<Published> {
  const part = await statOf(request.partPath);
  if (part !== null) await assurePart(request, part);
  for (let attempt = 1; attempt <= MAX_NAMES; attempt += 1) {
    const file = numberedName(request.stem, request.extension, attempt);
    const target = join(request.folder, file);
    if (await names.claim(file)) {
      if (part === null) {
        await names.settle(file, false);
        throw new PublishError(`The finished part of ${request.stem} is gone from the project folder.`);
      }
      const placed = await claimedPlace(names, file, () => place(request.partPath, target));
      if (placed) {
        await syncFolder(request.folder);
        return { file, adopted: false };
      }
    }
    if (await isOurs(request, part, target)) {
      if (part !== null) await unlink(request.partPath);
      await syncFolder(request.folder);
      return { file, adopted: true };
    }
  }
  throw new PublishError(`There are ${MAX_NAMES} files named like ${request.stem} in ${request.folder}.`);
}

async function claimedPlace(names: FolderNames, file: string, act: () => Promise<boolean>): Promise<boolean> {
  let placed = false;
  try {
    placed = await act();
    return placed;
  } finally {
    await names.settle(file, placed);
  }
}

async function assurePart(request: PublishRequest, part: Stats): Promise<void> {
  if (!part.isFile() || part.size !== request.bytes)
    throw new PublishError(`The finished part of ${request.stem} was changed: ${request.bytes} bytes expected.`);
  const handle = await open(request.partPath, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gives the part its name, never over another file. False when that name is taken. */
async function place(partPath: string, target: string): Promise<boolean> {
  try {
    await link(partPath, target);
    await unlink(partPath);
    return true;
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'EEXIST') return false;
    if (!LINKS_UNSUPPORTED.has(code)) throw error;
  }
  return placeWithoutLinks(partPath, target);
}

/** For file systems without hard links: the name is reserved by an empty file, which the part then replaces. */
export async function placeWithoutLinks(partPath: string, target: string): Promise<boolean> {
  if (!(await reserve(target))) return false;
  try {
    await rename(partPath, target);
  } catch (error) {
    if (systemCode(error) !== 'EXDEV') throw error;
    await copyOver(partPath, target);
  }
  return true;
}

/** An empty file is a reservation that a crash left behind; there is nothing in it to lose. */
async function reserve(target: string): Promise<boolean> {
  try {
    await (await open(target, 'wx', 0o644)).close();
    return true;
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    const there = await statOf(target);
    return there !== null && there.isFile() && there.size === 0;
  }
}

async function copyOver(partPath: string, target: string): Promise<void> {
  // Whole under a name of its own first: a crash must not leave a piece under the name of a take.
  const whole = `${target}.part`;
  await rm(whole, { force: true });
  await copyFile(partPath, whole, constants.COPYFILE_EXCL);
  const handle = await open(whole, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(whole, target);
  await unlink(partPath);
}

/** Whether the file at `target` is this very output, placed before a crash. */
async function isOurs(request: PublishRequest, part: Stats | null, target: string): Promise<boolean> {
  const there = await statOf(target);
  if (there === null || !there.isFile() || there.size !== request.bytes) return false;
  if (part !== null && there.ino === part.ino && there.dev === part.dev) return true;
  return (await sha256Of(target)) === request.sha256;
}

/** sha256 of a file, hex, read with bounded memory. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
  return hash.digest('hex');
}

async function statOf(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}
