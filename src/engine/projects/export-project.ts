import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { MAX_LEFT_OUT, type LeftOut, type WhyLeftOut } from '../../contract/project.ts';
import { systemCode, toText, refused, RefusedError } from '../base/errors.ts';
import { below, placeIn, ProjectFileError, toFolder, type Entry, type Place } from '../files/place.ts';
import {
  createFile,
  identityOfFolder,
  TEMPORARY,
  listFolder,
  look,
  lookAtFolder,
  makeFolder,
  makeProjectFolder,
  moveProjectFolder,
  openFile,
  type OpenFile,
  removeMadeFolder,
  syncFolder,
  writeReplacing,
} from '../files/project-files.ts';
import { realPath, requireRoom } from '../files/existing-paths.ts';
import { CHECKSUMS, checksumLine } from './checksums.ts';

export interface CopiedSoFar {
  readonly files: number;
  readonly ofFiles: number;
  readonly bytes: number;
  readonly ofBytes: number;
}

export interface ExportedProject {
  readonly folder: string;
  readonly files: number;
  readonly leftOut: LeftOut;
}

/** The bytes copied before the export reports progress and can be stopped. */
const PART_BYTES = 4 * 1000 ** 2;
/** Our projects are never this deep. */
const DEEPEST = 64;
/** Files about this machine or about downloads in progress, and the checksum list of an earlier export. */
const NOT_COPIED = new Set(['.dailies/parts', '.dailies/worked-from.json', CHECKSUMS]);

/**
 * Copies every file of a project into a folder with its name in `into` (absolute), with a list of SHA-256 checksums in
 * `checksums.sha256`. Links and other entries that are not the project's own files are left out and reported. Yields
 * its progress; a caller that stops reading stops it. The folder gets its name when it is complete; a failed export
 * leaves no folder. Throws RefusedError.
 */
export async function* exportProject(
  project: string,
  into: string,
): AsyncGenerator<CopiedSoFar, ExportedProject, undefined> {
  const folder = join(into, basename(project));
  await checkMayExport(project, into, (await lookAtFolder(folder)) && folder);
  const partial = join(into, partialName());
  const leftOut = new LeftOutOfExport();
  try {
    const before = await identityOfFolder(project);
    await makeProjectFolder(partial);
    const files = yield* copyAll(project, partial, leftOut);
    await checkStillThere(project, before);
    await moveProjectFolder(partial, folder);
    return { folder, files, leftOut: leftOut.told };
  } catch (error) {
    throw exportFailed(error);
  } finally {
    await removeMadeFolder(partial).catch(() => undefined);
  }
}

/** Short, because the project's name may have the maximum length. */
export const partialName = (): string => `.${String(process.pid)}.${String(Date.now())}.partial`;

/** `taken`: an existing entry with the name of the export. Throws RefusedError. */
export async function checkMayExport(project: string, into: string, taken: string | null): Promise<void> {
  const remedy = messageFor('remedy.chooseOtherFolder');
  if (taken !== null) throw refused('folder_exists', messageFor('failure.exportExists', { path: taken }), remedy);
  if (`${await realPath(into)}${sep}`.startsWith(`${await realPath(project)}${sep}`)) {
    throw refused('export_inside', messageFor('failure.exportInside', { path: into }), remedy);
  }
}

/** Checks a project read to the end. Throws RefusedError if its folder has gone: unread files only seem deleted. */
export async function checkStillThere(project: string, before: string): Promise<void> {
  if ((await identityOfFolder(project).catch(() => null)) === before) return;
  const reason = messageFor('failure.folderWentAway', { path: project });
  throw refused('export_failed', messageFor('failure.projectNotExported', { reason }), 'remedy.exportAgain');
}

export function exportFailed(
  error: unknown,
  problem = (reason: Text): Text => messageFor('failure.projectNotExported', { reason }),
): RefusedError {
  if (error instanceof RefusedError) return error;
  const isGone = systemCode(error) === 'ENOENT';
  const elsewhere = messageFor(isGone ? 'remedy.connectDisk' : 'remedy.otherFolderOrSpace');
  const remedy = error instanceof ProjectFileError ? error.remedy : elsewhere;
  return new RefusedError('export_failed', problem(toText(error)), remedy, { cause: error });
}

async function* copyAll(
  project: string,
  target: string,
  leftOut: LeftOutOfExport,
): AsyncGenerator<CopiedSoFar, number, undefined> {
  const made = new Set<string>();
  const lines = yield* copyFiles(project, target, leftOut, async function* (place, source) {
    const copy = placeIn(target, ...place.names);
    const parent = toFolder(copy).names.join('/');
    if (parent !== '' && !made.has(parent)) {
      await makeFolder(toFolder(copy));
      made.add(parent);
    }
    const to = await createFile(copy);
    try {
      for await (const part of partsOf(source)) {
        await to.writeFile(part);
        yield part;
      }
      await to.sync();
    } finally {
      await to.close();
    }
  });
  await writeReplacing(placeIn(target, CHECKSUMS), lines.join(''));
  for (const folder of made) await syncFolder(placeIn(target, folder));
  return lines.length;
}

/**
 * Hands every file of a project to `put`, which yields each part once it is written. Returns the lines of the list of
 * checksums. `into` is the folder whose disk the files must fit on.
 */
export async function* copyFiles(
  project: string,
  into: string,
  leftOut: LeftOutOfExport,
  put: (place: Place, source: FileHandle) => AsyncGenerator<Buffer>,
): AsyncGenerator<CopiedSoFar, string[], undefined> {
  const soFar = { files: 0, ofFiles: 0, bytes: 0, ofBytes: 0 };
  for await (const { bytes } of filesIn(project)) {
    soFar.ofFiles += 1;
    soFar.ofBytes += bytes;
  }
  await requireRoom(into, soFar.ofBytes);
  const lines: string[] = [];
  for await (const { place } of filesIn(project, leftOut)) {
    const source = await openToCopy(place, leftOut);
    if (!source) continue;
    // A recipe may be replaced meanwhile, so hash exactly what is copied.
    const hash = createHash('sha256');
    try {
      for await (const part of put(place, source.handle)) {
        hash.update(part);
        soFar.bytes += part.length;
        yield { ...soFar };
      }
    } finally {
      await source.handle.close();
    }
    lines.push(checksumLine({ sha256: hash.digest('hex'), file: place.names.join('/') }));
    soFar.files += 1;
    yield { ...soFar };
  }
  return lines;
}

/** Opens a file to copy; null, and noted, if it has gone since it was listed. */
async function openToCopy(place: Place, leftOut: LeftOutOfExport): Promise<OpenFile | null> {
  try {
    return await openFile(place, 'read');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    leftOut.add(place, 'gone');
    return null;
  }
}

export async function* partsOf(handle: FileHandle): AsyncGenerator<Buffer> {
  for await (const part of handle.createReadStream({ highWaterMark: PART_BYTES, autoClose: false }))
    yield part as Buffer;
}

export class LeftOutOfExport {
  readonly #first: LeftOut['first'] = [];
  #count = 0;

  add({ names }: Pick<Place, 'names'>, why: WhyLeftOut): void {
    if (why === 'gone' && TEMPORARY.test(names.at(-1) ?? '')) return;
    this.#count += 1;
    if (this.#first.length < MAX_LEFT_OUT) this.#first.push({ path: names.join('/'), why });
  }

  get told(): LeftOut {
    return { count: this.#count, first: this.#first };
  }
}

/** Every file of a project, folder by folder, except those about this machine and entries that are not its own. */
async function* filesIn(
  project: string,
  leftOut?: LeftOutOfExport,
  names: readonly string[] = [],
): AsyncGenerator<{ readonly place: Place; readonly bytes: number }> {
  const folder = { project, names };
  const entries = await listFolder(folder);
  for (const { name } of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const place = placeOrNull(folder, name);
    if (!place) leftOut?.add({ names: [...folder.names, name] }, 'name');
    if (!place || NOT_COPIED.has(place.names.join('/'))) continue;
    const found = await look(place);
    if (!found) {
      leftOut?.add(place, 'gone');
      continue;
    }
    const why = whyLeftOut(found, names.length);
    if (why !== null) leftOut?.add(place, why);
    else if (found.isDirectory()) yield* filesIn(project, leftOut, place.names);
    else yield { place, bytes: found.size };
  }
}

function whyLeftOut(found: Entry, depth: number): WhyLeftOut | null {
  if (found.isDirectory()) return depth < DEEPEST ? null : 'deep';
  if (found.isFile()) return found.nlink > 1 ? 'hardLink' : null;
  return found.isSymbolicLink() ? 'link' : 'special';
}

function placeOrNull(folder: Place, name: string): Place | null {
  try {
    return below(folder, name);
  } catch {
    return null;
  }
}
