import type { Failure } from '../../contract/failure.ts';
import type { Job } from '../db/job-store.ts';
import { readRecipe } from '../projects/recipe-file.ts';
import { projectOf } from './planning.ts';
import type { StepContext } from './step-context.ts';

/**
 * What speaks against sending a take: its own recipe in the project folder tells of a submit that this database knows
 * nothing of. That is how it looks after the data folder was restored from an older backup, and sending it would pay
 * for it a second time. Null when nothing does. A recipe that only announces a submit is no such word: it is written
 * before the intent, and a crash in between leaves it behind.
 */
export async function sentElsewhere(context: StepContext, job: Job): Promise<Failure | null> {
  const recipe = await readRecipe(projectOf(context, job).path, job.id);
  if (!recipe?.attemptId || context.jobs.attempts.knows(job.id, recipe.attemptId)) return null;
  const wasSent = recipe.taskId !== undefined || recipe.state === 'saved' || recipe.state === 'submit_unknown';
  if (!wasSent) return null;
  const task = recipe.taskId === undefined ? '' : `, as task ${recipe.taskId}`;
  return {
    code: 'sent_already',
    message: `The project folder says that this take was sent before${task}, which this data folder does not know of: it may be an older copy.`,
    remedy:
      'Nothing was sent again. Open the project with a fresh data folder to go on with what the folder knows, or make a new take.',
    cost: recipe.taskId === undefined ? 'maybe' : 'charged',
    at: context.ports.clock.now(),
  };
}
