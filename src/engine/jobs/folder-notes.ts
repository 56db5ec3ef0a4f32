import type { Job } from '../db/job-store.ts';
import { messageOf } from '../base/errors.ts';
import type { StepContext } from './step-context.ts';

/**
 * Brings the take's recipe file up to date. The database is the truth meanwhile, so a folder that cannot be written
 * is logged and no more: the file is written again at the next step.
 */
export async function noteInFolder(context: StepContext, job: Job): Promise<void> {
  try {
    await context.writeRecipe(job);
  } catch (error) {
    context.ports.logger.warn('A recipe file could not be written', { job: job.id, reason: messageOf(error) });
  }
}

/** A job has come to an end or to a person: its recipe and its row in the manifest say so. */
export async function finish(context: StepContext, job: Job): Promise<void> {
  await noteInFolder(context, job);
  context.touchManifest(job.batchId);
}
