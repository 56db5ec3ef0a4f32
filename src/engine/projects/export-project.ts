import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
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
const DEEPEST = 64;
/** Files about this machine or about downloads in progress, and the checksum list of an earlier export. */
const NOT_COPIED = new Set(['.dailies/parts', '.dailies/worked-from.json', CHECKSUMS]);

/**
 * Copies every file of a project into a folder with its name in `into` (absolute), with a list of SHA-256 checksums.
 * Links and other entries that are not the project's own files are left out and reported. See `exportTo`.
 */
export const exportProject = (project: string, into: string): Exporting =>
  exportTo(join(into, basename(project)), project, moveProjectFolder, async function* (partial, leftOut) {
    await makeProjectFolder(partial);
    return yield* copyAll(project, partial, leftOut);
  });

export type Exporting = AsyncGenerator<CopiedSoFar, ExportedProject, undefined>;

/**
 * Yields its progress; a caller that stops reading stops it. `target` gets its name when it is complete; a failed export
 * leaves nothing. Throws RefusedError.
 */
export async function* exportTo(
  target: string,
  project: string,
  place: (partial: string, target: string) => Promise<void>,
  copy: (partial: string, leftOut: LeftOut) => AsyncGenerator<CopiedSoFar, number, undefined>,
): Exporting {
  const into = dirname(target);
  if ((await lookAtFolder(target)) !== null) throw nameTaken(target);
  if (`${await realPath(into)}${sep}`.startsWith(`${await realPath(project)}${sep}`)) {
    throw refused('export_inside', messageFor('failure.exportInside', { path: into }), 'remedy.chooseOtherFolder');
  }
  // Short, because the project's name may have the maximum length.
  const partial = join(into, `.${String(process.pid)}.${String(Date.now())}.partial`);
  const leftOut: LeftOut = { count: 0, first: [] };
  try {
    const before = await identityOfFolder(project);
    const files = yield* copy(partial, leftOut);
    // Unread files of a folder that has gone only seem deleted.
    if ((await identityOfFolder(project).catch(() => null)) !== before) {
      const reason = messageFor('failure.folderWentAway', { path: project });
      throw refused('export_failed', messageFor('failure.projectNotExported', { reason }), 'remedy.exportAgain');
    }
    await place(partial, target);
    return { folder: target, files, leftOut };
  } catch (error) {
    throw exportFailed(error);
  } finally {
    await removeMadeFolder(partial).catch(() => undefined);
  }
}

export const nameTaken = (path: string): RefusedError =>
  refused('folder_exists', messageFor('failure.exportExists', { path }), 'remedy.chooseOtherFolder');

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
  leftOut: LeftOut,
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
  leftOut: LeftOut,
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
    const source = await openFile(place, 'read').catch((error: unknown) => {
      if (systemCode(error) !== 'ENOENT') throw error;
      leaveOut(leftOut, place, 'gone');
    });
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

export async function* partsOf(handle: FileHandle): AsyncGenerator<Buffer> {
  for await (const part of handle.createReadStream({ highWaterMark: PART_BYTES, autoClose: false }))
    yield part as Buffer;
}

function leaveOut(leftOut: LeftOut | undefined, { names }: Pick<Place, 'names'>, why: WhyLeftOut): void {
  if (!leftOut || (why === 'gone' && TEMPORARY.test(names.at(-1) ?? ''))) return;
  leftOut.count += 1;
  if (leftOut.first.length < MAX_LEFT_OUT) leftOut.first.push({ path: names.join('/'), why });
}

/** Every file of a project, folder by folder, except those about this machine and entries that are not its own. */
async function* filesIn(
  project: string,
  leftOut?: LeftOut,
  names: readonly string[] = [],
): AsyncGenerator<{ readonly place: Place; readonly bytes: number }> {
  const folder = { project, names };
  const entries = await listFolder(folder);
  for (const { name } of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const place = placeOrNull(folder, name);
    if (!place) leaveOut(leftOut, { names: [...folder.names, name] }, 'name');
    if (!place || NOT_COPIED.has(place.names.join('/'))) continue;
    const found = await look(place);
    if (!found) {
      leaveOut(leftOut, place, 'gone');
      continue;
    }
    const why = whyLeftOut(found, names.length);
    if (why !== null) leaveOut(leftOut, place, why);
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
