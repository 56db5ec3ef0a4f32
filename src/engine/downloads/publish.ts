import { messageFor } from '../../contract/messages/message.ts';
import { pipeline } from 'node:stream/promises';
import { DailiesError, systemCode } from '../base/errors.ts';
import { sha256OfFile } from '../base/file-hash.ts';
import { below, pathOf, type Entry, type Place } from '../files/place.ts';
import {
  createFile,
  identityOf,
  isOwnFile,
  linkFile,
  look,
  makeFolder,
  moveFile,
  openFile,
  removeFile,
  syncName,
} from '../files/project-files.ts';
import { FolderNames, numberedName, type Content } from './folder-names.ts';

export interface PublishRequest {
  readonly part: Place;
  /** Folder the take belongs to; created when absent. */
  readonly folder: Place;
  /** Safe name without extension; see `takeStem`. */
  readonly stem: string;
  readonly extension: string;
  /** sha256 (hex) and size of the part, to know our own file again. */
  readonly sha256: string;
  readonly bytes: number;
}

interface Published {
  /** Name in `folder`. */
  readonly file: string;
  /** True when the file was there already: an earlier try had placed it and died before that was noted. */
  readonly adopted: boolean;
}

export class PublishError extends DailiesError {
  readonly code = 'publish_failed';
  readonly remedy = messageFor('remedy.downloadedAgain');
}

/** More equal names than this in one folder mean that something else is wrong. */
const MAX_NAMES = 10_000;
/** On exFAT and FAT32, Node 24 on Windows says EISDIR. */
const CANNOT_LINK = new Set([
  ...['EEXIST', 'EPERM', 'EACCES', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EISDIR', 'EINVAL'],
]);

/** Remembers the names in the folders it has published to, so that thousands of takes cost one listing. */
export function createPublisher() {
  const folders = new Map<string, FolderNames>();
  return {
    /**
     * Moves a part to its name in the project folder: durable when this resolves, under the first free name, never over
     * another file. Safe to repeat after a crash at any point: a file placed before is found again, not doubled.
     */
    async publish(request: PublishRequest): Promise<Published> {
      await makeFolder(request.folder);
      const path = pathOf(request.folder);
      const names = folders.get(path) ?? new FolderNames(request.folder);
      folders.set(path, names);
      return publishInto(request, names);
    },
  };
}

async function publishInto(request: PublishRequest, names: FolderNames): Promise<Published> {
  const part = await look(request.part);
  // A part with a second name has been placed before a crash: it is not placed again, but found below.
  const isPlaced = part !== null && part.nlink > 1;
  if (part !== null && !isPlaced && !(isOwnFile(part) && part.size === request.bytes)) throw wasChanged(request);
  for (let attempt = 1; attempt <= MAX_NAMES; attempt += 1) {
    const file = numberedName(request.stem, request.extension, attempt);
    // Hundreds of shots may share a stem. Only the first name is looked at each time: its owner may have removed it.
    if (attempt > 1 && (await names.isOfOther(file, request))) continue;
    const target = below(request.folder, file);
    if (await names.claim(file)) {
      if (part === null || isPlaced) {
        await names.settle(file, null);
        throw isPlaced ? wasChanged(request) : new PublishError(messageFor('failure.partGone', { name: request.stem }));
      }
      if (await claimedPlace(names, file, request, () => place(request.part, target))) {
        await settleName(request.part, target);
        return { file, adopted: false };
      }
    }
    if (await isOurs(request, part, target, names)) {
      await settleName(request.part, target);
      return { file, adopted: true };
    }
  }
  const facts = { count: MAX_NAMES, name: request.stem, folder: pathOf(request.folder) };
  throw new PublishError(messageFor('failure.tooManyNames', facts));
}

async function claimedPlace(
  names: FolderNames,
  file: string,
  { bytes, sha256 }: Content,
  act: () => Promise<boolean>,
): Promise<boolean> {
  let placed = false;
  try {
    placed = await act();
    return placed;
  } finally {
    await names.settle(file, placed ? { bytes, sha256 } : null);
  }
}

function wasChanged({ stem, bytes }: PublishRequest): PublishError {
  return new PublishError(messageFor('failure.partChanged', { name: stem, bytes }));
}

/** Gives the part its name, never over a file that holds something. False when that name is taken. It may keep its own too. */
export async function place(part: Place, target: Place): Promise<boolean> {
  try {
    await linkFile(part, target);
    return true;
  } catch (error) {
    // A name that is taken is said to be, whether there are links or not.
    if (!CANNOT_LINK.has(systemCode(error) ?? '')) throw error;
  }
  return placeWithoutLinks(part, target);
}

/** Removes the name as a part once the other is durable: after a power cut the file has one of them. */
export async function settleName(part: Place, target: Place): Promise<void> {
  await syncName(target);
  await removeFile(part);
}

/** For file systems without hard links: the name is reserved by an empty file, which the part then replaces. */
export async function placeWithoutLinks(part: Place, target: Place): Promise<boolean> {
  if (!(await reserve(target))) return false;
  try {
    await moveFile(part, target);
  } catch (error) {
    if (systemCode(error) !== 'EXDEV') throw error;
    await copyOver(part, target);
  }
  return true;
}

/** An empty file is a reservation that a crash left behind; there is nothing in it to lose. */
async function reserve(target: Place): Promise<boolean> {
  try {
    await (await createFile(target)).close();
    return true;
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    const there = await look(target);
    return there !== null && isOwnFile(there) && there.size === 0;
  }
}

async function copyOver(part: Place, target: Place): Promise<void> {
  // Whole under a name of its own first: a crash must not leave a piece under the name of a take.
  const whole = { ...target, names: [...target.names.slice(0, -1), `${String(target.names.at(-1))}.part`] };
  await removeFile(whole);
  const { handle } = await openFile(part, 'read');
  const copy = await createFile(whole);
  await pipeline(handle.createReadStream(), copy.createWriteStream({ flush: true }));
  await moveFile(whole, target);
  await removeFile(part);
}

/** Whether the file at `target` is this very output, placed before a crash. */
async function isOurs(
  request: PublishRequest,
  part: Entry | null,
  target: Place,
  names: FolderNames,
): Promise<boolean> {
  const there = await look(target);
  if (there === null || !there.isFile() || there.size !== request.bytes) return false;
  if (part !== null && (await identityOf(request.part)) === (await identityOf(target))) return true;
  if (!isOwnFile(there)) return false;
  const sha256 = await sha256Of(target);
  await names.learn(target.names.at(-1) ?? '', { bytes: there.size, sha256 });
  return sha256 === request.sha256;
}

/** sha256 of a file, hex. */
export async function sha256Of(place: Place): Promise<string> {
  const { handle, bytes } = await openFile(place, 'read');
  try {
    return await sha256OfFile(handle.fd, bytes);
  } finally {
    await handle.close();
  }
}
