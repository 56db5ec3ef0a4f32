import { buildConnector } from 'undici';
import type { Settings } from '../../contract/settings.ts';
import type { Clock, Logger, Random, RoutesTo } from '../base/ports.ts';
import { parseServiceAddress } from './address.ts';
import type { AnswerLimits, CallOptions, Poll, Submit, Timeouts } from './calls.ts';
import { createGetter } from './get-once.ts';
import { createGetAgain } from './retrying-get.ts';
import type { Ceilings } from './ceilings.ts';
import { directly } from './proxies.ts';
import { createReads, type Read } from './reads.ts';
import type { AccountQueues } from './request-queue.ts';
import { assetGroupsResource } from './resources/asset-groups.ts';
import { assetsResource } from './resources/assets.ts';
import { MODELS, modelsResource } from './resources/models.ts';
import { createSend, sendInTurn, type CallParts } from './send.ts';
import { connectorThrough } from './tunnel.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { redactor } from './answer.ts';
import { UnusableFileError } from './sent-files.ts';
import type { SubmitOutcome } from './outcomes.ts';
import { postOnce } from './post-once.ts';
import { readSubmit } from './read-outcome.ts';
import { headersFor, openBody, usableKey, usablePath, type OpenBody } from './request-parts.ts';

/** A client of the service at one address. */
export interface ServiceClient {
  /** Address that jobs are pinned to; see `originOf`. */
  readonly origin: string;
  readonly models: ReturnType<typeof modelsResource>;
  readonly assets: ReturnType<typeof assetsResource>;
  readonly assetGroups: ReturnType<typeof assetGroupsResource>;
  /** The queues that limit this account's requests. */
  readonly queues: AccountQueues;
  /**
   * Sends exactly one billable POST immediately. Call it in a slot of `queues.submit` that was taken before the intent
   * was written. Always resolves: every result is an outcome, and all that is not proven to have cost nothing is
   * `unclear`. An abort before the connection is established is `never_sent`, later `unclear`.
   */
  readonly submit: Submit;
  /**
   * One GET for a task, sent immediately: call it in a slot of `queues.poll`. Always resolves; an abort is `no_answer`
   * with code `stopped`.
   */
  readonly poll: Poll;
  /** One free GET, parsed and sent immediately: call it in a slot of `queues.poll`. Throws `ServiceError`s. */
  readonly readNow: Read;
  /** One free GET that checks whether the service answers, even if it refuses the key. Always resolves. */
  readonly probe: (options?: CallOptions) => Promise<boolean>;
  /** Closes the connections of GETs, which then report no answer. Submits end by their own signal. */
  close(): Promise<void>;
}

export interface ServiceClientOptions {
  readonly baseUrl: string;
  /** Read for each request, so that a new key takes effect immediately. */
  readonly apiKey: () => string | null;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timeouts: Timeouts;
  /** Shared by all clients of one account. */
  readonly queues: AccountQueues;
  /** Learns how many tasks run at once; without it, nothing is learned. */
  readonly ceilings?: Ceilings;
  readonly limits?: AnswerLimits;
  readonly random?: Random;
  /** The proxy to the service; without it, the connection is direct. */
  readonly routesTo?: RoutesTo | undefined;
}

/** The timeouts of a client with these settings. */
export function timeoutsOf(settings: Settings): Timeouts {
  return {
    connectMs: 15_000,
    submitMs: settings.submitTimeoutSeconds * 1000,
    answerMs: settings.answerTimeoutSeconds * 1000,
    getMs: 30_000,
  };
}

const MB = 1000 ** 2;
const defaultLimits: AnswerLimits = { json: 4 * MB, result: 256 * MB };

/** Throws `ServiceAddressError` if `baseUrl` is not a service address. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const { apiKey, clock, logger, timeouts, queues, limits = defaultLimits, random = Math.random } = options;
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
  const submit = createSubmit({
    ...{ address, apiKey, clock, logger, timeouts, limits, connector },
    queue: queues.submit,
    ceilings: options.ceilings,
  });
  const send = createSend({ address, apiKey, clock, logger, timeouts, limits, connector, queue: queues.upload });
  const { poll, probe, read, readNow } = createReads({
    ...{ address, apiKey, clock, getter },
    probePath: MODELS,
    queue: queues.poll,
  });
  const getAgain = createGetAgain(read, clock, random);
  return {
    origin: address.base,
    models: modelsResource(getAgain),
    assets: assetsResource(send, getAgain),
    assetGroups: assetGroupsResource(sendInTurn(send, queues.upload, clock), getAgain),
    queues,
    submit,
    poll,
    readNow,
    probe,
    close: getter.close,
  };
}

/** See `ServiceClient.submit`. */
export function createSubmit(options: CallParts & { readonly ceilings: Ceilings | undefined }): Submit {
  const { address, clock, logger, timeouts, limits, queue, ceilings } = options;
  const note = (outcome: SubmitOutcome, model: string | undefined): void => {
    if (model === undefined || !ceilings) return queue.note(outcome);
    queue.note(outcome, (refusal) => ceilings.throttled(model, refusal));
    if (outcome.type === 'accepted') ceilings.accepted(model);
  };
  return async (request, { signal, spool, model } = {}) => {
    const usable = usableKey(options.apiKey());
    if ('complaint' in usable) return { type: 'never_sent', complaint: usable.complaint, blocked: true };
    const path = usablePath(request.path);
    if (path === null) return blocked('unusable_request', messageFor('failure.notAPath', { path: request.path }));

    let body: OpenBody;
    try {
      body = await openBody(request);
    } catch (error) {
      if (error instanceof UnusableFileError) return blocked(error.code, error.text);
      throw error;
    }

    const synchronous = request.answers !== 'task';
    try {
      const report = await postOnce({
        origin: address.origin,
        path: address.prefix + path,
        headers: { ...headersFor(usable.key, request.answers), ...body.headers },
        body: body.content,
        connector: options.connector,
        connectMs: timeouts.connectMs,
        answerMs: synchronous ? timeouts.answerMs : timeouts.submitMs,
        maxAnswerBytes: synchronous ? limits.result : limits.json,
        spool: spool ?? null,
        signal,
        clock,
      });
      const outcome = readSubmit(report, request, clock.now(), redactor(usable.key));
      note(outcome, model);
      logger.debug('Made a submit', { operation: request.operation, outcome: outcome.type });
      return outcome;
    } finally {
      await body.close();
    }
  };
}

function blocked(code: string, message: Text): SubmitOutcome {
  return { type: 'never_sent', complaint: { code, message }, blocked: true };
}
