import { standingFor } from '../../contract/job.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import type { Job } from '../db/job-store.ts';
import type { Stores } from '../db/stores.ts';
import { KeyedMutex } from '../base/keyed-mutex.ts';
import { recipeFor, writeRecipe } from '../projects/recipe-file.ts';
import type { StepContext } from './step-context.ts';

/**
 * Writes the recipe files of takes, those of one take strictly in the order of the calls: a person and a step may both
 * change it, and an older state written last would hide that a POST was sent. Only the engine that has taken a project
 * writes there: another engine's state may be older.
 */
export function createRecipeWriter(
  stores: Stores,
  claim: (projectId: string) => Promise<void>,
): StepContext['writeRecipe'] {
  const takes = new KeyedMutex();
  return (job, request) =>
    takes.run(job.id, async () => {
      await claim(job.projectId);
      await writeOne(stores, job, request);
    });
}

async function writeOne(stores: Stores, job: Job, request: PlannedRequest | undefined): Promise<void> {
  const { jobs, batches, projects, outputs, review, uses, sources, extras } = stores;
  const batch = batches.get(job.batchId);
  const shot = batches.shot(job.shotId);
  const project = projects.get(job.projectId);
  if (!batch || !shot || !project) throw new Error(`Job ${job.id} has lost its shot.`);
  const facts = {
    request: request ?? jobs.attempts.lastRequest(job.id),
    outputs: outputs.outputs(job.id),
    assets: uses.ofTake(job.id),
    from: sources.of(job.id),
    extras: extras.of(job.id),
    verdict: review.verdict(job.id),
  };
  // A recipe that a power cut loses is written again when the take continues, but that of a submit must be on disk
  // first.
  const isWrittenAgain = standingFor(job.state.state, null) === 'unfinished' && job.state.state !== 'submitting';
  await writeRecipe(project.path, recipeFor(job, batch, shot.spec, facts), { syncName: !isWrittenAgain });
}
