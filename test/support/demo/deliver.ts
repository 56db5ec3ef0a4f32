import type { ServerResponse } from 'node:http';
import type { Answer, Call } from '../../../src/demo/call.ts';

/** How an answer travels. The plain case is the whole body, with its length announced. */
export interface Delivery {
  /** Without one not a byte is sent. */
  answer: Answer | null;
  framing?: 'length' | 'chunked' | undefined;
  /** Content-Length as announced, when it is not the length of the body. */
  announcedBytes?: number;
  /** How many bytes of the body leave; the whole body when absent. */
  sentBytes?: number;
  pace?: { bytes: number; pauseMs: number };
  /** Sends `100 Continue` before the answer, which nobody asked for. */
  interim?: true;
  /** `close` ends the connection in order, `reset` with an error, `hang` never. */
  ending?: 'finish' | 'close' | 'reset' | 'hang';
}

export async function deliver(response: ServerResponse, delivery: Delivery, call: Call): Promise<void> {
  const { entry } = call;
  if (response.destroyed) {
    entry.ending = 'client-left';
    return;
  }
  if (delivery.interim) response.writeContinue();
  if (delivery.answer !== null) await sendAnswer(response, delivery.answer, delivery, call);
  if (response.destroyed && delivery.ending !== 'close') {
    entry.ending = 'client-left';
    return;
  }
  switch (delivery.ending ?? 'finish') {
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
      await closed(response, call.signal);
  }
}

async function sendAnswer(
  response: ServerResponse,
  answer: Answer,
  delivery: Delivery,
  { method, entry, signal, parts: { clock } }: Call,
): Promise<void> {
  const length = delivery.announcedBytes ?? answer.body.length;
  const framing = delivery.framing === 'chunked' ? {} : { 'content-length': String(length) };
  entry.status = answer.status;
  response.writeHead(answer.status, { ...answer.headers, ...framing });
  if (method === 'HEAD') return;
  const body = answer.body.subarray(0, delivery.sentBytes);
  const step = delivery.pace?.bytes ?? Math.max(body.length, 1);
  for (let at = 0; at < body.length; at += step) {
    if (at > 0 && delivery.pace !== undefined) await clock.sleep(delivery.pace.pauseMs, { signal });
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
