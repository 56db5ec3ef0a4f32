import type { JsonObject } from '../../contract/json.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import type { PollOutcome, SubmitOutcome } from './outcomes.ts';
import type { AnswerSpool } from './spool.ts';

/** How long we wait, ms. Submits wait long on purpose, because their answers may have been paid for. */
export interface Timeouts {
  /** Limit for opening a connection. Until then, nothing was sent. */
  readonly connectMs: number;
  /** For the answer to a submit, from the time of the connection. */
  readonly submitMs: number;
  /** The same for a submit whose answer is the result. */
  readonly answerMs: number;
  /** For a whole GET. */
  readonly getMs: number;
}

/** The largest bodies that are read, bytes. */
export interface AnswerLimits {
  /** For a task, a list or an error. */
  readonly json: number;
  /** For a synchronous answer, which may contain several pictures as base64. */
  readonly result: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

interface SubmitOptions extends CallOptions {
  /** The model whose tasks it adds to; absent if a 429 can only be about the rate. */
  readonly model?: string | undefined;
  /** Receives the raw body of a 2xx answer, which is on disk before we read it. */
  readonly spool?: AnswerSpool | undefined;
}

export type Submit = (request: PlannedRequest, options?: SubmitOptions) => Promise<SubmitOutcome>;

interface PollOptions extends CallOptions {
  /** Whether a record without a status has a result, and so is done; never without it. */
  readonly hasResult?: ((record: JsonObject) => boolean) | undefined;
}

export type Poll = (path: string, options?: PollOptions) => Promise<PollOutcome>;
