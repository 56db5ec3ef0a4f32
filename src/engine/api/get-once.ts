import { Pool } from 'undici';
import type { Clock } from '../ports.ts';
import { answerOf, type Answer } from './answer.ts';
import { AnswerTimeoutError, StoppedError } from './network-errors.ts';

/** GETs over kept-alive connections. They cost nothing, so their failures are merely errors. */
export interface Getter {
  /** Rejects when no whole answer came: a connection error, a timeout, {@link StoppedError}. Never retries. */
  get(path: string, headers: Record<string, string>, signal: AbortSignal | undefined): Promise<Answer>;
  close(): Promise<void>;
}

/** Times in milliseconds, sizes in bytes; `origin` is scheme, host and port. */
export function createGetter(options: {
  origin: string;
  clock: Clock;
  connectMs: number;
  answerMs: number;
  maxAnswerBytes: number;
}): Getter {
  const pool = new Pool(options.origin, {
    allowH2: false,
    connect: { timeout: options.connectMs },
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: options.maxAnswerBytes,
  });

  const ask = async (path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Answer> => {
    const response = await pool.request({ method: 'GET', path, headers, signal });
    return answerOf(response.statusCode, response.headers, await response.body.text());
  };

  return {
    get: (path, headers, signal) =>
      new Promise((resolve, reject) => {
        const over = new AbortController();
        // undici hears an abort only once it is connected; the caller is answered at once.
        const giveUp = (reason: Error): void => {
          reject(reason);
          over.abort(reason);
        };
        const onAbort = (): void => giveUp(new StoppedError());
        if (signal?.aborted === true) {
          onAbort();
          return;
        }
        signal?.addEventListener('abort', onAbort, { once: true });
        options.clock.sleep(options.answerMs, { signal: over.signal }).then(
          () => giveUp(new AnswerTimeoutError(options.answerMs)),
          () => undefined,
        );
        ask(path, headers, over.signal)
          .then(resolve, reject)
          .finally(() => {
            signal?.removeEventListener('abort', onAbort);
            over.abort(answered);
          });
      }),
    close: () => pool.destroy(),
  };
}

/** Ends the timer of a call that is over, without making an error for each. */
const answered = Symbol('answered');
