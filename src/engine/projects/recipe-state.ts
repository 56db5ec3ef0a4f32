import { hasMissingFiles, taskRef } from '../machine/job-facts.ts';
import { createHash } from 'node:crypto';
import { MADE_ELSEWHERE, type Attempt, type JobState, type TaskRef } from '../../contract/job.ts';
import type { Recipe } from '../../contract/take.ts';
import { announcedOnly, ROW_OUTDATED } from '../machine/failures.ts';

/**
 * The state of a take according to its recipe; null if nothing was sent. In doubt, it assumes that something was paid.
 */
export function stateOf(recipe: Recipe, attempt: Attempt | null, now: number): JobState | null {
  const task = taskOf(recipe);
  const failure = recipe.failure ?? announcedOnly(now);
  if (recipe.state === 'saved') {
    return {
      state: 'saved',
      attempt,
      task,
      savedAt: recipe.savedAt ?? recipe.updatedAt,
      ...(recipe.isCut && { isCut: true }),
    };
  }
  if (recipe.state === 'rejected') {
    // It is about what that data folder waited to send, and says nothing of the present row.
    const isLocal = failure.code === ROW_OUTDATED || failure.code === MADE_ELSEWHERE;
    return !attempt && isLocal ? null : { state: 'rejected', attempt, failure };
  }
  if (recipe.state === 'cancelled') return { state: 'cancelled', attempt, task, at: recipe.updatedAt };
  if (!attempt) return null;
  if (recipe.state === 'result_lost') return { state: 'result_lost', attempt, task, failure };
  if (!task) return { state: 'submit_unknown', attempt, failure };
  if (recipe.state === 'remote_failed') return { state: 'remote_failed', attempt, task, failure };
  if (recipe.state === 'remote_cancelled') return { state: 'remote_cancelled', attempt, task, failure };
  return { state: 'accepted', attempt, task, nextPollAt: now, deadlineAt: now + 24 * 3_600_000 };
}

/** Whether a recipe knows more about a request than the job's state since that request. */
export function isMoreComplete(recipe: Recipe, job: JobState): boolean {
  if (recipe.state === 'saved') return job.state !== 'saved' && !hasMissingFiles(job);
  const isClear = recipe.taskId !== undefined || recipe.state === 'rejected' || recipe.state === 'result_lost';
  return job.state === 'submit_unknown' && isClear;
}

/**
 * When a take was first saved, as in `Job.savedAt`. Without the time of its request, the time of its file measures
 * nothing.
 */
export const savedAtOf = ({ state, sentAt, savedAt }: Recipe): number | null =>
  sentAt === undefined ? 0 : (savedAt ?? (state === 'saved' ? 0 : null));

/** The last request that a recipe announces, as the attempt with that number; null if it announces none. */
export function attemptOf(recipe: Recipe, number: number): Attempt | null {
  if (!recipe.attemptId || !recipe.origin || !recipe.keyFingerprint) return null;
  const bodyHash = createHash('sha256')
    .update(JSON.stringify(recipe.request ?? null))
    .digest('hex');
  return {
    id: recipe.attemptId,
    number,
    bodyHash,
    origin: recipe.origin,
    keyFingerprint: recipe.keyFingerprint,
    intendedAt: recipe.sentAt ?? recipe.createdAt,
  };
}

function taskOf(recipe: Recipe): TaskRef | null {
  return recipe.taskId ? taskRef({ ...recipe, taskId: recipe.taskId }, recipe.updatedAt) : null;
}
