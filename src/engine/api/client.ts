import { buildConnector } from 'undici';
import type { Settings } from '../../contract/settings.ts';
import type { Clock, Logger, Random, RoutesTo } from '../base/ports.ts';
import { parseServiceAddress } from './address.ts';
import type {
  AnswerLimits,
  Send,
  Sending,
  SendOptions,
  SendOutcome,
  Submit,
  SubmitOutcome,
  Timeouts,
} from './calls.ts';
import { createGetAgain, createGetter, createReads } from './reads.ts';
import type { Ceilings } from './ceilings.ts';
import { directly, connectorThrough } from './proxies.ts';
import { type AccountQueues, notAskedProblem, NotStartedError, QUEUE_TIMEOUT_MS } from './request-queue.ts';
import { assetGroupsResource, assetsResource } from './resources/assets.ts';
import { MODELS, modelsResource } from './resources/models.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { type Redact, redactor } from './answer.ts';
import { headersFor, openBody, type OpenBody, UnusableFileError, usableKey, usablePath } from './request-parts.ts';
import { type Post, postOnce, type PostReport } from './post-once.ts';
import { readSent, readSubmit } from './read-outcome.ts';
import type { Json } from '../../contract/json.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import { networkProblem, StoppedError } from './errors.ts';

export type ServiceClient = ReturnType<typeof createServiceClient>;

export interface ServiceClientOptions {
  readonly baseUrl: string;
  /** Read for each request, so that a new key takes effect immediately. */
  readonly apiKey: () => string | null;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timeouts: Timeouts;
  readonly queues: AccountQueues;
  readonly ceilings?: Ceilings;
  readonly limits?: AnswerLimits;
  readonly random?: Random;
  readonly routesTo?: RoutesTo | undefined;
}

export function toTimeouts(settings: Settings): Timeouts {
  return {
    connectMs: 15_000,
    submitMs: settings.submitTimeoutSeconds * 1000,
    answerMs: settings.answerTimeoutSeconds * 1000,
    getMs: 30_000,
  };
}

const MB = 1000 ** 2;
const defaultLimits: AnswerLimits = { json: 4 * MB, result: 256 * MB };

/** A client of the service at one address. Throws `ServiceAddressError` if `baseUrl` is not a service address. */
export function createServiceClient(options: ServiceClientOptions) {
  const { clock, logger, timeouts, queues, ceilings, limits = defaultLimits, random = Math.random } = options;
  const address = parseServiceAddress(options.baseUrl);
  // The clock's timeout ends a connection attempt. The connector's own limit only closes the socket left behind.
  const direct = buildConnector({ allowH2: false, timeout: timeouts.connectMs });
  const connector = connectorThrough(options.routesTo ?? directly, direct, timeouts.connectMs);
  const getter = createGetter({
    origin: address.origin,
    clock,
    connector,
    answerMs: timeouts.getMs,
    maxAnswerBytes: limits.json,
  });

  /** Makes exactly one request, or none if it cannot be sent. `read` gets its report before the files are closed. */
  const post = async <Outcome>(
    request: Sending & { readonly answers?: PlannedRequest['answers'] },
    limited: Pick<Post, 'answerMs' | 'maxAnswerBytes' | 'signal' | 'spool'>,
    read: (report: PostReport, redact: Redact) => Outcome,
    onFileChunk?: (chunk: Buffer) => void,
  ): Promise<Outcome | NeverSent> => {
    const usable = usableKey(options.apiKey());
    if ('complaint' in usable) return { type: 'never_sent', complaint: usable.complaint, blocked: true };
    const path = usablePath(request.path);
    if (path === null) return blocked('unusable_request', messageFor('failure.notAPath', { path: request.path }));
    let body: OpenBody;
    try {
      body = await openBody(request, onFileChunk);
    } catch (error) {
      if (error instanceof UnusableFileError) return blocked(error.code, error.text);
      throw error;
    }
    try {
      const report = await postOnce({
        method: request.method,
        origin: address.origin,
        path: address.prefix + path,
        headers: { ...headersFor(usable.key, request.answers), ...body.headers },
        body: body.content,
        connector,
        connectMs: timeouts.connectMs,
        clock,
        ...limited,
      });
      return read(report, redactor(usable.key));
    } finally {
      await body.close();
    }
  };

  const note = (outcome: SubmitOutcome, model: string | undefined): void => {
    if (model === undefined || !ceilings) return queues.submit.note(outcome);
    queues.submit.note(outcome, (refusal) => ceilings.throttled(model, refusal), model);
    if (outcome.type === 'accepted') ceilings.accepted(model);
  };

  const submit: Submit = (request, { signal, spool, model } = {}) => {
    const limited =
      request.answers === 'task'
        ? { answerMs: timeouts.submitMs, maxAnswerBytes: limits.json }
        : { answerMs: timeouts.answerMs, maxAnswerBytes: limits.result };
    return post(request, { ...limited, signal, spool: spool ?? null }, (report, redact) => {
      const outcome = readSubmit(report, request, clock.now(), redact);
      note(outcome, model);
      logger.debug('Made a submit', { operation: request.operation, outcome: outcome.type });
      return outcome;
    });
  };

  const send: Send = <T>(
    sending: Sending,
    read: (json: Json | undefined) => T | null,
    { signal, onFileChunk }: SendOptions = {},
  ) => {
    // A large file takes long to send, so it gets the longest time limit.
    const answerMs = sending.encoding === 'multipart' ? timeouts.answerMs : timeouts.submitMs;
    const settle = (report: PostReport, redact: Redact): SendOutcome<T> => {
      const outcome = readSent(report, read, clock.now(), redact);
      queues.upload.note(outcome);
      logger.debug('Changed something at the service', { operation: sending.operation, outcome: outcome.type });
      return outcome;
    };
    return post(sending, { answerMs, maxAnswerBytes: limits.json, signal, spool: null }, settle, onFileChunk);
  };

  /** The same through the queue, for requests that need no record before they are sent. */
  const sendInTurn: Send = async (...call) => {
    try {
      return await queues.upload.run(() => send(...call), { patienceMs: QUEUE_TIMEOUT_MS });
    } catch (error) {
      if (!(error instanceof NotStartedError)) throw error;
      return error.until === null
        ? { type: 'never_sent', complaint: networkProblem(new StoppedError()) }
        : { type: 'throttled', retryAfterMs: error.until - clock.now(), complaint: notAskedProblem };
    }
  };

  const { poll, probe, read, readNow } = createReads({
    ...{ address, apiKey: options.apiKey, clock, getter },
    probePath: MODELS,
    queue: queues.poll,
  });
  const getAgain = createGetAgain(read, clock, random);
  return {
    /** Address that jobs are pinned to; see `toOrigin`. */
    origin: address.base,
    models: modelsResource(getAgain),
    assets: assetsResource(send, getAgain),
    assetGroups: assetGroupsResource(sendInTurn, getAgain),
    queues,
    /**
     * Sends exactly one billable POST immediately. Call it in a slot of `queues.submit` that was taken before the intent
     * was written. Always resolves: every result is an outcome, and all that is not proven to have cost nothing is
     * `unclear`. An abort before the connection is established is `never_sent`, later `unclear`.
     */
    submit,
    poll,
    readNow,
    probe,
    close: getter.close,
  };
}

type NeverSent = Extract<SubmitOutcome, { type: 'never_sent' }>;

function blocked(code: string, message: Text): NeverSent {
  return { type: 'never_sent', complaint: { code, message }, blocked: true };
}
