import { messageFor } from '../../contract/messages/message.ts';
import type { JsonObject } from '../../contract/json.ts';
import { toMessage } from '../base/errors.ts';
import type { Job } from '../db/job-store.ts';
import { isDatabaseTrouble, mayPass } from '../db/open.ts';
import { applyEvent, type JobEvent } from '../machine/job-machine.ts';
import { sleepUntil } from '../base/time-limit.ts';
import type { StepContext } from './step-context.ts';

/**
 * Stores what cannot be learned again, such as the id of a paid task: a locked or full database is tried until the
 * engine stops. If it stops first, the take's recipe keeps it for the next start. `also` is done in the same commit.
 */
export async function persistEvent(context: StepContext, job: Job, event: JobEvent, also?: () => void): Promise<Job> {
  const { clock } = context.ports;
  let isInRecipe = false;
  let isSaid = false;
  for (;;) {
    const isLastTry = context.stopping.aborted;
    try {
      return context.advance(job, event, also);
    } catch (error) {
      if (!isDatabaseTrouble(error)) throw error;
      isInRecipe ||= await updateRecipe(context, { ...job, state: applyEvent(job.state, event) });
      // Now, and not at the end: a second Ctrl-C or a kill leaves no time.
      if (!isInRecipe && !isSaid) isSaid = sayTask(context, job, event);
      if (isLastTry || !mayPass(error)) throw error;
      context.databaseBackoff.onError(error, clock.now());
    }
    // One of the waiting callers tries first; if it fails, the others continue to wait.
    for (let rest = context.databaseBackoff.at(clock.now()); rest; rest = context.databaseBackoff.at(clock.now())) {
      if (context.stopping.aborted) break;
      await sleepUntil(rest.until, clock, context.stopping);
    }
  }
}

function sayTask({ ports }: StepContext, { id, shotKey, take }: Job, event: JobEvent): boolean {
  if (event.type !== 'accepted') return false;
  const task = event.task.id;
  ports.logger.error('No disk takes the id of a task', { job: id, shot: shotKey, task });
  ports.sayAtOnce?.(messageFor('failure.taskInMemory', { task, shot: shotKey, take: String(take) }));
  return true;
}

/** False when the recipe could not be written: the database is the truth until the next step writes it. */
export async function updateRecipe(context: StepContext, job: Job): Promise<boolean> {
  try {
    await context.writeRecipe(job);
    return true;
  } catch (error) {
    context.ports.logger.warn('A recipe file could not be written', { job: job.id, reason: toMessage(error) });
    return false;
  }
}

export async function finish(context: StepContext, job: Job): Promise<void> {
  await updateRecipe(context, job);
  context.touchManifest(job.batchId);
}

/** Stores the price that an answer names, beside ours; a database failure loses only this. */
export function noteCost({ ledger, ports }: StepContext, attemptId: string, told: JsonObject | null): void {
  if (!told) return;
  try {
    ledger.tell(attemptId, told);
  } catch (error) {
    ports.logger.warn('The cost that an answer names could not be kept', { reason: toMessage(error) });
  }
}
