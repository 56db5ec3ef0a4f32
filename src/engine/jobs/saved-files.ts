import type { Job } from '../db/job-store.ts';
import { folderOf, pathOf, placeIn, type Place } from '../files/place.ts';
import { lookAtAll } from '../files/project-files.ts';
import { projectIsAway } from './disk-check.ts';
import { filesGone } from '../machine/failures.ts';
import { finish } from './folder-notes.ts';
import { hasLostItsFiles, taskOf, type JobEvent } from '../machine/job-machine.ts';
import { projectOf } from './planning.ts';
import type { StepContext } from './step-context.ts';

/** Files looked at at once: enough for a network drive, and little for the others. */
const AT_ONCE = 32;

export type Looked = { readonly projectId: string } | { readonly jobIds: readonly string[] };

/**
 * Looks whether the files of saved takes are where they were published. A take whose file is gone is saved no longer and
 * says so; one whose files are back is saved again. Nothing is fetched by this: a person may have removed a file on
 * purpose. A project that cannot be seen at the moment says nothing about its files.
 */
export async function lookAtFiles(context: StepContext, which: Looked): Promise<void> {
  for (const jobs of context.jobs.onceSaved(which, AT_ONCE)) {
    if (context.stopping.aborted) return;
    const some = jobs.filter(({ state }) => state.state === 'saved' || hasLostItsFiles(state));
    const files = some.map((job) => filesOf(context, job));
    const there = await pathsThere(files.flat());
    for (const [index, job] of some.entries()) {
      const missing = (files[index] ?? []).filter(({ place }) => place === null || !there.has(pathOf(place)));
      await judge(
        context,
        job,
        missing.map(({ file }) => file),
      );
    }
  }
}

async function judge(context: StepContext, job: Job, missing: readonly string[]): Promise<void> {
  const now = context.ports.clock.now();
  const isThere = missing.length === 0;
  if (isThere === (job.state.state === 'saved') || (await projectIsAway(context, job))) return;
  const event: JobEvent = isThere
    ? { type: 'files_back', at: now }
    : { type: 'files_gone', failure: filesGone(missing, taskOf(job.state) !== null, now) };
  // A person may have decided about it since it was read.
  const current = context.jobs.get(job.id);
  if (current?.revision === job.revision) await finish(context, context.advance(current, event));
}

/** A file of a take, and its place; null for one that cannot lie in the project. */
interface TakeFile {
  readonly file: string;
  readonly place: Place | null;
}

function filesOf(context: StepContext, job: Job): TakeFile[] {
  const { path } = projectOf(context, job);
  return context.outputs.outputs(job.id).map(({ file }) => ({ file, place: placeOrNull(path, file) }));
}

function placeOrNull(project: string, file: string): Place | null {
  try {
    return placeIn(project, file);
  } catch {
    return null;
  }
}

/** The paths at which there is a file, looked for folder by folder. */
async function pathsThere(files: readonly TakeFile[]): Promise<Set<string>> {
  const places = files.flatMap(({ place }) => place ?? []);
  const byFolder = Map.groupBy(places, (place) => pathOf(folderOf(place)));
  const there = await Promise.all(
    [...byFolder.values()].map(async (inFolder) => {
      const [first] = inFolder;
      const names = inFolder.map((place) => place.names.at(-1) ?? '');
      const found = first ? await lookAtAll(folderOf(first), names).catch(() => []) : [];
      return inFolder.filter((_, index) => found[index]?.isFile() === true).map(pathOf);
    }),
  );
  return new Set(there.flat());
}
