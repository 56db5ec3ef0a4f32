import { messageFor } from '../../contract/messages/message.ts';
import { pipeline } from 'node:stream/promises';
import { DailiesError, systemCode } from '../base/errors.ts';
import { sha256OfFile } from '../base/file-hash.ts';
import { below, type Entry, toPath, type Place } from '../files/place.ts';
import {
  createFile,
  identityFor,
  isOwnFile,
  linkFile,
  listFolder,
  look,
  makeFolder,
  moveFile,
  openFile,
  removeFile,
  syncName,
} from '../files/project-files.ts';

export interface PublishRequest {
  readonly part: Place;
  readonly folder: Place;
  readonly stem: string;
  readonly extension: string;
  /** sha256 (hex) and size of the part, to know our own file again. */
  readonly sha256: string;
  readonly bytes: number;
}

interface Published {
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
      const path = toPath(request.folder);
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
        throw wasChanged(request);
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
  const facts = { count: MAX_NAMES, name: request.stem, folder: toPath(request.folder) };
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

const wasChanged = ({ stem }: PublishRequest): PublishError =>
  new PublishError(messageFor('failure.partChanged', { name: stem }));

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

async function isOurs(
  request: PublishRequest,
  part: Entry | null,
  target: Place,
  names: FolderNames,
): Promise<boolean> {
  const there = await look(target);
  if (there === null || !there.isFile() || there.size !== request.bytes) return false;
  if (part !== null && (await identityFor(request.part)) === (await identityFor(target))) return true;
  if (!isOwnFile(there)) return false;
  const sha256 = await sha256Of(target);
  await names.learn(target.names.at(-1) ?? '', { bytes: there.size, sha256 });
  return sha256 === request.sha256;
}

export async function sha256Of(place: Place): Promise<string> {
  const { handle, bytes } = await openFile(place, 'read');
  await using file = handle;
  return await sha256OfFile(file.fd, bytes);
}

const ASCII = /^[ -~]*$/;

/** Two names with the same fold are the same file on at least one of the three systems. */
export function foldName(name: string): string {
  if (ASCII.test(name)) return name.toLowerCase();
  // Up and down again: `ß` and `SS`, or the two lower-case sigmas, must not pass as different.
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

/** The `attempt`-th name to try: `a.mp4`, then `a_2.mp4`, `a_3.mp4`, … */
export function numberedName(stem: string, extension: string, attempt: number): string {
  return attempt === 1 ? `${stem}.${extension}` : `${stem}_${attempt}.${extension}`;
}

interface Taken {
  readonly name: string;
  bytes: number | null;
  sha256: string | null;
}

interface Content {
  readonly bytes: number;
  readonly sha256: string;
}

/** The names taken in one folder, which is read once. Whether one is still taken is seen by looking at it. */
class FolderNames {
  readonly #folder: Place;
  readonly #claimed = new Set<string>();
  #listed: Promise<Map<string, readonly Taken[]>> | null = null;

  constructor(folder: Place) {
    this.#folder = folder;
  }

  /** Claims a name for a file about to be placed. False when another file has it in any spelling. */
  async claim(name: string): Promise<boolean> {
    const fold = foldName(name);
    const taken = await this.#names();
    for (let first = taken.get(fold)?.[0]; first; first = taken.get(fold)?.[0]) {
      const found = await look(below(this.#folder, first.name));
      // An empty file is a name that a crash left reserved, and there is nothing in it to lose.
      if (found !== null && !(isOwnFile(found) && found.size === 0)) {
        first.bytes = found.size;
        return false;
      }
      // Its owner has removed the file.
      remove(taken, fold, first);
    }
    if (this.#claimed.has(fold)) return false;
    this.#claimed.add(fold);
    return true;
  }

  async settle(name: string, placed: Content | null): Promise<void> {
    const fold = foldName(name);
    // Listed before the claim ends: at no moment is the name of a placed file free.
    if (placed) add(await this.#names(), { name, ...placed });
    this.#claimed.delete(fold);
  }

  async learn(name: string, { bytes, sha256 }: Content): Promise<void> {
    const known = (await this.#names()).get(foldName(name))?.find((each) => each.name === name);
    if (known) Object.assign(known, { bytes, sha256 });
  }

  async isOfOther(name: string, { bytes, sha256 }: Content): Promise<boolean> {
    const taken = (await this.#names()).get(foldName(name)) ?? [];
    const isOther = (each: Taken): boolean =>
      (each.bytes !== null && each.bytes !== bytes) || (each.sha256 !== null && each.sha256 !== sha256);
    return taken.length > 0 && taken.every(isOther);
  }

  #names(): Promise<Map<string, readonly Taken[]>> {
    this.#listed ??= this.#list();
    return this.#listed;
  }

  async #list(): Promise<Map<string, readonly Taken[]>> {
    const taken = new Map<string, readonly Taken[]>();
    for (const { name } of await listFolder(this.#folder)) add(taken, { name, bytes: null, sha256: null });
    return taken;
  }
}

function add(taken: Map<string, readonly Taken[]>, file: Taken): void {
  const fold = foldName(file.name);
  taken.set(fold, [...(taken.get(fold) ?? []), file]);
}

function remove(taken: Map<string, readonly Taken[]>, fold: string, file: Taken): void {
  taken.set(
    fold,
    (taken.get(fold) ?? []).filter((each) => each !== file),
  );
}
