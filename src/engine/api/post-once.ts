import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Client, type buildConnector } from 'undici';
import type { Clock } from '../base/ports.ts';
import { timeLimit } from '../base/time-limit.ts';
import { decodedBody } from './content-encoding.ts';
import { AnswerTimeoutError, ConnectTimeoutError, StoppedError } from './errors.ts';
import type { AnswerSpool } from './spool.ts';
import { connectorUntil, type Connector } from './proxies.ts';
import { ErrorWithText } from '../base/errors.ts';
import { messageFor } from '../../contract/messages/message.ts';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** One POST, ready to send. Times are milliseconds, sizes bytes. */
export interface Post {
  readonly method?: 'POST' | 'PATCH';
  readonly origin: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  /** A Buffer or a stream, never a string: see {@link trackSend}. */
  readonly body: Buffer | Readable;
  readonly connector: Connector;
  readonly connectMs: number;
  /** From the connection to the last byte of the answer, while the process runs: see {@link timeLimit}. */
  readonly answerMs: number;
  readonly maxAnswerBytes: number;
  readonly spool: AnswerSpool | null;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
}

/** How the POST ended. `error` is null only after a complete answer that could be decompressed. */
export interface PostReport {
  /** False only when not one byte was written. */
  readonly maySent: boolean;
  readonly head: { readonly status: number; readonly headers: IncomingHttpHeaders } | null;
  readonly received: readonly Buffer[];
  readonly error: unknown;
}

/**
 * Sends exactly one POST and reports its outcome. No retries, no redirects, no reused connection: if the service is
 * just closing a kept-alive socket, the outcome of a paid request would become unknown needlessly.
 */
export async function postOnce(post: Post): Promise<PostReport> {
  const connecting = new AbortController();
  const answering = new AbortController();
  const gone = new AbortController();
  const chunks: Buffer[] = [];
  let head: PostReport['head'] = null;
  let stoppedBy: Error | null = null;

  const witness = trackSend(post.body, connectorUntil(gone.signal, post.connector), () => {
    connecting.abort(over);
    giveUpAfter(post.answerMs, answering.signal, () => new AnswerTimeoutError(post.answerMs));
  });
  const client = new Client(post.origin, {
    connect: witness.connect,
    allowH2: false,
    pipelining: 0,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: post.maxAnswerBytes,
  });

  const giveUp = (reason: Error): void => {
    stoppedBy ??= reason;
    gone.abort(over);
    void client.destroy(reason);
  };
  const giveUpAfter = (ms: number, signal: AbortSignal, reason: () => Error): void => {
    timeLimit(post.clock, ms, signal).then(
      () => giveUp(reason()),
      () => undefined,
    );
  };
  const onAbort = (): void => giveUp(new StoppedError());

  try {
    post.signal?.addEventListener('abort', onAbort, { once: true });
    if (post.signal?.aborted === true) throw new StoppedError();
    giveUpAfter(post.connectMs, connecting.signal, () => new ConnectTimeoutError(post.connectMs));
    const response = await client.request({
      method: post.method ?? 'POST',
      path: post.path,
      headers: post.headers,
      body: post.body,
      reset: true,
    });
    head = { status: response.statusCode, headers: response.headers };
    const paid = response.statusCode >= 200 && response.statusCode < 300;
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      if (paid) await post.spool?.write(chunk);
    }
    const { body, error } = await decodedBody(response.headers, chunks, post.maxAnswerBytes);
    if (paid) await post.spool?.finish(error === null && body !== chunks ? body : undefined);
    return { maySent: true, head, received: body, error };
  } catch (error) {
    const { body } = await decodedBody(head?.headers ?? {}, chunks, post.maxAnswerBytes);
    return { maySent: witness.maySent, head, received: body, error: stoppedBy ?? error };
  } finally {
    connecting.abort(over);
    answering.abort(over);
    post.signal?.removeEventListener('abort', onAbort);
    witness.stop();
    gone.abort(over);
    await client.destroy(over);
    await post.spool?.close();
  }
}

/** Ends the timers and connection of a finished POST. One shared error: creating one would cost as much as the POST. */
const over = new Error('The exchange is over.');

const SEND_HEADERS = 'undici:client:sendHeaders';

/**
 * Watches one POST and knows whether a byte of it may have been sent. It counts as not sent only if two sources agree:
 * undici's diagnostics channel, which reports a request before its first byte is written, and the connector, because
 * nothing can be written without a connection.
 *
 * @param body the very object that undici receives as the request's body. undici keeps Buffers and streams (it copies
 * strings), so identity marks the request; a header would be sent to the service.
 * @param onConnected called when the connection is established, just before the request is written.
 */
export function trackSend(body: object, connector: buildConnector.connector, onConnected: () => void) {
  let announced = false;
  let connected = false;

  const onSendHeaders = (message: unknown): void => {
    if (toBody(message) === body) announced = true;
  };
  subscribe(SEND_HEADERS, onSendHeaders);

  return {
    /** False only when not one byte was written. */
    get maySent(): boolean {
      return announced || connected;
    },
    connect: ((options, callback) => {
      // One POST, one connection: a second connection after the request was sent could only send it again.
      if (announced) {
        callback(new ErrorWithText(messageFor('failure.connectionLost')), null);
        return;
      }
      connector(options, (...result) => {
        if (result[0] === null) {
          connected = true;
          onConnected();
        }
        callback(...result);
      });
    }) satisfies buildConnector.connector as buildConnector.connector,
    stop: (): void => {
      unsubscribe(SEND_HEADERS, onSendHeaders);
    },
  };
}

function toBody(message: unknown): unknown {
  if (typeof message !== 'object' || message === null || !('request' in message)) return undefined;
  const { request } = message;
  return typeof request === 'object' && request !== null && 'body' in request ? request.body : undefined;
}
