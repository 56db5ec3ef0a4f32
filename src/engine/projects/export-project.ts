import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { MAX_LEFT_OUT, type LeftOut, type WhyLeftOut } from '../../contract/project.ts';
import { RefusedError, systemCode, toText } from '../base/errors.ts';
import { below, placeIn, ProjectFileError, type Entry, type Place } from '../files/place.ts';
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
  // Short, because the project's name may have the maximum length.
  const partial = join(into, `.${String(process.pid)}.${String(Date.now())}.partial`);
  let isWhole = false;
  try {
    await removeMadeFolder(partial);
    await makeProjectFolder(partial);
    const leftOut = new LeftOutOfExport();
    const before = await identityOfFolder(project);
    const files = yield* copyAll(project, partial, leftOut);
    await checkStillThere(project, before);
    await moveProjectFolder(partial, folder);
    isWhole = true;
    return { folder, files, leftOut: leftOut.told };
  } catch (error) {
    throw exportFailed(error);
  } finally {
    if (!isWhole) await removeMadeFolder(partial).catch(() => undefined);
  }
}

/** `taken`: an existing entry with the name of the export. Throws RefusedError. */
export async function checkMayExport(project: string, into: string, taken: string | null): Promise<void> {
  const remedy = messageFor('remedy.chooseOtherFolder');
  if (taken !== null)
    throw new RefusedError('folder_exists', messageFor('failure.exportExists', { path: taken }), remedy);
  if (`${await realPath(into)}${sep}`.startsWith(`${await realPath(project)}${sep}`)) {
    throw new RefusedError('export_inside', messageFor('failure.exportInside', { path: into }), remedy);
  }
}

/** Checks a project read to the end. Throws RefusedError if its folder has gone: unread files only seem deleted. */
export async function checkStillThere(project: string, before: string): Promise<void> {
  if ((await identityOfFolder(project).catch(() => null)) === before) return;
  const reason = messageFor('failure.folderWentAway', { path: project });
  const problem = messageFor('failure.projectNotExported', { reason });
  throw new RefusedError('export_failed', problem, messageFor('remedy.exportAgain'));
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
  let ofFiles = 0;
  let ofBytes = 0;
  for await (const { bytes } of filesIn(project)) {
    ofFiles += 1;
    ofBytes += bytes;
  }
  await requireRoom(target, ofBytes);
  let [files, bytes] = [0, 0];
  const list = await createFile(placeIn(target, CHECKSUMS));
  const made = new Set<string>();
  try {
    for await (const { place } of filesIn(project, leftOut)) {
      const copy = placeIn(target, ...place.names);
      const parent = copy.names.slice(0, -1);
      if (parent.length > 0 && !made.has(parent.join('/'))) {
        await makeFolder(placeIn(target, ...parent));
        made.add(parent.join('/'));
      }
      const hash = createHash('sha256');
      // A recipe may be replaced meanwhile, so hash exactly what is copied.
      const source = await openToCopy(place, leftOut);
      if (!source) continue;
      try {
        const to = await createFile(copy);
        try {
          for await (const part of partsOf(source.handle)) {
            hash.update(part);
            await to.writeFile(part);
            bytes += part.length;
            yield { files, ofFiles, bytes, ofBytes };
          }
          await to.sync();
        } finally {
          await to.close();
        }
      } finally {
        await source.handle.close();
      }
      await list.appendFile(checksumLine({ sha256: hash.digest('hex'), file: place.names.join('/') }));
      files += 1;
      yield { files, ofFiles, bytes, ofBytes };
    }
    await list.sync();
  } finally {
    await list.close();
  }
  for (const folder of made) await syncFolder(placeIn(target, folder));
  return files;
}

/** Opens a file to copy; null, and noted, if it has gone since it was listed. */
export async function openToCopy(place: Place, leftOut: LeftOutOfExport): Promise<OpenFile | null> {
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

export interface FileOfProject {
  readonly place: Place;
  readonly bytes: number;
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
export const filesIn = (project: string, leftOut?: LeftOutOfExport): AsyncGenerator<FileOfProject> =>
  filesBelow({ project, names: [] }, 0, NOT_COPIED, leftOut);

async function* filesBelow(
  folder: Place,
  depth: number,
  without: ReadonlySet<string>,
  leftOut?: LeftOutOfExport,
): AsyncGenerator<FileOfProject> {
  const entries = await listFolder(folder);
  for (const { name } of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const place = placeOrNull(folder, name);
    if (!place) leftOut?.add({ names: [...folder.names, name] }, 'name');
    if (!place || without.has(place.names.join('/'))) continue;
    const found = await look(place);
    if (!found) {
      leftOut?.add(place, 'gone');
      continue;
    }
    const why = whyLeftOut(found, depth);
    if (why !== null) leftOut?.add(place, why);
    else if (found.isDirectory()) yield* filesBelow(place, depth + 1, without, leftOut);
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
