import { v7 as uuid } from 'uuid';
import type { Failure } from '../../contract/failure.ts';
import type { Attempt, JobStateOf, LookForTask } from '../../contract/job.ts';
import { ServiceError } from '../api/errors.ts';
import { toText } from '../api/answer.ts';
import { tasksWithState } from '../api/wire-schemas.ts';
import type { Job } from '../db/job-store.ts';
import { driverFor } from '../kinds/index.ts';
import { lookedFor, notListed } from '../machine/failures.ts';
import { taskRef } from '../machine/job-facts.ts';
import type { JobEvent } from '../machine/job-machine.ts';
import { NO_INCIDENT, type StepReport } from '../machine/job-facts.ts';
import { mayBeAsked } from './poll-step.ts';
import type { StepContext } from './step-context.ts';
import { finish } from './persist-event.ts';

/** Waits after looks without a find, ms: a list may show a task late. After the last one, a person decides. */
const LOOK_AGAIN_MS = [10_000, 60_000, 300_000];

/** Wait after a look without an answer, ms. It does not count: a network failure says nothing about the task. */
const ASK_AGAIN_MS = 60_000;

type Unknown = JobStateOf<'submit_unknown'>;

/** The outcome of an unclear submit. Where the service lists tasks by attempt, we look for its task first. */
export function unclearSubmit(
  context: StepContext,
  job: Job,
  attempt: Attempt,
  failure: Failure,
): { readonly failure: Failure; readonly look?: LookForTask } {
  if (listOf(context, job, attempt) === null) return { failure };
  return { failure: lookedFor(failure), look: { at: context.ports.clock.now(), looks: 0 } };
}

export function lookAgain(context: StepContext, job: Job): void {
  const { attempt, failure } = job.state as Unknown;
  if (listOf(context, job, attempt) === null) return;
  const look = { at: context.ports.clock.now(), looks: 0 };
  context.advance(job, { type: 'look', look, failure: lookedFor(failure) });
}

function listOf({ jobs, settings }: StepContext, job: Job, attempt: Attempt): string | null {
  const request = jobs.attempts.lastRequest(job.id);
  return (request && driverFor(job.kind).listPath?.(request, attempt.id, settings)) ?? null;
}

/**
 * Looks once for the task of a lost submit. A task that names the attempt proves that it was accepted, and is followed,
 * unless the list names whatever it is asked for. A list without it proves nothing: nothing is ever sent again because
 * of it.
 */
export async function lookForTask(context: StepContext, job: Job): Promise<StepReport> {
  const state = job.state as Unknown;
  const tasks = await listedTasks(context, job, state.attempt);
  // Stopped while asking: it is asked again at the next start.
  if (tasks === null && context.stopping.aborted) return NO_INCIDENT;
  const event = afterLook(context, job, state, tasks);
  const next = context.advance(job, event);
  if (event.type === 'attach' || !event.look) await finish(context, next);
  return NO_INCIDENT;
}

type AfterLook = Extract<JobEvent, { type: 'attach' | 'look' }>;

function afterLook(
  { jobs, ports, settings }: StepContext,
  job: Job,
  state: Unknown,
  tasks: string[] | null,
): AfterLook {
  const { attempt, failure, look: { looks } = { looks: 0 } } = state;
  const now = ports.clock.now();
  const deadlineMs = settings.deadlineHours * 3_600_000;
  const [taskId, ...otherTaskIds] = tasks ?? [];
  const isTaken = (tasks ?? []).some((id) => jobs.ofTask(id, attempt.origin, job.id) !== null);
  if (taskId !== undefined && !isTaken) {
    ports.logger.info('The task of a lost submit was found in the list', { job: job.id, shot: job.shotKey, taskId });
    const task = taskRef({ taskId, otherTaskIds }, attempt.intendedAt);
    return { type: 'attach', task, nextPollAt: now, deadlineAt: now + deadlineMs };
  }
  const isAsked = tasks !== null;
  const wait = isAsked ? LOOK_AGAIN_MS[looks] : ASK_AGAIN_MS;
  if (isTaken || wait === undefined || now > attempt.intendedAt + deadlineMs) {
    return { type: 'look', look: undefined, failure: notListed(failure) };
  }
  return { type: 'look', look: { at: now + wait, looks: looks + (isAsked ? 1 : 0) }, failure };
}

/** The tasks that the service lists for an attempt; null when it gave no answer that says anything. */
async function listedTasks(context: StepContext, job: Job, attempt: Attempt): Promise<string[] | null> {
  const path = listOf(context, job, attempt);
  const client = mayBeAsked(context, job, attempt) ? context.clients.forAccount(attempt) : null;
  if (path === null || !client) return [];
  const prompt = toText(context.jobs.attempts.lastRequest(job.id)?.body['prompt']);
  const listed = (from: string, state: string): Promise<string[]> =>
    client.readNow(from, (list) => tasksWithState(list, { state, prompt }), { signal: context.stopping });
  try {
    const tasks = await listed(path, attempt.id);
    if (tasks.length === 0) return [];
    // Nobody has sent this one: a list that has it repeats the question beside each task, other people's too.
    const control = uuid();
    const echoes = path.includes(attempt.id) ? await listed(path.replaceAll(attempt.id, control), control) : [];
    if (echoes.length === 0) return tasks;
    context.ports.logger.warn('The list of tasks repeats the state that it is asked for', { job: job.id });
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    context.ports.logger.warn('The list of tasks could not be read', { job: job.id, reason: error.message });
    return error.httpStatus === undefined || error.httpStatus === 429 ? null : [];
  }
}
