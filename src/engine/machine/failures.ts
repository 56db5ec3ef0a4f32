import { FILES_GONE } from './job-facts.ts';
import { withoutEnd } from '../base/text-ends.ts';
import type { Cost, Failure } from '../../contract/failure.ts';
import type { TaskRef } from '../../contract/job.ts';

/** What went wrong, for people and for logs. Never holds the query of an address. */
export interface DownloadComplaint {
  /** Stable: `download_truncated`, `http_502`, `address_refused`, … */
  readonly code: string;
  readonly message: string;
  readonly httpStatus?: number;
}

/** Ids the service gives for troubleshooting. */
export interface TraceIds {
  readonly requestId?: string;
  readonly traceId?: string;
}

/** What the service said when it refused or failed, as far as it said anything. */
export interface ServiceComplaint extends TraceIds {
  readonly httpStatus?: number;
  /** `error.code` of the reference's ErrorResponse, or a system code such as ECONNRESET. */
  readonly code?: string;
  readonly message: string;
}

/** Failures of jobs as sentences for people: what happened, what it cost, what to do next. Pure. */

function fromService(
  code: string,
  complaint: ServiceComplaint,
  words: Pick<Failure, 'message' | 'remedy' | 'cost'>,
  at: number,
): Failure {
  return {
    code,
    ...words,
    at,
    ...(complaint.httpStatus !== undefined && { httpStatus: complaint.httpStatus }),
    ...(complaint.requestId !== undefined && { requestId: complaint.requestId }),
    ...(complaint.traceId !== undefined && { traceId: complaint.traceId }),
  };
}

const codeOf = (complaint: ServiceComplaint, fallback: string) =>
  complaint.code ?? (complaint.httpStatus === undefined ? fallback : `http_${complaint.httpStatus}`);

/** `remedy` where more is known than that the row may be wrong. */
export function submitRefused(complaint: ServiceComplaint, at: number, remedy?: string): Failure {
  return fromService(
    codeOf(complaint, 'refused'),
    complaint,
    {
      message: `The service refused the request: ${complaint.message}`,
      remedy:
        remedy ??
        'Nothing was charged. Correct the row and import the list again, or retry the shot if the reason is gone.',
      cost: 'nothing',
    },
    at,
  );
}

export function keyRefused(complaint: ServiceComplaint, at: number): Failure {
  return fromService(
    'key_refused',
    complaint,
    {
      message: `The service rejected the key: ${complaint.message}`,
      remedy: 'Set a valid key. The queue then continues automatically.',
      cost: 'nothing',
    },
    at,
  );
}

export function noCredit(complaint: ServiceComplaint, at: number): Failure {
  return fromService(
    'no_credit',
    complaint,
    {
      message: `The account has no credit left: ${complaint.message}`,
      remedy: 'Nothing was charged for this shot. Add credit at the service, then resume the queue.',
      cost: 'nothing',
    },
    at,
  );
}

export function submitNotAccepted(complaint: ServiceComplaint, at: number): Failure {
  return fromService(
    codeOf(complaint, 'not_sent'),
    complaint,
    {
      message: complaint.message,
      remedy: 'Nothing to do: Dailies sends it when the service is ready.',
      cost: 'nothing',
    },
    at,
  );
}

export function submitUnclear(complaint: ServiceComplaint, at: number): Failure {
  return fromService(
    codeOf(complaint, 'submit_unknown'),
    complaint,
    {
      message: `It was sent, but no clear answer came back: ${withoutEnd(complaint.message, /\./)}. It may have been charged.`,
      remedy:
        'Look for it on the service’s own pages, then decide: follow its task, write it off, or send it again, with a ' +
        'second charge possible.',
      cost: 'maybe',
    },
    at,
  );
}

/** Put before the remedy of an unclear submit. */
const LOOKED_FOR =
  'Wait some minutes: Dailies looks for its task in the service’s list, and follows it when it is there. ';
const NOT_LISTED = 'The service’s list did not show its task, which does not prove that there is none. ';

/** Its task is looked for in the service's list. */
export const lookedFor = (failure: Failure): Failure => ({ ...failure, remedy: LOOKED_FOR + ownRemedy(failure) });

/** It was looked for in vain. */
export const notListed = (failure: Failure): Failure => ({ ...failure, remedy: NOT_LISTED + ownRemedy(failure) });

const ownRemedy = ({ remedy }: Failure): string => remedy.replace(LOOKED_FOR, '').replace(NOT_LISTED, '');

export function answerUnread(begins: string, at: number): Failure {
  return {
    code: 'answer_unread',
    message: `The answer of the service has no result that can be read. It begins: ${begins}`,
    remedy:
      'The answer is kept. Say where the result is in it, write the take off, or send it again, with a second charge possible.',
    cost: 'maybe',
    at,
  };
}

export function taskOfAnother(taskId: string, other: { shotKey: string; take: number }, at: number): Failure {
  const owner = `take ${String(other.take)} of shot ${other.shotKey}`;
  return submitUnclear(
    { code: 'task_of_another', message: `the service answered with task ${taskId}, which belongs to ${owner} already` },
    at,
  );
}

export function diedWhileSubmitting(at: number): Failure {
  return submitUnclear({ code: 'interrupted_submit', message: 'Dailies ended while the request was on its way' }, at);
}

export function failedWhileSubmitting(at: number): Failure {
  return submitUnclear(
    { code: 'failed_submit', message: 'Dailies failed while the request was on its way; details are in the log' },
    at,
  );
}

/** The project folder announces a request that this data folder knows nothing of. */
export function announcedOnly(at: number): Failure {
  return {
    ...submitUnclear({ message: '' }, at),
    code: 'sent_elsewhere',
    message:
      'The project folder says that it was being sent, but this data folder has no record of that. It may have been charged.',
  };
}

export function pollFailed(complaint: ServiceComplaint, at: number): Failure {
  return fromService(
    codeOf(complaint, 'poll_failed'),
    complaint,
    {
      message: `The state of the task could not be read: ${complaint.message}`,
      remedy: 'Nothing to do: the task continues at the service, and Dailies asks again.',
      cost: 'charged',
    },
    at,
  );
}

export function attachedTaskNotFound(taskId: string, complaint: ServiceComplaint, at: number): Failure {
  return submitUnclear(
    {
      ...complaint,
      code: 'task_not_found',
      message: `the service has no task ${taskId}, which was attached by hand`,
    },
    at,
  );
}

export function taskFailed(complaint: ServiceComplaint | null, at: number): Failure {
  return fromService(
    codeOf(complaint ?? { message: '' }, 'task_failed'),
    complaint ?? { message: '' },
    {
      message: `The service could not make it: ${complaint?.message ?? 'it gave no reason'}`,
      remedy: 'Read the reason, change the shot if needed, then make it again: that is a new task and a new charge.',
      cost: 'maybe',
    },
    at,
  );
}

/** The task goes on without them, and cannot be called back. */
export function referencesNotBound({ unbound = [], requestId, traceId, acceptedAt }: TaskRef): Failure | null {
  if (unbound.length === 0) return null;
  const which = unbound.length === 1 ? 'a reference' : `${unbound.length} references`;
  return {
    code: 'reference_not_bound',
    message: `The service did not bind ${which} to the task, which may ignore it and is charged: ${unbound.join(', ')}`,
    remedy: 'Compare the take with its references before you use it. Another take is charged again.',
    cost: 'charged',
    at: acceptedAt,
    ...(requestId !== undefined && { requestId }),
    ...(traceId !== undefined && { traceId }),
  };
}

/** The text is paid for as far as it goes. */
export const textCutShort = (at: number): Failure => ({
  code: 'text_cut_short',
  message: 'The text ends where it reached the limit of its request',
  remedy: 'Raise max_tokens in its row for a longer one. Another take is charged again.',
  cost: 'charged',
  at,
});

export function taskCancelled(at: number): Failure {
  return {
    code: 'task_cancelled',
    message: 'The task was cancelled at the service',
    remedy: 'To have the take all the same, make it again: that is a new task and a new charge.',
    cost: 'maybe',
    at,
  };
}

/** `output`: which of how many files of the take. */
export function downloadFailed(
  complaint: DownloadComplaint,
  { number, of }: { number: number; of: number },
  at: number,
): Failure {
  return {
    code: complaint.code,
    message: `${of > 1 ? `File ${number} of ${of}` : 'The file'} did not arrive: ${complaint.message}`,
    remedy: 'Nothing to do: Dailies fetches it again, at no charge.',
    cost: 'charged',
    at,
    ...(complaint.httpStatus !== undefined && { httpStatus: complaint.httpStatus }),
  };
}

/** `saved` of its `of` files are in the project. `kept`: where files lie that came and are not whole. */
export function downloadBlocked(
  failure: Failure,
  { saved, of, kept }: { saved: number; of: number; kept: readonly string[] },
): Failure {
  const sentences = [
    ...(saved > 0 ? [`${saved} of ${of} outputs saved.`] : []),
    failure.message,
    ...(kept.length > 0 ? [`The part that came is kept: ${kept.join(', ')}.`] : []),
  ];
  return {
    ...failure,
    message: sentences.join(' '),
    remedy: 'The result is paid for, and fetching it again is free: remove the cause, then fetch it again.',
  };
}

/** Something on this machine kept a shot from being sent. */
export function notPrepared(message: string, remedy: string, at: number, cost: Cost = 'nothing'): Failure {
  return { code: 'not_prepared', message, remedy, cost, at };
}

/** `files`: those that are gone, relative to the project folder. */
export function filesGone(files: readonly string[], hasTask: boolean, at: number): Failure {
  const [first = '', ...more] = files;
  const what = more.length === 0 ? `${first} is` : `${first} and ${more.length} more of its files are`;
  return {
    code: FILES_GONE,
    message: `${what} no longer in the project folder.`,
    remedy: hasTask
      ? 'Put it back, or fetch it again: that is free, as long as the service keeps the result.'
      : 'Put it back. The service has no task to ask for it again; a new take is a new charge.',
    cost: 'charged',
    at,
  };
}

export function givenUp(at: number, cost: Cost): Failure {
  return {
    code: 'given_up',
    message: 'Written off by decision',
    remedy: 'Nothing to do.',
    cost,
    at,
  };
}
