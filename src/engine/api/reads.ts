import { messageFor } from '../../contract/messages/message.ts';
import type { Json } from '../../contract/json.ts';
import type { Clock } from '../base/ports.ts';
import type { ServiceAddress } from './address.ts';
import { complaintOf, redactor, type Answer } from './answer.ts';
import type { CallOptions, Poll } from './calls.ts';
import { NoAnswerError, RateLimitError, ServiceError, serviceErrorOf, UnexpectedAnswerError } from './errors.ts';
import type { createGetter } from './get-once.ts';
import { networkProblem, StoppedError } from './network-errors.ts';
import { readPoll, redacted } from './read-outcome.ts';
import { NotStartedError, notAskedProblem, PATIENCE_MS, type RequestQueue } from './request-queue.ts';
import { headersFor, usableKey, usablePath } from './request-parts.ts';
import { parseRetryAfter } from './retry.ts';

/**
 * One GET through the queue, parsed by `shape`, which returns null for an unexpected answer. Throws `ServiceError`s.
 */
export type Read = <T>(path: string, shape: (json: Json | undefined) => T | null, options?: CallOptions) => Promise<T>;

/** All calls that only read from the service and cost nothing. */
export function createReads(options: {
  address: ServiceAddress;
  apiKey: () => string | null;
  clock: Clock;
  getter: ReturnType<typeof createGetter>;
  /** The path that `probe` requests. */
  probePath: string;
  /** For all calls but `poll` and `readNow`, whose callers have a slot. */
  queue: RequestQueue;
}): {
  readonly poll: Poll;
  /** Like `read`, but sent immediately, for a caller that has a slot of the queue already. */
  readonly readNow: Read;
  readonly probe: (options?: CallOptions) => Promise<boolean>;
  readonly read: Read;
} {
  const { address, clock, getter, queue } = options;

  const get = (path: string, key: string, signal: AbortSignal | undefined): Promise<Answer> =>
    getter.get(address.prefix + path, headersFor(key), signal);

  const readNow = async <T>(
    path: string,
    shape: (json: Json | undefined) => T | null,
    signal: AbortSignal | undefined,
  ): Promise<T> => {
    const usable = usableKey(options.apiKey());
    if ('complaint' in usable) throw serviceErrorOf(usable.complaint);
    if (usablePath(path) === null) {
      throw serviceErrorOf({ code: 'unusable_request', message: messageFor('failure.notAPath', { path }) });
    }
    const redact = redactor(usable.key);
    const answer = await get(path, usable.key, signal).catch((error: unknown) => {
      throw new NoAnswerError(redacted(networkProblem(error), redact), { cause: error });
    });
    const complaint = complaintOf(answer, redact);
    if (answer.status === 429) {
      const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], clock.now());
      queue.note({ type: 'throttled', retryAfterMs });
      throw new RateLimitError(complaint, retryAfterMs);
    }
    if (answer.status < 200 || answer.status >= 300) throw serviceErrorOf(complaint);
    queue.note({ type: 'answered' });
    const value = shape(answer.json);
    if (value === null) throw new UnexpectedAnswerError(complaint);
    return value;
  };

  return {
    poll: async (path, { signal, hasResult = () => false } = {}) => {
      const usable = usableKey(options.apiKey());
      if ('complaint' in usable) return { type: 'unauthorized', complaint: usable.complaint };
      if (usablePath(path) === null) {
        const message = messageFor('failure.notAPath', { path });
        return { type: 'no_answer', complaint: { code: 'unusable_request', message } };
      }
      const redact = redactor(usable.key);
      try {
        const outcome = readPoll(await get(path, usable.key, signal), clock.now(), redact, hasResult);
        queue.note(outcome);
        return outcome;
      } catch (error) {
        return { type: 'no_answer', complaint: redacted(networkProblem(error), redact) };
      }
    },

    probe: async ({ signal } = {}) => {
      const usable = usableKey(options.apiKey());
      if ('complaint' in usable) return false;
      try {
        const { status } = await queue.run(() => get(options.probePath, usable.key, signal), { signal });
        return status < 500;
      } catch {
        return false;
      }
    },

    readNow: (path, shape, { signal } = {}) => readNow(path, shape, signal),

    read: async (path, shape, { signal } = {}) => {
      try {
        return await queue.run(() => readNow(path, shape, signal), { patienceMs: PATIENCE_MS, signal });
      } catch (error) {
        if (error instanceof NotStartedError && error.until !== null) {
          throw new RateLimitError(notAskedProblem, error.until - clock.now());
        }
        if (error instanceof NotStartedError || (signal?.aborted && !(error instanceof ServiceError))) {
          throw new NoAnswerError(networkProblem(new StoppedError()), { cause: error });
        }
        throw error;
      }
    },
  };
}
