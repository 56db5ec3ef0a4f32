import { Agent, buildConnector, request } from 'undici';
import { messageFor } from '../../contract/messages/message.ts';
import { connectorThrough, connectorUntil } from '../../engine/api/tunnel.ts';
import { messageOf, systemCode } from '../../engine/base/errors.ts';
import type { Clock, RoutesTo } from '../../engine/base/ports.ts';
import { DeliveryError } from './delivery-error.ts';
import type { MessageRequest } from './forms.ts';

/** How long one try may take, ms. */
const PATIENCE_MS = 10_000;

/** Does `work`, which ends with its signal, within the time of one try. Throws DeliveryError. */
export async function inTime<Result>(
  clock: Clock,
  stopped: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = new AbortController();
  const done = new AbortController();
  const isLate = new DeliveryError(messageFor('failure.messageTimeout', { seconds: PATIENCE_MS / 1000 }), {
    mayPass: true,
  });
  void clock.sleep(PATIENCE_MS, { signal: done.signal }).then(
    () => late.abort(isLate),
    () => undefined,
  );
  try {
    return await work(AbortSignal.any([late.signal, stopped]));
  } catch (error) {
    if (error instanceof DeliveryError) throw error;
    throw late.signal.aborted ? isLate : notSent(error);
  } finally {
    done.abort();
  }
}

/** Of another's error only its code, where it has one: the text may hold the address. */
const notSent = (error: unknown): DeliveryError => {
  const reason = systemCode(error) ?? (error instanceof Error ? error.name : messageOf(error));
  return new DeliveryError(messageFor('failure.messageNotSent', { reason: `${reason}.` }), { mayPass: true });
};

/**
 * Sends one request over a connection of its own. A redirect is not followed, and of the answer only the status is read.
 * Throws DeliveryError when it is not one of success.
 */
export async function sendRequest(
  { url, headers, body }: MessageRequest,
  { routesTo, signal }: { readonly routesTo: RoutesTo; readonly signal: AbortSignal },
): Promise<void> {
  const open = buildConnector({ timeout: PATIENCE_MS });
  const connect = connectorUntil(signal, connectorThrough(routesTo, open, PATIENCE_MS));
  const agent = new Agent({ connect });
  try {
    const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent, signal });
    answer.body.on('error', () => undefined).destroy();
    checkStatus(answer.statusCode);
  } finally {
    await agent.destroy();
  }
}

function checkStatus(status: number): void {
  if (status >= 200 && status < 300) return;
  if (status >= 300 && status < 400) {
    throw new DeliveryError(messageFor('failure.messageRedirected'), { mayPass: false });
  }
  const mayPass = status >= 500 || status === 408 || status === 429;
  throw new DeliveryError(messageFor('failure.messageRefused', { status: String(status) }), { mayPass });
}
