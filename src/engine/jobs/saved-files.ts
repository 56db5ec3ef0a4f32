import type { Job } from '../db/job-store.ts';
import { placeIn } from '../projects/place.ts';
import { look } from '../projects/project-files.ts';
import { projectIsAway } from './disk-check.ts';
import { filesGone } from './failures.ts';
import { finish } from './folder-notes.ts';
import { hasLostItsFiles, taskOf, type JobEvent } from './job-machine.ts';
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
  const jobs = context.jobs.onceSaved(which).filter(({ state }) => state.state === 'saved' || hasLostItsFiles(state));
  for (let start = 0; start < jobs.length; start += AT_ONCE) {
    const some = jobs.slice(start, start + AT_ONCE);
    const missing = await Promise.all(some.map((job) => missingFilesOf(context, job)));
    for (const [index, job] of some.entries()) await judge(context, job, missing[index] ?? []);
  }
}

async function judge(context: StepContext, job: Job, missing: readonly string[]): Promise<void> {
  const now = context.ports.clock.now();
  const isThere = missing.length === 0;
  if (isThere === (job.state.state === 'saved') || (await projectIsAway(context, job))) return;
  if (context.stopping.aborted) return;
  const event: JobEvent = isThere
    ? { type: 'files_back', at: now }
    : { type: 'files_gone', failure: filesGone(missing, taskOf(job.state) !== null, now) };
  // A person may have decided about it since it was read.
  const current = context.jobs.get(job.id);
  if (current?.revision === job.revision) await finish(context, context.advance(current, event));
}

async function missingFilesOf(context: StepContext, job: Job): Promise<string[]> {
  const { path } = projectOf(context, job);
  const files = context.outputs.outputs(job.id).map(({ file }) => file);
  const there = await Promise.all(files.map((file) => isFile(path, file)));
  return files.filter((_, index) => there[index] === false);
}

async function isFile(project: string, file: string): Promise<boolean> {
  try {
    return (await look(placeIn(project, file)))?.isFile() === true;
  } catch {
    return false;
  }
}
