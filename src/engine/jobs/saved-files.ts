import { basename } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { finish } from './persist-event.ts';
import { adoptTrashState } from '../projects/adopt.ts';
import { readRecipe } from '../projects/recipe-file.ts';
import { trashFile } from '../projects/foreign-files.ts';
import { hasMissingFiles, toTask } from '../machine/job-facts.ts';
import type { Job, SavedTake } from '../db/job-store.ts';
import { toFolder, toPath, placeIn, type Place } from '../files/place.ts';
import { areThere, fileNames, isOwnFile, look } from '../files/project-files.ts';
import { isFileHeld } from '../base/errors.ts';
import { place, settleName, sha256Of } from '../downloads/publish.ts';
import { partFile } from './parts.ts';
import { projectIsAway } from './disk-check.ts';
import { filesGone } from '../machine/failures.ts';
import { projectFor } from './planning.ts';
import { type JobEvent } from '../machine/job-machine.ts';
import type { StepContext } from './step-context.ts';

const TAKES_AT_ONCE = 200;
const FILES_AT_ONCE = 32;

export type Looked = { readonly projectId: string } | { readonly jobIds: readonly string[] };

/** Names of the files in a folder, or null where each file is checked separately. */
type ListFolder = (folder: Place) => Promise<ReadonlySet<string>> | null;

/**
 * Checks whether the files of saved takes are where they were published. A take whose file is gone is marked so; one
 * whose files are back is saved again. Nothing is fetched: a person may have removed a file on purpose. A project that
 * cannot be seen says nothing about its files. What another data folder moved to the trash, or restored, is in the
 * recipe.
 */
export async function lookAtFiles(context: StepContext, which: Looked): Promise<void> {
  const list: ListFolder = 'projectId' in which ? listedOnce() : () => null;
  for (const takes of context.jobs.onceSaved(which, TAKES_AT_ONCE)) {
    if (context.stopping.aborted) return;
    const files = takes.flatMap(toFiles);
    const missing = Map.groupBy(await filesMissing(files, list), ({ take }) => take);
    for (const take of takes) {
      const gone = (missing.get(take) ?? []).map(({ file }) => file);
      if (take.trash !== null) await judgeTrashed(context, take, gone, list);
      else if ((gone.length === 0) !== take.isSaved) await judge(context, take, gone);
    }
    // When the folder is already listed, nothing above waits for the disk, so nothing else would get a turn.
    await nextTurn();
  }
}

async function judge(
  context: StepContext,
  { id, revision, isSaved, project }: SavedTake,
  gone: readonly string[],
): Promise<void> {
  const job = context.jobs.get(id);
  // Renamed in the meantime: its files were looked for in the earlier folder.
  if (
    !job ||
    projectFor(context, job).path !== project ||
    !(isSaved || hasMissingFiles(job.state)) ||
    (await projectIsAway(context, job))
  )
    return;
  if (isSaved && ((await takenOver(context, project, job)) || (await placedAgain(context, project, job, gone)))) return;
  const now = context.ports.clock.now();
  const event: JobEvent = isSaved
    ? { type: 'files_gone', failure: filesGone(gone, toTask(job.state) !== null, now) }
    : { type: 'files_back', at: now };
  // A person may have decided about it since it was read.
  const current = context.jobs.get(id);
  if (current?.revision === revision && current.trash === null) await finish(context, context.advance(current, event));
}

/**
 * Files that left the trash without Dailies: a person removed them, or put them back after it was emptied. A trash that
 * was away for a while, for example because it was not synced yet, seemed empty: its files are back.
 */
async function judgeTrashed(
  context: StepContext,
  take: SavedTake,
  gone: readonly string[],
  list: ListFolder,
): Promise<void> {
  const { id, trash, files, project } = take;
  const isBack = trash === 'emptied' && gone.length === 0 && files.length > 0;
  const isEmptied = trash === 'trashed' && gone.length === files.length;
  const inTrash = trash === 'emptied' && !isBack ? await placesInTrash(context, take, list) : null;
  const job = isBack || isEmptied || inTrash ? context.jobs.get(id) : null;
  if (!job || (await projectIsAway(context, job)) || (await takenOver(context, project, job))) return;
  const { jobs, outputs } = context;
  if (jobs.get(id)?.trash !== trash) return;
  const places = outputs.outputs(id).map(({ number, file, home }) => ({ number, file: home ?? file, home: null }));
  jobs.inOneCommit(() => {
    if (inTrash) jobs.trash.set(id, 'trashed', inTrash);
    else jobs.trash.set(id, isBack ? null : 'emptied', places);
  });
  await finish(context, jobs.get(id) ?? job);
}

/** Where the files of a take are in the trash, when all are there; else null. Only reads the list of the folder. */
async function placesInTrash(context: StepContext, { id, project }: SavedTake, list: ListFolder) {
  const places = context.outputs
    .outputs(id)
    .map(({ file, ...output }) => ({ number: output.number, file: trashFile(id, output), home: file }));
  const [first] = places;
  const listed = first && (await list(toFolder(placeIn(project, first.file))));
  return listed && places.every(({ file }) => listed.has(basename(file))) ? places : null;
}

/** A power cut may take back the last names of files: their parts are given them again. False where one is missing. */
async function placedAgain(context: StepContext, project: string, job: Job, gone: readonly string[]): Promise<boolean> {
  for (const { number, file, bytes, sha256 } of context.outputs.outputs(job.id)) {
    if (!gone.includes(file)) continue;
    const [part, target] = [partFile(context, job, number), placeIn(project, file)];
    const found = await look(part);
    if (!found || !isOwnFile(found) || found.size !== bytes || (await sha256Of(part)) !== sha256) return false;
    if (!(await place(part, target))) return false;
    await settleName(part, target);
  }
  return true;
}

/** Whether a take's recipe says its files were trashed or restored, now stored. True too while it cannot be read. */
async function takenOver(context: StepContext, project: string, job: Job): Promise<boolean> {
  const recipe = await readRecipe(project, job.id).catch((error: unknown) => {
    if (!isFileHeld(error)) throw error;
    return 'held' as const;
  });
  if (recipe === 'held') return true;
  const current = context.jobs.get(job.id);
  if (!recipe || current?.trash !== job.trash || !adoptTrashState(context, current, recipe)) return false;
  context.touchManifest(job.batchId);
  return true;
}

interface TakeFile {
  readonly take: SavedTake;
  readonly file: string;
  readonly place: Place | null;
}

const toFiles = (take: SavedTake): TakeFile[] =>
  take.files.map((file) => ({ take, file, place: placeOrNull(take.project, file) }));

function placeOrNull(project: string, file: string): Place | null {
  try {
    return placeIn(project, file);
  } catch {
    return null;
  }
}

/** A listed file is there; any other is looked at, since it may be newer than the list. */
async function filesMissing(files: readonly TakeFile[], list: ListFolder): Promise<TakeFile[]> {
  const byFolder = Map.groupBy(files, ({ place }) => (place ? toPath(toFolder(place)) : null));
  const missing = await Promise.all(
    [...byFolder].map(async ([path, inFolder]) => {
      const [first] = inFolder;
      if (path === null || !first?.place) return inFolder;
      const folder = toFolder(first.place);
      const listed = await list(folder);
      return notThere(folder, listed ? inFolder.filter((file) => !listed.has(fileName(file))) : inFolder);
    }),
  );
  return missing.flat();
}

async function notThere(folder: Place, files: readonly TakeFile[]): Promise<TakeFile[]> {
  const missing: TakeFile[] = [];
  for (let start = 0; start < files.length; start += FILES_AT_ONCE) {
    const some = files.slice(start, start + FILES_AT_ONCE);
    const there = await areThere(folder, some.map(fileName)).catch(() => []);
    missing.push(...some.filter((_, index) => there[index] !== true));
  }
  return missing;
}

const fileName = ({ place }: TakeFile): string => place?.names.at(-1) ?? '';

/** Lists each folder once, when first needed: checking 50,000 files one by one takes seconds. */
function listedOnce(): ListFolder {
  const folders = new Map<string, Promise<ReadonlySet<string>>>();
  return (folder) => {
    const path = toPath(folder);
    const listed = folders.get(path) ?? fileNames(folder).catch(() => new Set<string>());
    folders.set(path, listed);
    return listed;
  };
}
