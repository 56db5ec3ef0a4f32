import type { IncomingHttpHeaders } from 'node:http';
import { Pool, type Dispatcher } from 'undici';
import type { Clock } from '../base/ports.ts';
import { timeLimit } from '../base/time-limit.ts';
import { answerOf, type Answer } from './answer.ts';
import { decodedBody } from './content-encoding.ts';
import { AnswerTimeoutError, StoppedError } from './network-errors.ts';
import { connectorUntil, type Connector } from './tunnel.ts';

/**
 * GETs over kept-alive connections. They cost nothing, so a failure is just an error. Times in milliseconds, sizes in bytes; `origin` is
 * scheme, host and port.
 */
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
    get: (path: string, headers: Record<string, string>, signal: AbortSignal | undefined): Promise<Answer> =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) {
          reject(new StoppedError());
          return;
        }
        const timer = new AbortController();
        const leave = (): void => {
          timer.abort(over);
          signal?.removeEventListener('abort', onAbort);
        };
        const exchange = new Exchange(
          options.maxAnswerBytes,
          (answer) => {
            leave();
            resolve(answer);
          },
          (error) => {
            leave();
            reject(error);
          },
        );
        const onAbort = (): void => exchange.giveUp(new StoppedError());
        signal?.addEventListener('abort', onAbort, { once: true });
        timeLimit(options.clock, options.answerMs, timer.signal).then(
          () => exchange.giveUp(new AnswerTimeoutError(options.answerMs)),
          () => undefined,
        );
        pool.dispatch({ method: 'GET', path, headers }, exchange);
      }),
    close: (): Promise<void> => {
      gone.abort(over);
      return pool.destroy();
    },
  };
}

/** Ends the timer of a finished call. One shared value, so that no error is created for each call. */
const over = Symbol('over');

/**
 * One request in progress. It is our own undici handler because most requests are polls: the stream and the signal of
 * undici's `request` would cost as much as the rest of a poll.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #maxBytes: number;
  readonly #done: (answer: Answer) => void;
  readonly #fail: (error: Error) => void;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | null = null;
  #gaveUp: Error | null = null;
  #status = 0;
  #headers: IncomingHttpHeaders = {};

  constructor(maxBytes: number, done: (answer: Answer) => void, fail: (error: Error) => void) {
    this.#maxBytes = maxBytes;
    this.#done = done;
    this.#fail = fail;
  }

  /** Answers the caller immediately, connected or not, and drops the connection. */
  giveUp(reason: Error): void {
    this.#gaveUp = reason;
    this.#fail(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#gaveUp !== null) controller.abort(this.#gaveUp);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    void this.#read();
  }

  async #read(): Promise<void> {
    const { body, error } = await decodedBody(this.#headers, this.#chunks, this.#maxBytes);
    if (error instanceof Error && this.#status < 300) this.#fail(error);
    else this.#done(answerOf(this.#status, this.#headers, body));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }
}
