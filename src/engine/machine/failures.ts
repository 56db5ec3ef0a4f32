import { FILES_GONE } from './job-facts.ts';
import type { Cost, Failure } from '../../contract/failure.ts';
import { MADE_ELSEWHERE, type TaskRef } from '../../contract/job.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';

/** What went wrong. Never contains the query of an address. */
export interface DownloadProblem {
  /** Stable: `download_truncated`, `http_502`, `address_refused`, … */
  readonly code: string;
  readonly message: Text;
  readonly httpStatus?: number;
}

/** Ids the service gives for troubleshooting. */
export interface TraceIds {
  readonly requestId?: string;
  readonly traceId?: string;
}

/** The service's words when it refused or failed. */
export interface ServiceProblem extends TraceIds {
  readonly httpStatus?: number;
  /** `error.code` of the reference's ErrorResponse, or a system code such as ECONNRESET. */
  readonly code?: string;
  readonly message: Text;
}

/** Failures of jobs: what happened, what it cost, what to do next. Pure. */

function fromService(
  code: string,
  { httpStatus, requestId, traceId }: ServiceProblem,
  words: Pick<Failure, 'message' | 'remedy' | 'cost'>,
  at: number,
): Failure {
  return {
    code,
    ...words,
    at,
    ...(httpStatus !== undefined && { httpStatus }),
    ...(requestId !== undefined && { requestId }),
    ...(traceId !== undefined && { traceId }),
  };
}

const codeOf = (complaint: ServiceProblem, fallback: string) =>
  complaint.code ?? (complaint.httpStatus === undefined ? fallback : `http_${complaint.httpStatus}`);

/** `remedy` where more is known than that the row may be wrong. */
export function submitRefused(complaint: ServiceProblem, at: number, remedy?: Text): Failure {
  const message = messageFor('failure.refused', { reason: complaint.message });
  const words = { message, remedy: remedy ?? messageFor('remedy.correctRow'), cost: 'nothing' } as const;
  return fromService(codeOf(complaint, 'refused'), complaint, words, at);
}

export function keyRefused(complaint: ServiceProblem, at: number): Failure {
  const message = messageFor('failure.keyRejected', { reason: complaint.message });
  return fromService('key_refused', complaint, { message, remedy: messageFor('remedy.setKey'), cost: 'nothing' }, at);
}

export function noCredit(complaint: ServiceProblem, at: number): Failure {
  const message = messageFor('failure.noCredit', { reason: complaint.message });
  return fromService('no_credit', complaint, { message, remedy: messageFor('remedy.addCredit'), cost: 'nothing' }, at);
}

export function submitNotAccepted(complaint: ServiceProblem, at: number): Failure {
  const remedy = messageFor('remedy.sentWhenReady');
  return fromService(
    codeOf(complaint, 'not_sent'),
    complaint,
    { message: complaint.message, remedy, cost: 'nothing' },
    at,
  );
}

export function submitUnclear(complaint: ServiceProblem, at: number): Failure {
  const message = messageFor('failure.unclear', { reason: complaint.message });
  const words = { message, remedy: messageFor('remedy.decide'), cost: 'maybe' } as const;
  return fromService(codeOf(complaint, 'submit_unknown'), complaint, words, at);
}

/** Its task is looked for in the service's list. */
export const lookedFor = (failure: Failure): Failure => ({ ...failure, remedy: messageFor('remedy.waitForLook') });

export const notListed = (failure: Failure): Failure => ({ ...failure, remedy: messageFor('remedy.decideNotListed') });

export function answerUnread(begins: string, at: number): Failure {
  return {
    code: 'answer_unread',
    message: messageFor('failure.answerUnread', { begins }),
    remedy: messageFor('remedy.readAnswer'),
    cost: 'maybe',
    at,
  };
}

export function taskOfAnother(taskId: string, other: { shotKey: string; take: number }, at: number): Failure {
  const owner = { shot: other.shotKey, take: String(other.take) };
  const message = messageFor('failure.taskOfAnother', { task: taskId, ...owner });
  return submitUnclear({ code: 'task_of_another', message }, at);
}

export const ROW_OUTDATED = 'row_outdated';

/** The project's list has another row now, or none: the take was not sent. */
export const rowOutdated = (at: number): Failure => ({
  code: ROW_OUTDATED,
  message: messageFor('failure.rowOutdated'),
  remedy: messageFor('remedy.runListForRow'),
  cost: 'nothing',
  at,
});

/** The same was sent from another data folder while the take waited: it was not sent. */
export const madeElsewhere = (there: { shot: string; take: string; batch: string }, at: number): Failure => ({
  code: MADE_ELSEWHERE,
  message: messageFor('failure.madeElsewhere', there),
  remedy: messageFor('remedy.retryMadeElsewhere'),
  cost: 'nothing',
  at,
});

export function diedWhileSubmitting(at: number): Failure {
  return submitUnclear({ code: 'interrupted_submit', message: messageFor('failure.diedWhileSubmitting') }, at);
}

export function failedWhileSubmitting(at: number): Failure {
  return submitUnclear({ code: 'failed_submit', message: messageFor('failure.failedWhileSubmitting') }, at);
}

/** The project folder announces a request that this data folder does not know. */
export function announcedOnly(at: number): Failure {
  return {
    code: 'sent_elsewhere',
    message: messageFor('failure.announcedOnly'),
    remedy: messageFor('remedy.decide'),
    cost: 'maybe',
    at,
  };
}

export function pollFailed(complaint: ServiceProblem, at: number): Failure {
  const message = messageFor('failure.pollFailed', { reason: complaint.message });
  const words = { message, remedy: messageFor('remedy.askedAgain'), cost: 'charged' } as const;
  return fromService(codeOf(complaint, 'poll_failed'), complaint, words, at);
}

export const RESULT_UNREAD = 'result_unread';

/** `since`: when its answer was first found without a result that can be read. */
export const resultUnread = (since: number): Failure => ({
  code: RESULT_UNREAD,
  message: messageFor('failure.resultUnread'),
  remedy: messageFor('remedy.nameResult'),
  cost: 'charged',
  at: since,
});

/** The answer of a finished task holds its result, and no disk takes it; the task gives it again. */
export const keptNowhere = (at: number): Failure =>
  pollFailed({ code: 'answer_not_kept', message: messageFor('failure.answerNotKept') }, at);

export function attachedTaskNotFound(taskId: string, complaint: ServiceProblem, at: number): Failure {
  const message = messageFor('failure.attachedTaskNotFound', { task: taskId });
  return submitUnclear({ ...complaint, code: 'task_not_found', message }, at);
}

export function taskFailed(complaint: ServiceProblem | null, at: number): Failure {
  const told = complaint ?? { message: '' };
  const message = complaint
    ? messageFor('failure.taskFailed', { reason: complaint.message })
    : messageFor('failure.taskFailedSilently');
  const words = { message, remedy: messageFor('remedy.changeShot'), cost: 'maybe' } as const;
  return fromService(codeOf(told, 'task_failed'), told, words, at);
}

/** The task continues without them, and cannot be called back. */
export function referencesNotBound({ unbound = [], requestId, traceId, acceptedAt }: TaskRef): Failure | null {
  if (unbound.length === 0) return null;
  return {
    code: 'reference_not_bound',
    message: messageFor('failure.notBound', { count: unbound.length, references: unbound }),
    remedy: messageFor('remedy.compareReferences'),
    cost: 'charged',
    at: acceptedAt,
    ...(requestId !== undefined && { requestId }),
    ...(traceId !== undefined && { traceId }),
  };
}

/** It is paid for, at the price of the service. */
export const otherModelUsed = (used: string, asked: string, at: number): Failure => ({
  code: 'other_model',
  message: messageFor('failure.otherModel', { used, asked }),
  remedy: messageFor('remedy.compareModel'),
  cost: 'charged',
  at,
});

/** It was cancelled after its answer had come. */
export const answerKept = (at: number): Failure => ({
  code: 'answer_kept',
  message: messageFor('failure.answerKept'),
  remedy: messageFor('remedy.retrySaves'),
  cost: 'charged',
  at,
});

/** The part of the text that arrived is paid for. */
export const textCutShort = (at: number): Failure => ({
  code: 'text_cut_short',
  message: messageFor('failure.textCutShort'),
  remedy: messageFor('remedy.raiseMaxTokens'),
  cost: 'charged',
  at,
});

export function taskCancelled(at: number): Failure {
  return {
    code: 'task_cancelled',
    message: messageFor('failure.taskCancelled'),
    remedy: messageFor('remedy.makeAgain'),
    cost: 'maybe',
    at,
  };
}

/** `output`: which of how many files of the take. */
export function downloadFailed(
  complaint: DownloadProblem,
  { number, of }: { number: number; of: number },
  at: number,
): Failure {
  return {
    code: complaint.code,
    message: messageFor('failure.notDownloaded', { number, of, reason: complaint.message }),
    remedy: messageFor('remedy.downloadedAgain'),
    cost: 'charged',
    at,
    ...(complaint.httpStatus !== undefined && { httpStatus: complaint.httpStatus }),
  };
}

/** `saved` of its `of` files are in the project. `kept`: the folder with files that arrived but are not whole. */
export function downloadBlocked(
  failure: Failure,
  { saved, of, kept }: { saved: number; of: number; kept: readonly string[] },
): Failure {
  return {
    ...failure,
    message: messageFor('failure.blocked', { saved, of, reason: failure.message, count: kept.length, kept }),
    remedy: messageFor('remedy.removeCause'),
  };
}

/** Something on this machine prevented a shot from being sent. */
export function notPrepared(message: Text, remedy: Text, at: number, cost: Cost = 'nothing'): Failure {
  return { code: 'not_prepared', message, remedy, cost, at };
}

/** The cap was reached before it was sent. */
export function capReached(at: number): Failure {
  const words = { message: messageFor('failure.capReached'), remedy: messageFor('remedy.raiseCap') };
  return { code: 'cap_reached', ...words, cost: 'nothing', at };
}

/** The cap of the agent that asked for it was reached before it was sent. */
export function agentCapReached(at: number): Failure {
  const words = { message: messageFor('failure.agentCapReached'), remedy: messageFor('remedy.agentCap') };
  return { code: 'agent_cap_reached', ...words, cost: 'nothing', at };
}

/** `files`: those that are gone, relative to the project folder. */
export function filesGone(files: readonly string[], hasTask: boolean, at: number): Failure {
  const [file = ''] = files;
  return {
    code: FILES_GONE,
    message: messageFor('failure.filesGone', { file, more: files.length - 1 }),
    remedy: messageFor(hasTask ? 'remedy.putBackOrFetch' : 'remedy.putBack'),
    cost: 'charged',
    at,
  };
}

export function givenUp(at: number, cost: Cost): Failure {
  return { code: 'given_up', message: messageFor('failure.writtenOff'), remedy: messageFor('remedy.none'), cost, at };
}
