import { unboundReferences } from '../api/read-outcome.ts';
import { modelsNamed } from '../api/wire-schemas.ts';
import { costHintIn } from '../api/answer.ts';
import { finish, noteCost } from './persist-event.ts';
import { kindSpecs } from '../../contract/kinds/index.ts';
import { nextPollDelay } from '../machine/expected-end.ts';
import { NO_INCIDENT, type StepReport } from '../machine/job-facts.ts';
import type { Failure } from '../../contract/failure.ts';
import type { Attempt, JobState, JobStateOf, KeptAnswer, ResultLocation, TaskRef } from '../../contract/job.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { TakeExtras } from '../../contract/take.ts';
import type { ServiceClient } from '../api/client.ts';
import type { PollOutcome } from '../api/calls.ts';
import { backoff } from '../api/retry.ts';
import type { Job } from '../db/job-store.ts';
import type { Account } from '../db/service-store.ts';
import type { AnswerPart } from '../kinds/rules.ts';
import { driverFor, taskPathFor } from '../kinds/index.ts';
import {
  attachedTaskNotFound,
  keptNowhere,
  pollFailed,
  RESULT_UNREAD,
  resultUnread,
  taskCancelled,
  taskFailed,
} from '../machine/failures.ts';
import { keepMadeAsset } from '../library/uploads.ts';
import { placeResults } from '../machine/result-slots.ts';
import { keptFor, keptOnDisk, readResults, resultsIn } from './kept-answers.ts';
import { rowFor } from './planning.ts';
import { type StepContext } from './step-context.ts';

/** How often the service may not know a task that a person named, before the name counts as a mistake. */
const NOT_FOUND_TRIES = 3;

/** A look that is so much later than planned says little about when the task ended, ms. */
const LATE_LOOK_MS = 30_000;

const ERRORS_PAST_DEADLINE = 4;

/** How long the result of a finished task is asked for before a person decides, ms. */
const ASKED_FOR_RESULT_MS = 10 * 60_000;

type Followed = JobStateOf<'accepted'> | JobStateOf<'polling'>;

/**
 * Asks once about a job's task, at the address and with the key that it was accepted with. Only a final status ends a
 * task: after an error it is asked again, and a person decides about a task that is late.
 */
export async function pollJob(context: StepContext, job: Job): Promise<StepReport> {
  const state = job.state as Followed;
  const client = mayBeAsked(context, job, state.attempt) ? context.clients.forAccount(state.attempt) : null;
  if (!client) {
    // A task that cannot be asked about any more does not prevent a person from paying for another.
    const failure = againAfter(state);
    if (failure) await finish(context, context.advance(job, { type: 'task_failed', failure }));
    else context.hold(job, 'other_key');
    return NO_INCIDENT;
  }
  const outcome = await askAbout(context, client, job, state.task);
  // Stopped while asking: it is asked again at the next start.
  if (context.stopping.aborted && outcome.type === 'no_answer') return NO_INCIDENT;
  const report = await settlePoll(context, job, state, outcome);
  const asked = context.jobs.get(job.id);
  const now = context.ports.clock.now();
  if (asked && (isLate(state, asked.state, outcome, now) || isUnread(asked.state, now))) {
    context.hold(asked, 'deadline');
    if (isUnread(asked.state, now)) await finish(context, asked);
  }
  // Trouble at an address that gets no new work does not hold new work back.
  if (!context.clients.isCurrent(state.attempt)) return NO_INCIDENT;
  return report.saw === 'key_refused' && !isOfItsAccount(context, job, state.attempt) ? NO_INCIDENT : report;
}

/** Whether new takes of the project are sent with the account of a task: the project may have got another one. */
const isOfItsAccount = ({ clients, projects }: StepContext, { projectId }: Job, attempt: Attempt): boolean =>
  projects.service(projectId) === null || clients.servicesOf(attempt).includes(projects.service(projectId));

/**
 * Asks about each task of a take. The first one that is not over, or gave no answer, counts for all: the take is done
 * when every task is. Its results are those of the tasks that succeeded; it failed when none did.
 */
async function askAbout(context: StepContext, client: ServiceClient, job: Job, task: TaskRef): Promise<PollOutcome> {
  const { spec } = rowFor(context, job);
  const hasResult = (record: JsonObject): boolean => readResults(context, job, record).length > 0;
  const ask = (id: string): Promise<PollOutcome> =>
    client.poll(taskPathFor(spec, id, context.settings), { signal: context.stopping, hasResult });
  const first = await ask(task.id);
  if (!task.otherIds || !isOver(first)) return first;
  const ended = [first];
  for (const id of task.otherIds) {
    const outcome = await ask(id);
    if (!isOver(outcome)) return outcome;
    ended.push(outcome);
  }
  const done = ended.filter(({ status }) => status === 'succeeded');
  const [best = first] = done;
  return { ...best, otherAnswers: done.slice(1).map(({ answer }) => answer) };
}

type TaskOutcome = Extract<PollOutcome, { type: 'task' }>;

const isOver = (outcome: PollOutcome): outcome is TaskOutcome =>
  outcome.type === 'task' && outcome.status !== 'pending';

/**
 * Whether a person has to decide about a task that is not done by its deadline. Only answers of the service can show
 * that: after a weekend asleep, the deadline has passed before the first question although the task is long done. A
 * network failure says nothing about the task, and neither does one bad answer.
 */
function isLate(before: Followed, after: JobState, outcome: PollOutcome, now: number): boolean {
  if (after.state !== 'polling' || now < after.deadlineAt) return false;
  if (outcome.type === 'task') return outcome.status === 'pending' || after.pollErrors >= ERRORS_PAST_DEADLINE;
  const errorBefore = before.state === 'polling' ? before.lastFailure?.httpStatus : undefined;
  const keepsFailing = outcome.complaint.httpStatus !== undefined && errorBefore !== undefined;
  return keepsFailing && outcome.type !== 'throttled' && after.pollErrors >= ERRORS_PAST_DEADLINE;
}

/** Whether the key may go there: a take from a project folder made elsewhere could name any address. */
export function mayBeAsked(context: StepContext, job: Job, attempt: Attempt): boolean {
  return context.clients.isCurrent(attempt) || context.jobs.attempts.isOwn(job.id, attempt);
}

/** How a task ended that a person wants to make again; undefined when nobody does. */
const againAfter = (state: Followed) => (state.state === 'polling' ? state.againAfter : undefined);

/** Stores what a task's answer says of it. */
async function settlePoll(context: StepContext, job: Job, state: Followed, outcome: PollOutcome): Promise<StepReport> {
  const { clients, service, ports } = context;
  const now = ports.clock.now();
  const [polls, errors] = state.state === 'polling' ? [state.polls, state.pollErrors] : [0, 0];

  function askLater(nextPollAt: number, failure: Failure, kept?: KeptAnswer): void {
    context.advance(job, { type: 'poll_failed', nextPollAt, failure, kept });
  }

  function askForResult(failure: Failure, kept?: KeptAnswer): void {
    askLater(now + nextPollDelay(null, { elapsed: 0, polls }, ports.random), failure, kept);
  }

  async function settleTask(task: TaskOutcome): Promise<void> {
    const { status, remoteStatus, progress, complaint } = task;
    const wordIsNews = state.state === 'accepted' || state.remoteStatus !== remoteStatus;
    if (!task.known && wordIsNews) {
      const facts = { job: job.id, status: remoteStatus };
      ports.logger.warn('The service used a status word that the reference does not know', facts);
    }
    if (isOver(task)) clients.ceilings(state.attempt).ended(job.model, job.updatedAt);
    if (status === 'pending') {
      const times = service.learnedTaskTimes(state.attempt.origin, job.model);
      const elapsed = now - state.task.acceptedAt;
      const isAwaited = isPlaceAwaited(context, job, state.attempt);
      const nextPollAt = now + nextPollDelay(times, { elapsed, polls, isAwaited }, ports.random);
      context.advance(job, { type: 'still_running', nextPollAt, remoteStatus, progress });
    } else if (status === 'succeeded') {
      await settleSuccess(task);
    } else if (status === 'failed') {
      await finish(context, context.advance(job, { type: 'task_failed', failure: taskFailed(complaint, now) }));
    } else {
      await finish(context, context.advance(job, { type: 'task_cancelled', failure: taskCancelled(now) }));
    }
  }

  async function settleSuccess({ answer: last, otherAnswers = [] }: TaskOutcome): Promise<void> {
    const answers = [last, ...otherAnswers];
    const found = answers.map((answer) => readResults(context, job, answer));
    if (found.some((parts) => parts.length === 0)) return settleUnread(answers, found.flat());
    const results = await locationsFor(answers, found.flat());
    if (results === null) return askForResult(keptNowhere(now));
    if (wasWatchedToItsEnd(state, now)) {
      // It ended at some time between the last two looks. The middle is right on average. With the time of the last look,
      // tasks would seem slower, be looked at later, and seem slower still.
      const endedAt = (job.updatedAt + now) / 2;
      service.learnTaskTime(state.attempt.origin, job.model, endedAt - state.task.acceptedAt);
    }
    // The last answer counts: a task that was not bound at first may be by now.
    const unbound = unboundReferences(last) ?? state.task.unbound ?? [];
    const isNews = unbound.length > 0 || state.task.unbound !== undefined;
    const extras = driverFor(job.kind).readExtras?.(last, rowFor(context, job).spec);
    const also = extras ? () => keepExtras(extras) : undefined;
    const modelUsed = answers.flatMap(modelsNamed).find((model) => isOtherModel(context, job, model));
    context.advance(
      job,
      { type: 'succeeded', results, ...(isNews && { unbound }), ...(modelUsed !== undefined && { modelUsed }) },
      also,
    );
    noteCost(context, state.attempt.id, costHintIn(last));
  }

  function keepExtras(extras: TakeExtras): void {
    context.extras.save(job.id, extras);
    const made = { taskId: state.task.id, model: job.model, now };
    if (extras.asset) keepMadeAsset(context, state.attempt, extras.asset, made);
  }

  /** Where the results of a finished task are; null while no disk takes the answer that holds them. */
  async function locationsFor(
    answers: readonly JsonObject[],
    parts: readonly AnswerPart[],
  ): Promise<ResultLocation[] | null> {
    const urls = toUrls(parts);
    if (urls.length < parts.length) {
      const body = toBody(answers);
      return (await keptOnDisk(context, job, state.attempt, body)) ? resultsIn(context, job, body) : null;
    }
    // A later answer may list addresses in another order, or fewer of them: each output keeps its number.
    const placed = placeResults(context.outputs.slots(job.id), [...new Set(urls)]);
    context.outputs.place(job.id, placed);
    return placed.map((url) => ({ at: 'url', url }));
  }

  /**
   * A task that is done, in whose answer no result can be read. Its address may come shortly after its status: it is
   * asked again, as a task that is not done. What it answers is kept, and a person can name the result in it.
   */
  async function settleUnread(answers: readonly JsonObject[], parts: readonly AnswerPart[]): Promise<void> {
    const before = state.state === 'polling' ? state.lastFailure : null;
    const failure = resultUnread(before?.code === RESULT_UNREAD ? before.at : now);
    await keptOnDisk(context, job, state.attempt, toBody(answers));
    const kept = await keptFor(context, job, state.attempt);
    askForResult(failure, kept && { ...kept, ...(parts.length > 0 && { read: toUrls(parts) }) });
  }

  if (outcome.type === 'task') {
    await settleTask(outcome);
    return { saw: 'answer' };
  }
  const { complaint } = outcome;
  const failure = pollFailed(complaint, now);
  if (outcome.type === 'throttled') {
    askLater(clients.queues(state.attempt).poll.heldUntil() ?? now, failure);
    return { saw: 'answer' };
  }
  if (outcome.type === 'unauthorized') {
    askLater(now + 30_000, failure);
    if (complaint.httpStatus === 403) return NO_INCIDENT;
    const isElsewhere = !clients.isCurrent(state.attempt) || !isOfItsAccount(context, job, state.attempt);
    if (isElsewhere) context.hold(job, 'key_refused');
    return { saw: 'key_refused', message: complaint.message };
  }
  const before = againAfter(state);
  if (before && complaint.httpStatus === 404) {
    await finish(context, context.advance(job, { type: 'task_failed', failure: before }));
    return { saw: 'answer' };
  }
  if (state.task.attached && complaint.httpStatus === 404 && errors + 1 >= NOT_FOUND_TRIES) {
    const notFound = attachedTaskNotFound(state.task.id, complaint, now);
    await finish(context, context.advance(job, { type: 'attached_task_not_found', failure: notFound }));
    return { saw: 'answer' };
  }
  // Half of the backoff is fixed, so that unlucky jitter cannot lead to many quick requests.
  askLater(now + 1000 + backoff(errors + 1, ports.random), failure);
  return complaint.httpStatus === undefined ? { saw: 'no_connection', message: complaint.message } : NO_INCIDENT;
}

const toUrls = (parts: readonly AnswerPart[]): string[] => parts.flatMap((part) => ('url' in part ? [part.url] : []));

const toBody = (answers: readonly JsonObject[]): Buffer =>
  Buffer.from(JSON.stringify(answers.length === 1 ? answers[0] : answers));

/** Whether a person has to say what the result of a finished task is, since it has shown none for so long. */
const isUnread = (after: JobState, now: number): boolean =>
  after.state === 'polling' &&
  after.lastFailure?.code === RESULT_UNREAD &&
  now - after.lastFailure.at >= ASKED_FOR_RESULT_MS;

/** A row that needs no model asked for none. */
const isOtherModel = (context: StepContext, job: Job, model: string): boolean =>
  model.toLowerCase() !== job.model.toLowerCase() &&
  kindSpecs[job.kind].ownModel?.(rowFor(context, job).spec.params, '') !== job.model;

function isPlaceAwaited({ clients, jobs }: StepContext, { model }: Job, account: Account): boolean {
  if (!clients.ceilings(account).isFull(model)) return false;
  return clients.servicesOf(account).some((service) => jobs.due.hasReady(model, service));
}

/** Not one that a person named, that was found done after the machine slept, or whose clock was set back. */
function wasWatchedToItsEnd(state: Followed, now: number): boolean {
  if (state.task.attached === true || now - state.nextPollAt > LATE_LOOK_MS || state.task.acceptedAt > now)
    return false;
  return state.state === 'accepted' || (state.polls > 0 && state.pollErrors === 0 && state.addressRefreshes === 0);
}
