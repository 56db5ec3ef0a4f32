import type { Job } from '../db/job-store.ts';
import { takeStem } from '../downloads/take-path.ts';
import type { StepContext } from './step-context.ts';

/** Where one output of a take belongs: folder relative to the project, and safe name without extension. */
export function takeNames(
  context: StepContext,
  job: Job,
  number: number,
  of: number,
): { folder: string; stem: string } {
  const shot = context.batches.shot(job.shotId);
  const batch = context.batches.get(job.batchId);
  if (!shot || !batch) throw new Error(`Job ${job.id} has lost its shot.`);
  const naming = { template: batch.nameTemplate, shot: shot.spec, batch: batch.name, take: job.take };
  return { folder: batch.folder, stem: takeStem(naming, { number, of }) };
}
