import type { Failure } from '../../contract/failure.ts';
import type { SubmitOutcome } from '../api/calls.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import type { ServiceProblem } from '../machine/failures.ts';

/** Failures of tools: what happened, what it cost, what to do next. Pure. */

type NotAccepted = Extract<SubmitOutcome, { type: 'never_sent' | 'throttled' | 'refused' }>;

/** Nothing was charged for certain. */
export function callNotAccepted({ type, complaint }: NotAccepted, at: number): Failure {
  const { code = type, message: reason, ...facts } = complaint;
  const words = {
    throttled: { message: messageFor('failure.busy'), remedy: messageFor('remedy.waitAndRunAgain') },
    refused: { message: messageFor('failure.refused', { reason }), remedy: remedyFor(complaint.httpStatus) },
    never_sent: {
      message: messageFor('failure.notSent', { reason }),
      remedy: messageFor('remedy.checkConnectionAndRunAgain'),
    },
  };
  return { code, ...words[type], ...facts, cost: 'nothing', at };
}

function remedyFor(httpStatus: number | undefined): Text {
  if (httpStatus === 401) return messageFor('remedy.setKeyAndRunAgain');
  if (httpStatus === 402) return messageFor('remedy.addCreditAndRunAgain');
  return messageFor('remedy.changeAndRunAgain');
}

export function callUnclear({ code = 'unclear', message: reason, ...facts }: ServiceProblem, at: number): Failure {
  const words = { message: messageFor('failure.callUnclear', { reason }), remedy: messageFor('remedy.sendCallAgain') };
  return { code, ...words, cost: 'maybe', at, ...facts };
}

/** Dailies ended during the call. */
export const callInterrupted = (at: number): Failure =>
  callUnclear({ code: 'interrupted', message: messageFor('failure.diedWhileSubmitting') }, at);

/** It was sent, but its answer is missing: a disk failed, or someone removed the file. */
export const callWithoutAnswer = (at: number): Failure =>
  callUnclear({ code: 'answer_gone', message: messageFor('failure.answerGone') }, at);

export type Unread = 'description' | 'prompts' | 'shots' | 'vectors' | 'findings';

/** The answer is complete but lacks what we asked for. */
export function answerNotUnderstood(what: Unread, answer: Buffer, file: string, at: number): Failure {
  const begins = answer.subarray(0, 300).toString('utf8').replaceAll(/\s+/g, ' ').trim();
  return {
    code: 'answer_unread',
    message:
      begins === '' ? messageFor('failure.toolAnswerEmpty') : messageFor('failure.toolAnswerUnread', { what, begins }),
    remedy: messageFor('remedy.otherModel', { file }),
    cost: 'charged',
    at,
  };
}
