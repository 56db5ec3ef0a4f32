import type { PlannedRequest } from '../../contract/take.ts';
import type { PollOutcome, SubmitOutcome } from './outcomes.ts';
import type { AnswerSpool } from './spool.ts';

/** How long we wait, ms. Those of submits are long on purpose: what is waited for has been paid for. */
export interface Timeouts {
  /** For a connection; nothing has been sent before it stands. */
  readonly connectMs: number;
  /** For the answer to a submit, from the connection on. */
  readonly submitMs: number;
  /** The same where the answer is the result. */
  readonly answerMs: number;
  /** For a whole GET. */
  readonly getMs: number;
}

/** Largest bodies that are read, bytes. */
export interface AnswerLimits {
  /** Of a task, a list, an error. */
  readonly json: number;
  /** Of a synchronous answer, which may carry several pictures as base64. */
  readonly result: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

interface SubmitOptions extends CallOptions {
  /** Whose tasks it adds to; absent where its 429 is about the rate alone. */
  readonly model?: string | undefined;
  /** Gets the raw body of a 2xx answer, which is on disk before it is read. */
  readonly spool?: AnswerSpool | undefined;
}

export type Submit = (request: PlannedRequest, options?: SubmitOptions) => Promise<SubmitOutcome>;
export type Poll = (path: string, options?: CallOptions) => Promise<PollOutcome>;
