import { relative, sep } from 'node:path';
import { systemCode, toText } from '../base/errors.ts';
import type { Text } from '../../contract/messages/message.ts';
import type { VerifyNews } from '../../contract/project.ts';
import { sha256OfFile } from '../base/file-hash.ts';
import { createYielder } from '../base/slices.ts';
import type { ProjectFilesStore, SavedFile } from '../db/output-store.ts';
import { placeIn } from '../files/place.ts';
import { FILES_GONE } from '../machine/job-facts.ts';
import { openFile } from '../files/project-files.ts';
import { CHECKSUMS, parseChecksumLine, splitLines, type Checksum } from './checksums.ts';
import { checkIsProject } from '../files/project-folder.ts';
import { readRecipes } from './recipe-file.ts';

export interface FileTrouble {
  /** Relative to the folder, with forward slashes. */
  readonly file: string;
  /** `changed`: its bytes differ from those written. `unlisted`: in an archive but not on its list. */
  readonly problem: 'changed' | 'missing' | 'unreadable' | 'unlisted';
  readonly reason?: Text;
}

export interface Verified {
  /** Files checked, and bytes read. */
  readonly files: number;
  readonly bytes: number;
  readonly emptied: number;
  readonly by: 'checksums' | 'recipes';
}

export type VerifyProgress =
  | { readonly type: 'progress'; readonly files: number; readonly bytes: number }
  | ({ readonly type: 'trouble' } & FileTrouble);

/**
 * Reads every file for which a folder has a checksum and reports which have changed: the listed files of an exported
 * folder, or the files of a project's takes. Rejects with the signal's reason if that comes first.
 */
export async function* verifyProject(
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<VerifyProgress, Verified, undefined> {
  const listed = await checksumsIn(folder);
  let [files, bytes, emptied] = [0, 0, 0];
  for await (const wanted of listed ?? checksumsOfTakes(folder)) {
    signal.throwIfAborted();
    if (wanted === 'emptied') {
      emptied += 1;
      continue;
    }
    if ('problem' in wanted) {
      yield { type: 'trouble', ...wanted };
      continue;
    }
    files += 1;
    const looked = await verifyFile(folder, wanted, signal);
    bytes += looked.bytes;
    if (looked.trouble) yield { type: 'trouble', ...looked.trouble };
    yield { type: 'progress', files, bytes };
  }
  return { files, bytes, emptied, by: listed ? 'checksums' : 'recipes' };
}

/** A file that may be gone without a problem, because a person has rejected its take. */
interface Wanted extends Checksum {
  readonly mayBeGone?: boolean;
}

async function verifyFile(
  folder: string,
  { file, sha256, mayBeGone }: Wanted,
  signal: AbortSignal,
): Promise<{ readonly bytes: number; readonly trouble: FileTrouble | null }> {
  try {
    const { handle, bytes } = await openFile(placeIn(folder, file), 'read');
    try {
      const found = bytes === 0 ? EMPTY : await sha256OfFile(handle.fd, bytes, signal);
      return { bytes, trouble: found === sha256 ? null : { file, problem: 'changed' } };
    } finally {
      await handle.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (systemCode(error) !== 'ENOENT')
      return { bytes: 0, trouble: { file, problem: 'unreadable', reason: toText(error) } };
    return { bytes: 0, trouble: mayBeGone ? null : { file, problem: 'missing' } };
  }
}

const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The lines of an exported folder's list; null if there is none. */
async function checksumsIn(folder: string): Promise<AsyncGenerator<Checksum> | null> {
  try {
    const { handle } = await openFile(placeIn(folder, CHECKSUMS), 'read');
    return linesFor(handle);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

async function* linesFor(handle: Awaited<ReturnType<typeof openFile>>['handle']): AsyncGenerator<Checksum> {
  try {
    for await (const line of splitLines(handle.createReadStream({ autoClose: false, encoding: 'utf8' }))) {
      const checksum = parseChecksumLine(line);
      if (checksum) yield checksum;
    }
  } finally {
    await handle.close();
  }
}

async function* checksumsOfTakes(folder: string): AsyncGenerator<Wanted | FileTrouble | 'emptied'> {
  for await (const recipes of readRecipes(folder)) {
    for (const read of recipes) {
      if (!('value' in read)) {
        const { file, message } = read.problem;
        yield { file: relative(folder, file).split(sep).join('/'), problem: 'unreadable', reason: message };
        continue;
      }
      const { state, outputs, verdict, trash, failure } = read.value;
      if (state !== 'saved' && failure?.code !== FILES_GONE) continue;
      const isRejected = verdict?.flag === 'reject';
      for (const { file, sha256 } of outputs)
        yield trash === 'emptied' ? 'emptied' : { file, sha256, ...(isRejected && { mayBeGone: true }) };
    }
  }
}

type TakesNews = Extract<VerifyNews, { type: 'checked' | 'trouble' }>;
type Size = Pick<Verified, 'files' | 'bytes'>;

/** Progress is reported this often in a check at most: thousands of small files would keep a window busy. */
const MAX_REPORTS = 200;

interface TakesToVerify {
  readonly projectId: string;
  readonly files: ProjectFilesStore;
  /** Where the project is now: it may be renamed during the check. */
  readonly folder: () => string;
}

/**
 * Reads the files of all saved takes of a project, those in its trash too, and reports which are not as they were
 * saved. Throws RefusedError once the folder of the project is away, because then no file of it is missing.
 */
export async function* verifyTakes(
  takes: TakesToVerify,
  signal: AbortSignal,
): AsyncGenerator<TakesNews, Omit<Verified, 'by'>, undefined> {
  const { projectId, files: store, folder } = takes;
  await checkIsProject(folder(), projectId);
  const whole = await sizeFor(store.saved(projectId));
  let [files, bytes, emptied, reported] = [0, 0, 0, 0];
  for (const part of store.saved(projectId)) {
    for (const saved of part) {
      signal.throwIfAborted();
      if (saved.isEmptied) {
        emptied += 1;
        continue;
      }
      const trouble = await troubleWith(takes, saved, signal);
      files += 1;
      bytes += saved.bytes;
      if (trouble) yield trouble;
      if (files < whole.files && bytes - reported < whole.bytes / MAX_REPORTS) continue;
      reported = bytes;
      yield { type: 'checked', files, ofFiles: whole.files, bytes, ofBytes: whole.bytes };
    }
  }
  return { files, bytes, emptied };
}

async function troubleWith(
  { projectId, files, folder }: TakesToVerify,
  saved: SavedFile,
  signal: AbortSignal,
): Promise<TakesNews | null> {
  let { trouble } = await verifyFile(folder(), saved, signal);
  if (trouble?.problem === 'missing') {
    // It may have been moved since its place was read: to the trash and back, or with the project.
    const file = files.placeOf(saved);
    if (file === null) return null;
    trouble = (await verifyFile(folder(), { ...saved, file }, signal)).trouble;
    if (trouble) await checkIsProject(folder(), projectId);
  }
  if (!trouble || trouble.problem === 'unlisted') return null;
  const { takeId, batchId, shot, take } = saved;
  return { type: 'trouble', ...trouble, problem: trouble.problem, takeId, batchId, shot, take };
}

async function sizeFor(parts: Iterable<readonly SavedFile[]>): Promise<Size> {
  const giveWay = createYielder();
  let [files, bytes] = [0, 0];
  for (const part of parts) {
    for (const saved of part) {
      if (saved.isEmptied) continue;
      files += 1;
      bytes += saved.bytes;
    }
    await giveWay();
  }
  return { files, bytes };
}
