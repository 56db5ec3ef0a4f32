import { FILES_GONE } from './job-facts.ts';
import type { PlainKey } from '../../contract/messages/message-for.ts';
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

function failed(
  code: string,
  cost: Cost,
  message: Text,
  remedy: PlainKey,
  at: number,
  { httpStatus, requestId, traceId }: { [Fact in keyof ServiceProblem]?: ServiceProblem[Fact] | undefined } = {},
): Failure {
  return {
    ...{ code, message, remedy: messageFor(remedy), cost, at },
    ...(httpStatus !== undefined && { httpStatus }),
    ...(requestId !== undefined && { requestId }),
    ...(traceId !== undefined && { traceId }),
  };
}

const codeFor = (complaint: ServiceProblem, fallback: string) =>
  complaint.code ?? (complaint.httpStatus === undefined ? fallback : `http_${complaint.httpStatus}`);

/** `remedy` where more is known than that the row may be wrong. */
export function submitRefused(complaint: ServiceProblem, at: number, remedy?: Text): Failure {
  const message = messageFor('failure.refused', { reason: complaint.message });
  const failure = failed(codeFor(complaint, 'refused'), 'nothing', message, 'remedy.correctRow', at, complaint);
  return remedy === undefined ? failure : { ...failure, remedy };
}

export function keyRefused(complaint: ServiceProblem, at: number): Failure {
  const message = messageFor('failure.keyRejected', { reason: complaint.message });
  return failed('key_refused', 'nothing', message, 'remedy.setKey', at, complaint);
}

export function noCredit(complaint: ServiceProblem, at: number): Failure {
  const message = messageFor('failure.noCredit', { reason: complaint.message });
  return failed('no_credit', 'nothing', message, 'remedy.addCredit', at, complaint);
}

export const submitNotAccepted = (complaint: ServiceProblem, at: number): Failure =>
  failed(codeFor(complaint, 'not_sent'), 'nothing', complaint.message, 'remedy.continuesAutomatically', at, complaint);

export function submitUnclear(complaint: ServiceProblem, at: number): Failure {
  const message = messageFor('failure.unclear', { reason: complaint.message });
  return failed(codeFor(complaint, 'submit_unknown'), 'maybe', message, 'remedy.decide', at, complaint);
}

export const lookedFor = (failure: Failure): Failure => ({ ...failure, remedy: messageFor('remedy.waitForLook') });

export const notListed = (failure: Failure): Failure => ({ ...failure, remedy: messageFor('remedy.decideNotListed') });

export const answerUnread = (begins: string, at: number): Failure =>
  failed('answer_unread', 'maybe', messageFor('failure.answerUnread', { begins }), 'remedy.readAnswer', at);

export function taskOfAnother(taskId: string, other: { shotKey: string; take: number }, at: number): Failure {
  const owner = { shot: other.shotKey, take: String(other.take) };
  const message = messageFor('failure.taskOfAnother', { task: taskId, ...owner });
  return submitUnclear({ code: 'task_of_another', message }, at);
}

export const ROW_OUTDATED = 'row_outdated';

/** The project's list has another row now, or none: the take was not sent. */
export const rowOutdated = (at: number): Failure =>
  failed(ROW_OUTDATED, 'nothing', messageFor('failure.rowOutdated'), 'remedy.runListForRow', at);

/** The same was sent from another data folder while the take waited: it was not sent. */
export const madeElsewhere = (there: { shot: string; take: string; batch: string }, at: number): Failure =>
  failed(MADE_ELSEWHERE, 'nothing', messageFor('failure.madeElsewhere', there), 'remedy.retryMadeElsewhere', at);

export const diedWhileSubmitting = (at: number): Failure =>
  submitUnclear({ code: 'interrupted_submit', message: messageFor('failure.diedWhileSubmitting') }, at);

export const failedWhileSubmitting = (at: number): Failure =>
  submitUnclear({ code: 'failed_submit', message: messageFor('failure.failedWhileSubmitting') }, at);

/** The project folder announces a request that this data folder does not know. */
export const announcedOnly = (at: number): Failure =>
  failed('sent_elsewhere', 'maybe', messageFor('failure.announcedOnly'), 'remedy.decide', at);

export function pollFailed(complaint: ServiceProblem, at: number): Failure {
  const message = messageFor('failure.pollFailed', { reason: complaint.message });
  return failed(codeFor(complaint, 'poll_failed'), 'charged', message, 'remedy.continuesAutomatically', at, complaint);
}

export const RESULT_UNREAD = 'result_unread';

/** `since`: when its answer was first found without a result that can be read. */
export const resultUnread = (since: number): Failure =>
  failed(RESULT_UNREAD, 'charged', messageFor('failure.resultUnread'), 'remedy.nameResult', since);

/** The answer of a finished task holds its result, and no disk takes it; the task gives it again. */
export const keptNowhere = (at: number): Failure =>
  pollFailed({ code: 'answer_not_kept', message: messageFor('failure.answerNotKept') }, at);

export function attachedTaskNotFound(taskId: string, complaint: ServiceProblem, at: number): Failure {
  const message = messageFor('failure.attachedTaskNotFound', { task: taskId });
  return submitUnclear({ ...complaint, code: 'task_not_found', message }, at);
}

export function taskFailed(complaint: ServiceProblem | null, at: number): Failure {
  const told = complaint ?? { message: '' };
  const message = messageFor('failure.taskFailed', { reason: complaint?.message ?? messageFor('failure.noReason') });
  return failed(codeFor(told, 'task_failed'), 'maybe', message, 'remedy.changeShot', at, told);
}

export function referencesNotBound({ unbound = [], acceptedAt, ...ids }: TaskRef): Failure | null {
  if (unbound.length === 0) return null;
  const message = messageFor('failure.notBound', { count: unbound.length, references: unbound });
  return failed('reference_not_bound', 'charged', message, 'remedy.compareModel', acceptedAt, ids);
}

/** It is paid for, at the price of the service. */
export const otherModelUsed = (used: string, asked: string, at: number): Failure =>
  failed('other_model', 'charged', messageFor('failure.otherModel', { used, asked }), 'remedy.compareModel', at);

export const answerKept = (at: number): Failure =>
  failed('answer_kept', 'charged', messageFor('failure.answerKept'), 'remedy.retrySaves', at);

/** The part of the text that arrived is paid for. */
export const textCutShort = (at: number): Failure =>
  failed('text_cut_short', 'charged', messageFor('failure.textCutShort'), 'remedy.raiseMaxTokens', at);

export const taskCancelled = (at: number): Failure =>
  failed('task_cancelled', 'maybe', messageFor('failure.taskCancelled'), 'remedy.changeShot', at);

export function downloadFailed(
  complaint: DownloadProblem,
  { number, of }: { number: number; of: number },
  at: number,
): Failure {
  const message = messageFor('failure.notDownloaded', { number, of, reason: complaint.message });
  return failed(complaint.code, 'charged', message, 'remedy.downloadedAgain', at, complaint);
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

export function notPrepared(message: Text, remedy: Text, at: number, cost: Cost = 'nothing'): Failure {
  return { code: 'not_prepared', message, remedy, cost, at };
}

export const capReached = (at: number): Failure =>
  failed('cap_reached', 'nothing', messageFor('failure.capReached'), 'remedy.raiseCap', at);

export const agentCapReached = (at: number): Failure =>
  failed('agent_cap_reached', 'nothing', messageFor('failure.agentCapReached'), 'remedy.agentCap', at);

/** `files`: relative to the project folder. */
export function filesGone(files: readonly string[], hasTask: boolean, at: number): Failure {
  const [file = ''] = files;
  const message = messageFor('failure.filesGone', { file, more: files.length - 1 });
  return failed(FILES_GONE, 'charged', message, hasTask ? 'remedy.putBackOrFetch' : 'remedy.putBack', at);
}

export const givenUp = (at: number, cost: Cost): Failure =>
  failed('given_up', cost, messageFor('failure.writtenOff'), 'remedy.none', at);
