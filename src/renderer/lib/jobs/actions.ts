import { t, sayText } from '../../../contract/messages/words.ts';
import { remedyAction } from '../../../contract/failure.ts';
import {
  isChargedAgain,
  isUnsent,
  type JobView,
  isCutOff,
  type KeptAnswer,
  type Resolution,
} from '../../../contract/job.ts';

const SENT = ['submitting', 'accepted', 'polling', 'downloading'];

type Facts = Pick<JobView, 'state' | 'standing' | 'paused' | 'taskId' | 'sentAt' | 'hasAnswer'>;

/**
 * Whether trying again can help: sends what was refused, fetches a finished result, follows a running task, resumes.
 */
function canRetry(job: Facts): boolean {
  switch (job.standing) {
    case 'failed':
      return job.state !== 'result_lost' || job.taskId !== undefined;
    case 'cancelled':
      // Sent, with neither a task nor an answer: sending it again could pay twice.
      return job.taskId !== undefined || job.hasAnswer === true || job.sentAt === undefined;
    case 'unknown':
      return isOverdue(job);
    case 'unfinished':
      return job.paused === 'elsewhere' ? isUnsent(job) : job.paused !== null && job.paused !== 'user';
    case 'saved':
      return false;
  }
}

/** Label of the button that tries again: with an ellipsis when a question comes first. */
export const retryLabel = ({ retry, retryCosts }: Pick<Actions, 'retry' | 'retryCosts'>): string =>
  retryCosts.length > 0 ? t('common.withDots', { action: retryWord(retry) }) : retryWord(retry);

export function retryWord(jobs: readonly Facts[]): string {
  const words = new Set(jobs.map(toRetryWord));
  const [word] = words;
  return word !== undefined && words.size === 1 ? word : t('common.tryAgain');
}

function toRetryWord(job: Facts): string {
  if (isOverdue(job)) return t('queue.waitLonger');
  switch (job.state) {
    case 'rejected':
      return t('common.sendAgain');
    case 'remote_failed':
    case 'remote_cancelled':
      return t('queue.newTask');
    case 'download_blocked':
      return t('queue.downloadAgain');
    case 'result_lost':
      return t('queue.followAgain');
    case 'cancelled':
      if (job.hasAnswer) return t('queue.saveResult');
      return job.taskId === undefined ? t('queue.queueAgain') : t('queue.followAgain');
    default:
      return t('common.resume');
  }
}

const canCancel = (job: Facts): boolean =>
  job.standing === 'unfinished' || (job.standing === 'unknown' && isOverdue(job));

/** Its task runs on at the service and is charged, followed or not. */
export const isAtService = ({ state, taskId }: Facts): boolean => taskId !== undefined || SENT.includes(state);

/** Whether the studio holds one that waits there is not known here: it can be held and resumed. */
const canHold = (job: Facts): boolean =>
  job.standing === 'unfinished' && (job.paused === null || (job.paused === 'elsewhere' && isUnsent(job)));
const isHeld = (job: Facts): boolean => job.standing === 'unfinished' && job.paused === 'user';

export const isUnknownSubmit = ({ state }: Pick<Facts, 'state'>): boolean => state === 'submit_unknown';

/** Accepted long ago, and not finished within the time allowed. */
export const isOverdue = ({ paused, standing }: Facts): boolean => standing === 'unknown' && paused === 'deadline';

export const needsDecision = (job: Facts): boolean => isUnknownSubmit(job) || isOverdue(job);

export interface Actions {
  readonly retry: readonly JobView[];
  readonly retryCosts: readonly JobView[];
  readonly cancel: readonly JobView[];
  readonly stillAtService: readonly JobView[];
  readonly hold: readonly JobView[];
  readonly release: readonly JobView[];
  /** They wait for a release; see the column `wait_for`. */
  readonly wait: readonly JobView[];
  readonly move: readonly JobView[];
  readonly decide: readonly JobView[];
}

export function toActions(jobs: readonly JobView[]): Actions {
  const retry = jobs.filter(canRetry);
  const cancel = jobs.filter(canCancel);
  return {
    retry,
    retryCosts: retry.filter(isChargedAgain),
    cancel,
    stillAtService: cancel.filter(isAtService),
    hold: jobs.filter(canHold),
    release: jobs.filter(isHeld),
    wait: jobs.filter(({ wait }) => wait === 'release'),
    move: jobs.filter(isUnsent),
    decide: jobs.filter(needsDecision),
  };
}

export function remedyHere(job: JobView): string {
  if (isOverdue(job) && !job.keptAnswer) return t('queue.overdueRemedy');
  return job.failure && remedyAction(job.failure) === 'set_key'
    ? t('queue.keyRejectedRemedy')
    : sayText(job.failure?.remedy ?? '');
}

export type Choice = Resolution['action'];

/** Why a text cannot be the id of a task of the service; null when it can. Ids are shown as one word by the service. */
export function problemOfTaskId(text: string, job: Pick<JobView, 'id' | 'requestId' | 'traceId'>): string | null {
  const id = text.trim();
  if (id === '') return t('queue.taskIdMissing');
  if (/\s|^https?:/i.test(id) || id.length > 200) return t('queue.taskIdInvalid');
  if (id === job.id) return t('queue.taskIdIs', { kind: 'take' });
  if (id === job.requestId) return t('queue.taskIdIs', { kind: 'request' });
  if (id === job.traceId) return t('queue.taskIdIs', { kind: 'trace' });
  return null;
}

/** Whether a person has confirmed a second charge: one by a tick, several by typing how many. */
export function isConfirmed(count: number, ticked: boolean, typed: string): boolean {
  return count === 1 ? ticked : typed.trim() === String(count);
}

/** Why a text cannot be the address of a result; null when it can. Without one, a whole kept answer is the result. */
export function problemOfAddress(text: string, kept: KeptAnswer | undefined): string | null {
  const address = text.trim();
  if (address === '' && kept) return isCutOff(kept) ? t('queue.addressNeeded') : null;
  return /^https?:\/\/\S+$/i.test(address) ? null : t('queue.addressInvalid');
}

export function resolutionFor(choice: Choice, taskId: string, address = ''): Resolution {
  switch (choice) {
    case 'attach':
      return { action: 'attach', taskId: taskId.trim() };
    case 'accept':
      return address.trim() === '' ? { action: 'accept' } : { action: 'accept', url: address.trim() };
    default:
      return { action: choice };
  }
}
