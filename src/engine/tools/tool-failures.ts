import type { Failure } from '../../contract/failure.ts';
import type { SubmitOutcome } from '../api/outcomes.ts';
import { withoutEnd } from '../base/text-ends.ts';
import type { ServiceComplaint } from '../machine/failures.ts';

/** Failures of tools as sentences for people: what happened, what it cost, what to do next. Pure. */

type NotAccepted = Extract<SubmitOutcome, { type: 'never_sent' | 'throttled' | 'refused' }>;

/** Certainly nothing was charged. */
export function callNotAccepted({ type, complaint }: NotAccepted, at: number): Failure {
  const facts = { ...factsOf(complaint), cost: 'nothing' as const, at };
  const code = complaint.code ?? type;
  if (type === 'throttled') {
    const message = 'The service is busy. Nothing was charged.';
    return { code, message, remedy: 'Wait a minute, then run it again.', ...facts };
  }
  const reason = withoutEnd(complaint.message, /\./);
  if (type === 'refused') {
    return {
      code,
      message: `The service refused the request: ${reason}. Nothing was charged.`,
      remedy: remedyFor(complaint.httpStatus),
      ...facts,
    };
  }
  return {
    code,
    message: `The request was not sent: ${reason}. Nothing was charged.`,
    remedy: 'Check the connection and the key, then run it again.',
    ...facts,
  };
}

function remedyFor(httpStatus: number | undefined): string {
  if (httpStatus === 401) return 'Enter a valid key in Settings, then run it again.';
  if (httpStatus === 402) return 'Add credit at the service, then run it again.';
  return 'Change what the message names (often the model), then run it again.';
}

/** It left this machine, and nobody knows what became of it. */
export function callUnclear(complaint: ServiceComplaint, at: number): Failure {
  return {
    code: complaint.code ?? 'unclear',
    message: `The request was sent, but no clear answer came back: ${withoutEnd(complaint.message, /\./)}. It may have been charged.`,
    remedy: SEND_AGAIN,
    cost: 'maybe',
    at,
    ...factsOf(complaint),
  };
}

/** Dailies was ended in the middle. */
export const callInterrupted = (at: number): Failure =>
  callUnclear({ code: 'interrupted', message: 'Dailies was ended while the request was on its way' }, at);

/** It was sent, and its answer is not where it should be: a disk failed, or the file was taken away. */
export const callWithoutAnswer = (at: number): Failure =>
  callUnclear({ code: 'answer_gone', message: 'its answer is not on this disk' }, at);

/** The answer came whole, and holds nothing that was asked for. */
export function answerNotUnderstood(what: string, answer: Buffer, file: string, at: number): Failure {
  const begins = answer.subarray(0, 300).toString('utf8').replaceAll(/\s+/g, ' ').trim();
  return {
    code: 'answer_unread',
    message: `The service answered, but ${what}. It is charged. The answer begins: ${begins || 'nothing at all'}`,
    remedy: `The whole answer is kept in ${file}. Another model may answer better; that is a new charge.`,
    cost: 'charged',
    at,
  };
}

const SEND_AGAIN =
  'Look at the service’s own pages. To send it again, with a second charge possible, run it once more and confirm.';

function factsOf({ httpStatus, requestId, traceId }: ServiceComplaint): Partial<Failure> {
  return {
    ...(httpStatus !== undefined && { httpStatus }),
    ...(requestId !== undefined && { requestId }),
    ...(traceId !== undefined && { traceId }),
  };
}
