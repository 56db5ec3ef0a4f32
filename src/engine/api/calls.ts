import type { Json, JsonObject } from '../../contract/json.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import type { AnswerSpool } from './spool.ts';
import type { ServiceProblem, TraceIds } from '../machine/failures.ts';

/** How long we wait, ms. Submits wait long on purpose, because their answers may have been paid for. */
export interface Timeouts {
  /** Limit for opening a connection. Until then, nothing was sent. */
  readonly connectMs: number;
  /** For the answer to a submit, from the time of the connection. */
  readonly submitMs: number;
  readonly answerMs: number;
  readonly getMs: number;
}

/** The largest bodies that are read, bytes. */
export interface AnswerLimits {
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

/**
 * The outcome of one billable POST. The type decides about money: only `never_sent`, `throttled` and `refused` prove
 * that the service accepted nothing. Everything else that left this machine is `unclear`.
 */
export type SubmitOutcome =
  /** `otherTaskIds`: further tasks of the same submit. `unbound`: names of references that it did not bind. */
  | ({
      readonly type: 'accepted';
      readonly taskId: string;
      readonly otherTaskIds?: readonly string[];
      readonly unbound?: readonly string[];
    } & TraceIds)
  /**
   * A synchronous operation: the answer is the result, in any form. `json` is undefined if it is not JSON; `begins` is
   * its beginning, to show.
   */
  | ({
      readonly type: 'answered';
      readonly body: Buffer;
      readonly json: Json | undefined;
      readonly begins: string;
    } & TraceIds)
  /**
   * Not one byte of the request was written (refused connection, DNS, aborted before connect). `blocked` means that it
   * cannot be sent until a person fixes the cause: no usable key (`no_key`, `bad_key`), a missing file
   * (`unusable_file`) or an invalid path (`unusable_request`).
   */
  | { readonly type: 'never_sent'; readonly complaint: ServiceProblem; readonly blocked?: true }
  /** 429. `retryAfterMs` is the wait that the server named, null if it named none. */
  | { readonly type: 'throttled'; readonly retryAfterMs: number | null; readonly complaint: ServiceProblem }
  /** The service did not accept it; `readSubmit` lists the statuses. */
  | { readonly type: 'refused'; readonly complaint: ServiceProblem & { readonly httpStatus: number } }
  | { readonly type: 'unclear'; readonly complaint: ServiceProblem };

/**
 * The outcome of one request that changes something and is free. `never_sent`, `throttled` and `refused` prove that
 * nothing changed. After `unclear` something may have changed, so we look before we send again.
 */
export type SendOutcome<T> =
  | ({ readonly type: 'accepted'; readonly value: T } & TraceIds)
  | Extract<SubmitOutcome, { type: 'never_sent' | 'throttled' | 'refused' | 'unclear' }>;

/** The outcome of one poll. Only a final status ends a task. */
export type PollOutcome =
  | ({
      readonly type: 'task';
      /** `pending` covers submitted, running and every unknown word. */
      readonly status: 'pending' | 'succeeded' | 'failed' | 'cancelled';
      readonly remoteStatus: string;
      readonly progress?: string;
      /** False if the reference does not have `remoteStatus`, which is worth one log line. */
      readonly known: boolean;
      readonly answer: JsonObject;
      /** Answers of the same submit's other tasks that succeeded. */
      readonly otherAnswers?: readonly JsonObject[];
      /** `error.message` or `fail_reason` of a failed task. */
      readonly complaint: ServiceProblem | null;
    } & TraceIds)
  | { readonly type: 'throttled'; readonly retryAfterMs: number | null; readonly complaint: ServiceProblem }
  /** 401 or 403, or no usable key here: the key is not accepted. */
  | { readonly type: 'unauthorized'; readonly complaint: ServiceProblem }
  /** Everything else: 5xx, 404, a reset, HTML, a cut body. We ask again later. */
  | { readonly type: 'no_answer'; readonly complaint: ServiceProblem };

export type Sending = Pick<PlannedRequest, 'operation' | 'path' | 'encoding' | 'body' | 'files'> & {
  readonly method: 'POST' | 'PATCH';
};

export interface SendOptions extends CallOptions {
  readonly onFileChunk?: ((chunk: Buffer) => void) | undefined;
}

/** Makes exactly one request. Always resolves. `read` returns null for an unexpected answer. */
export type Send = <T>(
  sending: Sending,
  read: (json: Json | undefined) => T | null,
  options?: SendOptions,
) => Promise<SendOutcome<T>>;
