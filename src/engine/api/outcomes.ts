import type { TraceIds, ServiceProblem } from '../machine/failures.ts';
import type { Json, JsonObject } from '../../contract/json.ts';

/**
 * What is known after one billable POST. The type decides about money: only `never_sent`, `throttled` and
 * `refused` prove that nothing was accepted; `unclear` covers everything else that left this machine.
 */
export type SubmitOutcome =
  /** `otherTaskIds`: the submit made several tasks. `unbound`: references it did not bind, named for people. */
  | ({
      readonly type: 'accepted';
      readonly taskId: string;
      readonly otherTaskIds?: readonly string[];
      readonly unbound?: readonly string[];
    } & TraceIds)
  /** Synchronous operation: the answer is the result, whatever its form. `json` is undefined where it is none; `begins` shows it to people. */
  | ({
      readonly type: 'answered';
      readonly body: Buffer;
      readonly json: Json | undefined;
      readonly begins: string;
    } & TraceIds)
  /**
   * Not one byte of the request was written (refused connection, DNS, aborted before connect). `blocked` when it
   * cannot be sent as things stand: no usable key (`no_key`, `bad_key`), a file that is gone (`unusable_file`), a path
   * that is none (`unusable_request`). Asking again changes nothing until a person does something.
   */
  | { readonly type: 'never_sent'; readonly complaint: ServiceProblem; readonly blocked?: true }
  /** 429. `retryAfterMs` is the server's floor, null when it named none. */
  | { readonly type: 'throttled'; readonly retryAfterMs: number | null; readonly complaint: ServiceProblem }
  /** The service did not take it; `readSubmit` has the statuses. */
  | { readonly type: 'refused'; readonly complaint: ServiceProblem & { readonly httpStatus: number } }
  | { readonly type: 'unclear'; readonly complaint: ServiceProblem };

/**
 * What is known after one request that changes something and is not billed. `never_sent`, `throttled` and `refused`
 * prove that nothing was changed; after `unclear` it may have been, so it is looked for before it is made again.
 */
export type SendOutcome<T> =
  | ({ readonly type: 'accepted'; readonly value: T } & TraceIds)
  | Extract<SubmitOutcome, { type: 'never_sent' | 'throttled' | 'refused' | 'unclear' }>;

/** What is known after one poll. No poll outcome but a final status ever ends a task. */
export type PollOutcome =
  | ({
      readonly type: 'task';
      /** `pending` covers submitted, running and every word we do not know. */
      readonly status: 'pending' | 'succeeded' | 'failed' | 'cancelled';
      /** The service's own word. */
      readonly remoteStatus: string;
      readonly progress?: string;
      /** False when `remoteStatus` is not in the reference: worth one log line. */
      readonly known: boolean;
      readonly answer: JsonObject;
      /** Of the further tasks of the same submit that succeeded. */
      readonly otherAnswers?: readonly JsonObject[];
      /** `error.message` or `fail_reason` of a failed task. */
      readonly complaint: ServiceProblem | null;
    } & TraceIds)
  | { readonly type: 'throttled'; readonly retryAfterMs: number | null; readonly complaint: ServiceProblem }
  /** 401 or 403, or no key at hand that could be sent: the key is not accepted. */
  | { readonly type: 'unauthorized'; readonly complaint: ServiceProblem }
  /** Everything else: 5xx, 404, a reset, HTML, a cut body. Asked again later. */
  | { readonly type: 'no_answer'; readonly complaint: ServiceProblem };
