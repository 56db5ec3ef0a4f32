import { messageFor, type Text } from '../../contract/messages/message.ts';
import type { JsonObject, Json } from '../../contract/json.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import type { Clock, Logger } from '../base/ports.ts';
import type { ServiceAddress } from './address.ts';
import { answerOf, complaintOf, redactor, traceIdsOf, type Redact } from './answer.ts';
import type { AnswerLimits, CallOptions, Timeouts } from './calls.ts';
import { UnusableFileError } from './sent-files.ts';
import { networkProblem, StoppedError } from './network-errors.ts';
import type { SendOutcome } from './outcomes.ts';
import { postOnce, type PostReport } from './post-once.ts';
import { redacted } from './read-outcome.ts';
import { NotStartedError, notAskedProblem, PATIENCE_MS, type RequestQueue } from './request-queue.ts';
import { headersFor, openBody, usableKey, usablePath, type OpenBody } from './request-parts.ts';
import { parseRetryAfter } from './retry.ts';
import type { Connector } from './tunnel.ts';

/** A request that changes something at the service, is not billed, and must not be repeated unknowingly. */
export interface Sending {
  readonly operation: string;
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly encoding: PlannedRequest['encoding'];
  readonly body: JsonObject;
  readonly files: PlannedRequest['files'];
}

export interface SendOptions extends CallOptions {
  /** Receives each piece of a file as it is passed to the connection. */
  readonly onFileChunk?: ((chunk: Buffer) => void) | undefined;
}

/** Makes exactly one request. Always resolves. `read` returns null for an unexpected answer. */
export type Send = <T>(
  sending: Sending,
  read: (json: Json | undefined) => T | null,
  options?: SendOptions,
) => Promise<SendOutcome<T>>;

/** What every call of an account needs. */
export interface CallParts {
  readonly address: ServiceAddress;
  readonly apiKey: () => string | null;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timeouts: Timeouts;
  readonly limits: AnswerLimits;
  readonly connector: Connector;
  readonly queue: RequestQueue;
}

export function createSend(options: CallParts): Send {
  const { address, clock, logger, timeouts, limits } = options;
  return async (sending, read, { signal, onFileChunk } = {}) => {
    const usable = usableKey(options.apiKey());
    if ('complaint' in usable) return { type: 'never_sent', complaint: usable.complaint, blocked: true };
    const path = usablePath(sending.path);
    if (path === null) return blocked('unusable_request', messageFor('failure.notAPath', { path: sending.path }));
    let body: OpenBody;
    try {
      body = await openBody(sending, onFileChunk);
    } catch (error) {
      if (error instanceof UnusableFileError) return blocked(error.code, error.text);
      throw error;
    }
    try {
      const report = await postOnce({
        method: sending.method,
        origin: address.origin,
        path: address.prefix + path,
        headers: { ...headersFor(usable.key), ...body.headers },
        body: body.content,
        connector: options.connector,
        connectMs: timeouts.connectMs,
        // A large file takes long to send, so it gets the longest time limit.
        answerMs: sending.encoding === 'multipart' ? timeouts.answerMs : timeouts.submitMs,
        maxAnswerBytes: limits.json,
        spool: null,
        signal,
        clock,
      });
      const outcome = readSent(report, read, clock.now(), redactor(usable.key));
      options.queue.note(outcome);
      logger.debug('Changed something at the service', { operation: sending.operation, outcome: outcome.type });
      return outcome;
    } finally {
      await body.close();
    }
  };
}

/** The same through the queue, for requests that need no record before they are sent. */
export function sendInTurn(send: Send, queue: RequestQueue, clock: Clock): Send {
  return async (sending, read, options) => {
    try {
      return await queue.run(() => send(sending, read, options), { patienceMs: PATIENCE_MS });
    } catch (error) {
      if (!(error instanceof NotStartedError)) throw error;
      return error.until === null
        ? { type: 'never_sent', complaint: networkProblem(new StoppedError()) }
        : { type: 'throttled', retryAfterMs: error.until - clock.now(), complaint: notAskedProblem };
    }
  };
}

/** Statuses below 500 that do not prove that nothing happened. */
const NOT_A_REFUSAL: ReadonlySet<number> = new Set([408, 409, 425]);

/**
 * Reads the report of one request that is not billed. Pure. Every other 4xx answer counts as a refusal (including 413).
 * After an unclear outcome, we look for the result before sending again.
 */
function readSent<T>(
  report: PostReport,
  read: (json: Json | undefined) => T | null,
  now: number,
  redact: Redact,
): SendOutcome<T> {
  if (!report.maySent) return { type: 'never_sent', complaint: redacted(networkProblem(report.error), redact) };
  if (report.head === null) return { type: 'unclear', complaint: redacted(networkProblem(report.error), redact) };
  const answer = answerOf(report.head.status, report.head.headers, report.received);
  const complaint = complaintOf(answer, redact);
  if (answer.status === 429) {
    return { type: 'throttled', retryAfterMs: parseRetryAfter(answer.headers['retry-after'], now), complaint };
  }
  if (answer.status >= 400 && answer.status < 500 && !NOT_A_REFUSAL.has(answer.status)) {
    return { type: 'refused', complaint };
  }
  const succeeded = answer.status >= 200 && answer.status < 300 && report.error === null;
  const value = succeeded ? read(answer.json) : null;
  if (value !== null) return { type: 'accepted', value, ...traceIdsOf(answer, redact) };
  return { type: 'unclear', complaint };
}

function blocked(
  code: string,
  message: Text,
): { type: 'never_sent'; complaint: { code: string; message: Text }; blocked: true } {
  return { type: 'never_sent', complaint: { code, message }, blocked: true };
}
