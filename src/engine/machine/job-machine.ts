import { toAttempt, toTask, isUnfinished, hasMissingFiles, savedOf } from './job-facts.ts';
import type { Failure } from '../../contract/failure.ts';
import {
  isUnsent,
  type Attempt,
  type JobState,
  type JobStateName,
  type JobStateOf,
  type KeptAnswer,
  type LookForTask,
  type ResultLocation,
  type TaskRef,
} from '../../contract/job.ts';

/** All that can happen to a job, stored by `JobStore.advance` alone. An event that does not fit is a bug and throws. */
export type JobEvent =
  // Before the POST
  /** Its media have to be uploaded, or are not usable yet. */
  | ({ type: 'await_assets' } & Omit<JobStateOf<'needs_assets'>, 'state'>)
  | { type: 'assets_ready' }
  | { type: 'postponed'; notBefore: number; failure: Failure }
  | { type: 'unprepared'; failure: Failure }
  | { type: 'intended'; attempt: Attempt }
  // How the POST ended
  | { type: 'not_accepted'; notBefore: number | null; failure: Failure }
  | { type: 'accepted'; task: TaskRef; nextPollAt: number; deadlineAt: number }
  | { type: 'answered'; results: ResultLocation[] }
  | { type: 'refused'; failure: Failure }
  | { type: 'unclear'; failure: Failure; kept?: KeptAnswer | undefined; look?: LookForTask | undefined }
  | { type: 'look'; look: LookForTask | undefined; failure: Failure }
  /** Its paid answer was found on this disk. */
  | { type: 'answer_found'; kept?: KeptAnswer | undefined; results: ResultLocation[] }
  // Following the task
  | { type: 'still_running'; nextPollAt: number; remoteStatus: string; progress?: string | undefined }
  | { type: 'poll_failed'; nextPollAt: number; failure: Failure; kept?: KeptAnswer | undefined }
  | { type: 'succeeded'; results: ResultLocation[]; unbound?: string[]; modelUsed?: string }
  | { type: 'task_failed'; failure: Failure }
  | { type: 'task_cancelled'; failure: Failure }
  | { type: 'attached_task_not_found'; failure: Failure }
  // Fetching, checking and publishing its files
  | { type: 'readdressed'; results: ResultLocation[] }
  | { type: 'download_delayed'; retryAt: number; failure: Failure; countsAsTry: boolean }
  | { type: 'address_expired'; nextPollAt: number; deadlineAt: number; failure: Failure }
  | { type: 'blocked'; failure: Failure }
  | { type: 'saved'; at: number }
  // Checking what was saved
  | { type: 'files_gone'; failure: Failure }
  | { type: 'files_back'; at: number }
  // A person decides
  | { type: 'cancel'; at: number }
  | { type: 'attach'; task: TaskRef; nextPollAt: number; deadlineAt: number }
  | { type: 'give_up'; failure: Failure }
  | { type: 'resubmit' }
  | { type: 'retry'; at: number; deadlineAt: number }
  // The project folder knows more than the database
  | { type: 'found_in_folder'; state: JobState };

export type JobEventType = JobEvent['type'];
type EventOf<Type extends JobEventType> = Extract<JobEvent, { type: Type }>;

export class IllegalTransitionError extends Error {
  constructor(state: JobStateName, event: JobEventType) {
    super(`A job that is ${state} cannot take the step ${event}.`);
  }
}

export const newJob: JobStateOf<'ready'> = { state: 'ready', notBefore: null, lastFailure: null };

/** The first state of a job; nothing is done for it before `notBefore` (ms). */
export const firstState = (needsAssets: boolean, now: number, notBefore: number | null = null): JobState =>
  needsAssets ? { state: 'needs_assets', since: now, nextCheckAt: notBefore ?? now } : { ...newJob, notBefore };

type Rules = { [Type in JobEventType]: (state: JobState, event: EventOf<Type>) => JobState | null };

/** One rule for each event: the next state, or null when the event does not fit. */
const rules: Rules = {
  await_assets: (job, { type: _, ...facts }) => (isUnsent(job) ? { state: 'needs_assets', ...facts } : null),
  assets_ready: (job) => (job.state === 'needs_assets' ? newJob : null),
  postponed: (job, { notBefore, failure }) => (job.state === 'ready' ? ready(failure, notBefore) : null),
  unprepared: (job, { failure }) => (isUnsent(job) ? { state: 'rejected', attempt: null, failure } : null),
  intended: (job, { attempt }) => (job.state === 'ready' ? { state: 'submitting', attempt } : null),

  not_accepted: (job, { notBefore, failure }) => (job.state === 'submitting' ? ready(failure, notBefore) : null),
  accepted: (job, { task, nextPollAt, deadlineAt }) =>
    job.state === 'submitting' ? { state: 'accepted', attempt: job.attempt, task, nextPollAt, deadlineAt } : null,
  // Also when its fate is unknown: a kept answer was found later, or a person accepted it as the result. Of a task that
  // shows no result, a person named it.
  answered: (job, { results }) => {
    if (job.state === 'submitting' || job.state === 'submit_unknown')
      return downloading({ attempt: job.attempt, task: null, results, addressRefreshes: 0 });
    return job.state === 'polling' ? downloading({ ...job, results }) : null;
  },
  refused: (job, { failure }) =>
    job.state === 'submitting' ? { state: 'rejected', attempt: job.attempt, failure } : null,
  unclear: (job, { failure, kept, look }) =>
    job.state === 'submitting'
      ? { state: 'submit_unknown', attempt: job.attempt, failure, ...(kept && { kept }), ...(look && { look }) }
      : null,
  look: (job, { look, failure }) => {
    if (job.state !== 'submit_unknown') return null;
    const { look: _before, ...rest } = job;
    return { ...rest, failure, ...(look && { look }) };
  },

  answer_found: (job, { kept, results }) => {
    if (job.state === 'submit_unknown') return kept ? { ...job, kept } : null;
    return job.state === 'cancelled' && job.attempt && !job.task && results.length > 0 ? { ...job, results } : null;
  },

  // A task that still runs is followed like any other: the person agreed to pay again for one that is over.
  still_running: (job, { nextPollAt, remoteStatus, progress }) =>
    isFollowed(job)
      ? {
          ...stillRunning(polling(job)),
          polls: toPolls(job) + 1,
          pollErrors: 0,
          nextPollAt,
          remoteStatus,
          progress,
          lastFailure: null,
        }
      : null,
  poll_failed: (job, { nextPollAt, failure, kept }) =>
    isFollowed(job)
      ? {
          ...polling(job),
          polls: toPolls(job) + 1,
          pollErrors: (job.state === 'polling' ? job.pollErrors : 0) + 1,
          nextPollAt,
          lastFailure: failure,
          ...(kept && { kept }),
        }
      : null,
  succeeded: (job, { results, unbound, modelUsed }) =>
    isFollowed(job)
      ? downloading({
          attempt: job.attempt,
          task: { ...job.task, ...(unbound && { unbound }), ...(modelUsed !== undefined && { modelUsed }) },
          results,
          addressRefreshes: job.state === 'polling' ? job.addressRefreshes : 0,
        })
      : null,
  task_failed: (job, { failure }) =>
    isFollowed(job)
      ? (sentAgain(job, failure) ?? { state: 'remote_failed', attempt: job.attempt, task: job.task, failure })
      : null,
  task_cancelled: (job, { failure }) =>
    isFollowed(job)
      ? (sentAgain(job, failure) ?? { state: 'remote_cancelled', attempt: job.attempt, task: job.task, failure })
      : null,
  // A person attached a wrong id: the submit is as unknown as before.
  attached_task_not_found: (job, { failure }) =>
    isFollowed(job) && job.task.attached === true ? { state: 'submit_unknown', attempt: job.attempt, failure } : null,

  readdressed: (job, { results }) => (job.state === 'downloading' ? { ...job, results } : null),
  download_delayed: (job, { retryAt, failure, countsAsTry }) =>
    job.state === 'downloading'
      ? { ...job, tries: job.tries + (countsAsTry ? 1 : 0), retryAt, lastFailure: failure }
      : null,
  address_expired: (job, { nextPollAt, deadlineAt, failure }) =>
    job.state === 'downloading' && job.task
      ? {
          state: 'polling',
          attempt: job.attempt,
          task: job.task,
          nextPollAt,
          deadlineAt,
          polls: 0,
          pollErrors: 0,
          remoteStatus: 'succeeded',
          lastFailure: failure,
          addressRefreshes: job.addressRefreshes + 1,
        }
      : null,
  blocked: (job, { failure }) =>
    job.state === 'downloading' ? { ...located(job), state: 'download_blocked', failure } : null,
  saved: (job, { at }) => (job.state === 'downloading' ? savedOf(job, at) : null),

  files_gone: (job, { failure }) =>
    job.state === 'saved' && job.attempt
      ? { state: 'result_lost', attempt: job.attempt, task: job.task, failure }
      : null,
  files_back: (job, { at }) =>
    hasMissingFiles(job) ? { state: 'saved', attempt: job.attempt, task: job.task, savedAt: at } : null,

  // A submit under way cannot be called back; the runner cancels once its answer is known. A submit of unknown
  // fate needs a decision and cannot be cancelled: it may have been charged, and that must stay visible.
  cancel: (job, { at }) =>
    isUnfinished(job) && job.state !== 'submitting' && job.state !== 'submit_unknown'
      ? {
          state: 'cancelled',
          attempt: toAttempt(job),
          task: toTask(job),
          at,
          ...('results' in job && job.task === null && { results: job.results }),
        }
      : null,
  attach: (job, { task, nextPollAt, deadlineAt }) =>
    job.state === 'submit_unknown' ? { state: 'accepted', attempt: job.attempt, task, nextPollAt, deadlineAt } : null,
  give_up: (job, { failure }) => {
    const attempt = toAttempt(job);
    const undecided = job.state === 'submit_unknown' || job.state === 'download_blocked' || isFollowed(job);
    return undecided && attempt ? { state: 'result_lost', attempt, task: toTask(job), failure } : null;
  },
  resubmit: (job) => (job.state === 'submit_unknown' ? ready(job.failure) : null),
  retry: (job, { at, deadlineAt }) => retried(job, at, deadlineAt),
  found_in_folder: (job, { state }) => (job.state === 'submitting' ? null : state),
};

/** The state after `event`. Throws IllegalTransitionError when the event does not fit. */
export function applyEvent(state: JobState, event: JobEvent): JobState {
  const rule = rules[event.type] as (state: JobState, event: JobEvent) => JobState | null;
  const next = rule(state, event);
  if (!next) throw new IllegalTransitionError(state.state, event.type);
  return next;
}

export function allows(state: JobState, event: JobEvent): boolean {
  const rule = rules[event.type] as (state: JobState, event: JobEvent) => JobState | null;
  return rule(state, event) !== null;
}

/**
 * Only a job with nothing left to ask for costs a new task: a job that has a task is followed again, even one that
 * failed, and a result that still exists is fetched again. A submit of unknown fate is never retried, only resolved.
 */
function retried(job: JobState, at: number, deadlineAt: number): JobState | null {
  switch (job.state) {
    case 'rejected':
      return ready(job.failure);
    case 'remote_failed':
    case 'remote_cancelled':
      return {
        ...followedAgain(job.attempt, job.task, at, deadlineAt, job.failure),
        againAfter: job.failure,
      };
    case 'download_blocked':
      if (job.task) return followedAgain(job.attempt, job.task, at, deadlineAt, job.failure);
      return { ...downloading(job), lastFailure: job.failure };
    case 'result_lost':
      return job.task ? followedAgain(job.attempt, job.task, at, deadlineAt, job.failure) : null;
    case 'cancelled':
      if (job.attempt && job.task) return followedAgain(job.attempt, job.task, at, deadlineAt, null);
      if (job.attempt && job.results) {
        return downloading({ attempt: job.attempt, task: null, results: job.results, addressRefreshes: 0 });
      }
      // An attempt that was cancelled without a task may still have been charged: only a new job is safe.
      return job.attempt ? null : newJob;
    case 'accepted':
      return followedAgain(job.attempt, job.task, at, deadlineAt, null);
    case 'polling':
      return {
        ...followedAgain(job.attempt, job.task, at, deadlineAt, null),
        ...(job.againAfter && { againAfter: job.againAfter }),
      };
    default:
      return null;
  }
}

function followedAgain(
  attempt: Attempt,
  task: TaskRef,
  nextPollAt: number,
  deadlineAt: number,
  lastFailure: Failure | null,
): JobStateOf<'polling'> {
  return {
    state: 'polling',
    attempt,
    task,
    nextPollAt,
    deadlineAt,
    polls: 0,
    pollErrors: 0,
    remoteStatus: '',
    lastFailure,
    addressRefreshes: 0,
  };
}

type Followed = JobStateOf<'accepted'> | JobStateOf<'polling'>;
type Located = Pick<JobStateOf<'downloading'>, 'attempt' | 'task' | 'results' | 'addressRefreshes'>;

const ready = (lastFailure: Failure, notBefore: number | null = null): JobStateOf<'ready'> => ({
  state: 'ready',
  notBefore,
  lastFailure,
});

const isFollowed = (job: JobState): job is Followed => job.state === 'accepted' || job.state === 'polling';
const toPolls = (job: Followed) => (job.state === 'polling' ? job.polls : 0);

function polling(job: Followed): JobStateOf<'polling'> {
  return job.state === 'polling'
    ? job
    : { ...followedAgain(job.attempt, job.task, job.nextPollAt, job.deadlineAt, null), remoteStatus: 'submitted' };
}

/** What was known of a task that is over. */
function stillRunning({ againAfter: _again, kept: _kept, ...job }: JobStateOf<'polling'>): JobStateOf<'polling'> {
  return job;
}

/** The state before the task was over, for a person who wants to pay for another one. */
function sentAgain(job: Followed, failure: Failure): JobStateOf<'ready'> | null {
  const isWanted = job.state === 'polling' && job.againAfter !== undefined;
  return isWanted ? ready(failure) : null;
}

const located = ({ attempt, task, results, addressRefreshes }: Located) => ({
  attempt,
  task,
  results,
  addressRefreshes,
});

const downloading = (job: Located): JobStateOf<'downloading'> => ({
  ...located(job),
  state: 'downloading',
  tries: 0,
  retryAt: null,
  lastFailure: null,
});
