import type { DemoClock } from './clock.ts';
import type { ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';
import type { LedgerEntry } from './ledger.ts';

/** How an answer travels. The plain case is the whole body, with its length announced. */
export interface Delivery {
  /** Without one not a byte is sent. */
  answer: Answer | null;
  framing: 'length' | 'chunked';
  /** Content-Length as announced, when it is not the length of the body. */
  announcedBytes?: number;
  /** How many bytes of the body leave; the whole body when absent. */
  sentBytes?: number;
  pace?: { bytes: number; pauseMs: number };
  /** Sends `100 Continue` before the answer, which nobody asked for. */
  interim?: true;
  /** `close` ends the connection in order, `reset` with an error, `hang` never. */
  ending: 'finish' | 'close' | 'reset' | 'hang';
}

export function wholeDelivery(answer: Answer): Delivery {
  return { answer, framing: 'length', ending: 'finish' };
}

export interface DeliveryTools {
  clock: DemoClock;
  entry: LedgerEntry;
  /** Aborts when the service stops. */
  signal: AbortSignal;
  bodyless: boolean;
}

export async function deliver(response: ServerResponse, delivery: Delivery, tools: DeliveryTools): Promise<void> {
  const { entry } = tools;
  if (response.destroyed) {
    entry.ending = 'client-left';
    return;
  }
  if (delivery.interim) response.writeContinue();
  if (delivery.answer !== null) await sendAnswer(response, delivery.answer, delivery, tools);
  if (response.destroyed && delivery.ending !== 'close') {
    entry.ending = 'client-left';
    return;
  }
  switch (delivery.ending) {
    case 'finish':
      entry.ending = 'complete';
      response.end();
      return;
    case 'close':
      entry.ending = 'cut';
      response.socket?.destroySoon();
      return;
    case 'reset':
      entry.ending = 'reset';
      response.socket?.resetAndDestroy();
      return;
    case 'hang':
      entry.ending = 'hung';
      if (delivery.answer !== null) response.flushHeaders();
      await closed(response, tools.signal);
  }
}

async function sendAnswer(
  response: ServerResponse,
  answer: Answer,
  delivery: Delivery,
  tools: DeliveryTools,
): Promise<void> {
  const length = delivery.announcedBytes ?? answer.body.length;
  const framing = delivery.framing === 'length' ? { 'content-length': String(length) } : {};
  tools.entry.status = answer.status;
  response.writeHead(answer.status, { ...answer.headers, ...framing });
  if (tools.bodyless) return;
  const body = answer.body.subarray(0, delivery.sentBytes);
  const step = delivery.pace?.bytes ?? Math.max(body.length, 1);
  for (let at = 0; at < body.length; at += step) {
    if (at > 0 && delivery.pace !== undefined) await tools.clock.sleep(delivery.pace.pauseMs, { signal: tools.signal });
    if (response.destroyed) return;
    await write(response, body.subarray(at, at + step));
  }
}

/** Resolves when the bytes are with the operating system, or the connection is gone. */
async function write(response: ServerResponse, bytes: Buffer): Promise<void> {
  await new Promise<void>((resolve) => {
    response.once('close', resolve);
    response.write(bytes, () => {
      response.removeListener('close', resolve);
      resolve();
    });
  });
}

async function closed(response: ServerResponse, signal: AbortSignal): Promise<void> {
  if (response.destroyed || signal.aborted) return;
  await new Promise<void>((resolve) => {
    response.once('close', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
