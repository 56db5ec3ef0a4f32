import type { TakeFileTrouble } from '../../contract/project.ts';
import { givingWay } from '../base/slices.ts';
import type { ProjectFilesStore, SavedFile } from '../db/project-files-store.ts';
import { checkIsProject } from './overview.ts';
import { verifyFile } from './verify-project.ts';

export type VerifyTakesProgress =
  | ({ readonly type: 'checked' } & Size & { readonly ofFiles: number; readonly ofBytes: number })
  | ({ readonly type: 'trouble' } & TakeFileTrouble);

interface Size {
  readonly files: number;
  readonly bytes: number;
}

/** What was checked; `emptied` files were removed for good with the trash. */
export type VerifiedTakes = Size & { readonly emptied: number };

/** Progress is reported this often in a check at most: thousands of small files would keep a window busy. */
const MOST_REPORTS = 200;

export interface TakesToVerify {
  readonly projectId: string;
  readonly files: ProjectFilesStore;
  /** Where the project is now: it may be renamed during the check. */
  readonly folder: () => string;
}

/**
 * Reads the files of all saved takes of a project, those in its trash too, and reports which are not as they were
 * saved. Changes nothing. Throws RefusedError once the folder of the project is away, because then no file of it is
 * missing.
 */
export async function* verifyTakes(
  takes: TakesToVerify,
  signal: AbortSignal,
): AsyncGenerator<VerifyTakesProgress, VerifiedTakes, undefined> {
  const { projectId, files: store, folder } = takes;
  await checkIsProject(folder(), projectId);
  const whole = await sizeOf(store.saved(projectId));
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
      if (files < whole.files && bytes - reported < whole.bytes / MOST_REPORTS) continue;
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
): Promise<VerifyTakesProgress | null> {
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

async function sizeOf(parts: Iterable<readonly SavedFile[]>): Promise<Size> {
  const giveWay = givingWay();
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
