import { messageFor } from '../../contract/messages/message.ts';
import type { Json } from '../../contract/json.ts';
import type { Clock, Random } from '../base/ports.ts';
import type { ServiceAddress } from './address.ts';
import { type Answer, answerFor, complaintFor, redactor } from './answer.ts';
import type { CallOptions, Poll } from './calls.ts';
import {
  AnswerTimeoutError,
  networkProblem,
  NoAnswerError,
  RateLimitError,
  ServiceError,
  serviceErrorFor,
  ServiceFaultError,
  StoppedError,
  UnexpectedAnswerError,
} from './errors.ts';
import { readPoll, redacted } from './read-outcome.ts';
import { notAskedProblem, NotStartedError, QUEUE_TIMEOUT_MS, type RequestQueue } from './request-queue.ts';
import { headersFor, usableKey, usablePath } from './request-parts.ts';
import { backoff, parseRetryAfter } from './retry.ts';
import { isLongWait } from '../../contract/events.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { Pool } from 'undici';
import { exchange } from './exchange.ts';
import { timeLimit } from '../base/time-limit.ts';
import { decodedBody } from './content-encoding.ts';
import { type Connector, connectorUntil } from './proxies.ts';

/** One GET through the queue; `shape` returns null for an unexpected answer. Throws `ServiceError`s. */
export type Read = <T>(path: string, shape: (json: Json | undefined) => T | null, options?: CallOptions) => Promise<T>;

export function createReads(options: {
  address: ServiceAddress;
  apiKey: () => string | null;
  clock: Clock;
  getter: ReturnType<typeof createGetter>;
  probePath: string;
  /** For all calls but `poll` and `readNow`, whose callers have a slot. */
  queue: RequestQueue;
}) {
  const { address, clock, getter, queue } = options;

  const get = (path: string, key: string, signal: AbortSignal | undefined): Promise<Answer> =>
    getter.get(address.prefix + path, headersFor(key), signal);

  /** Like `read`, but sent immediately, for a caller that has a slot of the queue already. */
  const readNow: Read = async (path, shape, { signal } = {}) => {
    const usable = usableKey(options.apiKey());
    if ('complaint' in usable) throw serviceErrorFor(usable.complaint);
    if (usablePath(path) === null) {
      throw serviceErrorFor({ code: 'unusable_request', message: messageFor('failure.notAPath', { path }) });
    }
    const redact = redactor(usable.key);
    const answer = await get(path, usable.key, signal).catch((error: unknown) => {
      throw new NoAnswerError(redacted(networkProblem(error), redact), { cause: error });
    });
    const complaint = complaintFor(answer, redact);
    if (answer.status === 429) {
      const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], clock.now());
      queue.note({ type: 'throttled', retryAfterMs });
      throw new RateLimitError(complaint, retryAfterMs);
    }
    if (answer.status < 200 || answer.status >= 300) throw serviceErrorFor(complaint);
    queue.note({ type: 'answered' });
    const value = shape(answer.json);
    if (value === null) throw new UnexpectedAnswerError(complaint);
    return value;
  };

  /** One GET for a task, at once: call it in a slot of the queue. Always resolves; an abort as `stopped`. */
  const poll: Poll = async (path, { signal, hasResult = () => false } = {}) => {
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
  };

  const probe = async ({ signal }: CallOptions = {}): Promise<boolean> => {
    const usable = usableKey(options.apiKey());
    if ('complaint' in usable) return false;
    try {
      const { status } = await queue.run(() => get(options.probePath, usable.key, signal), { signal });
      return status < 500;
    } catch {
      return false;
    }
  };

  const read: Read = async (path, shape, { signal } = {}) => {
    try {
      return await queue.run(() => readNow(path, shape, { signal }), { patienceMs: QUEUE_TIMEOUT_MS, signal });
    } catch (error) {
      if (error instanceof NotStartedError && error.until !== null) {
        throw new RateLimitError(notAskedProblem, error.until - clock.now());
      }
      if (error instanceof NotStartedError || (signal?.aborted && !(error instanceof ServiceError))) {
        throw new NoAnswerError(networkProblem(new StoppedError()), { cause: error });
      }
      throw error;
    }
  };

  return { poll, readNow, probe, read };
}

/** Up to `tries` (3) where that can help; a long wait of a 429 does not. Throws the last `ServiceError`. */
export type RetryingGet = <T>(
  path: string,
  shape: (json: Json | undefined) => T | null,
  options?: CallOptions & { readonly tries?: number },
) => Promise<T>;

export function createGetAgain(read: Read, clock: Clock, random: Random): RetryingGet {
  return async (path, shape, { signal, tries = 3 } = {}) => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await read(path, shape, { signal });
      } catch (error) {
        const floor = waitAfter(error);
        if (floor === null || attempt + 1 >= tries) throw error;
        await clock.sleep(Math.max(floor, backoff(attempt, random)), { signal });
      }
    }
  };
}

/** Null for an error after which another try does not help, else the shortest wait before it, ms. */
function waitAfter(error: unknown): number | null {
  if (error instanceof RateLimitError) return isLongWait(error.retryAfterMs ?? 0) ? null : (error.retryAfterMs ?? 0);
  if (error instanceof ServiceFaultError) return 0;
  return error instanceof NoAnswerError && error.code !== 'stopped' ? 0 : null;
}

/** GETs over kept-alive connections. Times in ms, sizes in bytes; `origin` is scheme, host and port. */
export function createGetter(options: {
  origin: string;
  clock: Clock;
  connector: Connector;
  answerMs: number;
  maxAnswerBytes: number;
}) {
  const gone = new AbortController();
  const pool = new Pool(options.origin, {
    allowH2: false,
    connect: connectorUntil(gone.signal, options.connector),
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: options.maxAnswerBytes,
  });

  return {
    /** Rejects without a complete answer: a connection error, a timeout, {@link StoppedError}. Never retries. */
    async get(path: string, headers: Record<string, string>, signal: AbortSignal | undefined): Promise<Answer> {
      if (signal?.aborted === true) throw new StoppedError();
      const [timer, stop] = [new AbortController(), new AbortController()];
      const onAbort = (): void => stop.abort(new StoppedError());
      signal?.addEventListener('abort', onAbort, { once: true });
      timeLimit(options.clock, options.answerMs, timer.signal).then(
        () => stop.abort(new AnswerTimeoutError(options.answerMs)),
        () => undefined,
      );
      const chunks: Buffer[] = [];
      const seen: { status: number; headers: IncomingHttpHeaders } = { status: 0, headers: {} };
      const url = { origin: options.origin, pathname: path, search: '' };
      try {
        await exchange(
          pool,
          { url, headers, signal: stop.signal },
          {
            head: (status, headers) => {
              Object.assign(seen, { status, headers });
              return true;
            },
            body: (chunk) => chunks.push(chunk),
          },
        );
        const { body, error } = await decodedBody(seen.headers, chunks, options.maxAnswerBytes);
        if (error instanceof Error && seen.status < 300) throw error;
        return answerFor(seen.status, seen.headers, body);
      } finally {
        timer.abort(over);
        signal?.removeEventListener('abort', onAbort);
      }
    },
    close: (): Promise<void> => {
      gone.abort(over);
      return pool.destroy();
    },
  };
}

/** Ends the timer of a finished call. One shared value, so that no error is created for each call. */
const over = Symbol('over');
