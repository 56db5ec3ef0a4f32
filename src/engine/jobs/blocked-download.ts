import { nothingUnusual, type StepReport } from '../machine/step-report.ts';
import type { Failure } from '../../contract/failure.ts';
import type { JobStateOf } from '../../contract/job.ts';
import type { Job } from '../db/job-store.ts';
import { pathOf } from '../files/place.ts';
import { look } from '../files/project-files.ts';
import { downloadBlocked } from '../machine/failures.ts';
import { finish } from './folder-notes.ts';
import { damagedFile } from './parts.ts';
import { type StepContext } from './step-context.ts';

/**
 * Leaves a take to a person: what was good of it is published by then, what came damaged lies aside, and fetching the
 * rest again is free.
 */
export async function blockDownload(context: StepContext, job: Job, failure: Failure): Promise<StepReport> {
  const { results } = job.state as JobStateOf<'downloading'>;
  const kept: string[] = [];
  for (const index of results.keys()) {
    const damaged = damagedFile(context, job, index + 1);
    if (await look(damaged).catch(() => null)) kept.push(pathOf(damaged));
  }
  const saved = context.outputs.outputs(job.id).length;
  const told = downloadBlocked(failure, { saved, of: results.length, kept });
  await finish(context, context.advance(job, { type: 'blocked', failure: told }));
  return nothingUnusual;
}
