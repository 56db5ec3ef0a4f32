import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { addressExpired, htmlPage, jsonAnswer, Refusal, textAnswer, type Answer } from './answer.ts';
import type { Call } from './call.ts';
import { wholeDelivery, type Delivery } from './deliver.ts';
import { mediaSubject } from './entries/results.ts';
import type { Fault } from './fault-rules.ts';
import { otherPath } from './media-addresses.ts';
import { unfamiliarFile } from './media/unfamiliar.ts';
import type { ServiceParts } from './service-parts.ts';
import { reshaped } from './record-shapes.ts';

/** `respond` answers as without the fault; a redirect to `other` leads to this service under `otherOrigin`. */
export async function corrupt(
  fault: Fault,
  call: Call,
  { respond, otherOrigin }: { respond: (call: Call) => Promise<Answer>; otherOrigin: string },
): Promise<Delivery> {
  const { parts } = call;
  const answer = (): Promise<Answer> => respond(call);
  const effect = async (commit: boolean | undefined): Promise<void> => {
    if (commit === true) await answer();
  };
  switch (fault.fault) {
    case 'status':
      await effect(fault.commit);
      return wholeDelivery(statusAnswer(fault));
    case 'rate-limit':
      return wholeDelivery(rateLimited(fault, parts.clock.now()));
    case 'html':
      await effect(fault.commit);
      return wholeDelivery(
        textAnswer(htmlPage('Sign in to continue'), 'text/html; charset=utf-8', fault.status ?? 200),
      );
    case 'empty':
      await effect(fault.commit);
      return wholeDelivery({ status: 200, headers: {}, body: Buffer.alloc(0) });
    case 'not-json':
      await effect(fault.commit ?? true);
      return wholeDelivery(textAnswer(fault.body ?? 'OK', 'text/plain; charset=utf-8'));
    case 'reset':
      if (fault.afterBytes !== undefined) {
        return { answer: await answer(), framing: 'length', sentBytes: fault.afterBytes, ending: 'reset' };
      }
      await effect(fault.commit);
      return { answer: null, framing: 'length', ending: 'reset' };
    case 'hang':
      await effect(fault.commit);
      return { answer: null, framing: 'length', ending: 'hang' };
    case 'redirect':
      return wholeDelivery(redirect(fault.to, fault.status ?? 302, call, otherOrigin));
    case 'expired':
      parts.addresses.revoke(call.rawQuery);
      return wholeDelivery(addressExpired(fault.status).answer);
    case 'range-not-satisfiable':
      return wholeDelivery({ status: 416, headers: { 'content-range': 'bytes */0' }, body: Buffer.alloc(0) });
    case 'changed-content':
      changeContent(call, parts);
      return wholeDelivery(await answer());
    case 'format': {
      const { contentType, bytes } = unfamiliarFile(fault.as);
      await answer();
      return wholeDelivery({ status: 200, headers: { 'content-type': contentType }, body: bytes });
    }
    case 'ignore-range':
      delete call.headers.range;
      return wholeDelivery(await answer());
    default:
      return spoilAnswer(fault, await answer());
  }
}

function changeContent({ path }: Call, parts: ServiceParts): void {
  const subject = mediaSubject(path, parts);
  if (subject !== null) parts.media.revise(subject.task, subject.index);
}

function spoilAnswer(fault: Fault, answer: Answer): Delivery {
  const whole = wholeDelivery(answer);
  const half = Math.floor(answer.body.length / 2);
  switch (fault.fault) {
    case 'cut':
      return { ...whole, framing: fault.framing ?? 'length', sentBytes: fault.afterBytes ?? half, ending: 'close' };
    case 'stall':
      return { ...whole, sentBytes: fault.afterBytes ?? half, ending: 'hang' };
    case 'drip':
      return { ...whole, pace: { bytes: fault.bytes ?? 1024, pauseMs: fault.pauseMs ?? 20 } };
    case 'overlong': {
      const body = Buffer.concat([answer.body, Buffer.alloc(fault.extraBytes ?? 1024, '#')]);
      return { answer: { ...answer, body }, framing: 'length', announcedBytes: answer.body.length, ending: 'close' };
    }
    case 'wrong-range':
      return { ...whole, answer: misplacedRange(answer) };
    case 'content-type':
      return { ...whole, answer: { ...answer, headers: { ...answer.headers, 'content-type': fault.value } } };
    case 'encoded':
      return { ...whole, answer: encoded(answer, fault) };
    case 'continue':
      return { ...whole, interim: true };
    case 'results':
      return {
        ...whole,
        answer: rewriteJson(answer, (task) => ({ ...task, output: chosen(task.output, fault) })),
      };
    case 'no-id':
      return {
        ...whole,
        answer: rewriteJson(answer, ({ id: _id, task_id: _taskId, result: _result, data, ...rest }) => ({
          ...rest,
          // Music names its task by a text here, and shows records otherwise.
          ...(typeof data === 'object' && { data }),
        })),
      };
    case 'other-model':
      return { ...whole, answer: rewriteJson(answer, (task) => ({ ...task, model: fault.model })) };
    case 'record-shape':
      return { ...whole, answer: reshaped(answer, fault) };
    case 'binding':
      return { ...whole, answer: rewriteJson(answer, (task) => ({ ...task, ...boundAs(task, fault.status) })) };
    case 'task-status':
      return { ...whole, answer: rewriteJson(answer, (task) => ({ ...task, ...statusFields(fault) })) };
    default:
      // The rest (`outcome`, `asset-outcome`, `result-place`) shape the record, not its answer.
      return whole;
  }
}

function statusAnswer(fault: Extract<Fault, { fault: 'status' }>): Answer {
  const headers = fault.headers ?? {};
  if (typeof fault.body === 'string') {
    const plain = textAnswer(fault.body, fault.contentType ?? 'text/html; charset=utf-8', fault.status);
    return { ...plain, headers: { ...plain.headers, ...headers } };
  }
  const plain = new Refusal(fault.status, 'demo_fault', `The service answers ${String(fault.status)} on purpose.`)
    .answer;
  return jsonAnswer(fault.body ?? JSON.parse(plain.body.toString()), fault.status, headers);
}

function rateLimited(fault: Extract<Fault, { fault: 'rate-limit' }>, now: number): Answer {
  const seconds = fault.seconds ?? 1;
  const answer = new Refusal(429, 'rate_limit_exceeded', 'Too many requests. Wait before you ask again.').answer;
  const form = fault.as ?? 'seconds';
  if (form === 'absent' && fault.retryAfter === undefined) return answer;
  // HTTP dates are whole seconds; rounding down would allow a client to come early.
  const date = new Date(Math.ceil((now + seconds * 1000) / 1000) * 1000).toUTCString();
  const retryAfter = fault.retryAfter ?? (form === 'date' ? date : String(seconds));
  return { ...answer, headers: { ...answer.headers, 'retry-after': retryAfter } };
}

function redirect(to: string, status: number, call: Call, otherOrigin: string): Answer {
  const here = call.rawQuery === '' ? call.path : `${call.path}?${call.rawQuery}`;
  const targets: Record<string, string> = {
    same: here,
    loop: here,
    other: `${otherOrigin}${here}`,
    private: `http://10.255.255.1${here}`,
  };
  return { status, headers: { location: targets[to] ?? to }, body: Buffer.alloc(0) };
}

/** Claims that the bytes come from a place further on than they do. */
function misplacedRange(answer: Answer): Answer {
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(answer.headers['content-range'] ?? '');
  const [, first = '0', last = String(answer.body.length - 1), total = String(answer.body.length)] = range ?? [];
  const moved = `bytes ${String(Number(first) + 7)}-${String(Number(last) + 7)}/${String(Number(total) + 7)}`;
  return { ...answer, status: 206, headers: { ...answer.headers, 'content-range': moved } };
}

const ENCODERS = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

function encoded(answer: Answer, { as, isLie }: Extract<Fault, { fault: 'encoded' }>): Answer {
  const body = isLie === true ? answer.body : ENCODERS[as](answer.body);
  return { ...answer, headers: { ...answer.headers, 'content-encoding': as }, body };
}

function statusFields(fault: Extract<Fault, { fault: 'task-status' }>): Record<string, unknown> {
  const error = { message: fault.message ?? 'The task failed on purpose.', type: 'task_error', code: 'demo_fault' };
  const unfinished = fault.status === 'succeeded' || fault.keepOutput === true ? {} : { output: [] };
  return { status: fault.status, error: fault.status === 'failed' ? error : null, ...unfinished };
}

function chosen(outputs: unknown, { order, moved }: Extract<Fault, { fault: 'results' }>): unknown[] {
  if (!Array.isArray(outputs)) return [];
  const named = order.flatMap((number) => (outputs as { url: string }[]).slice(number - 1, number));
  return moved ? named.map((output) => ({ ...output, url: otherPath(output.url) })) : named;
}

function boundAs({ input_references: references }: Record<string, unknown>, status: string): Record<string, unknown> {
  if (!Array.isArray(references)) return {};
  return { input_references: references.map((each: object) => ({ ...each, binding_status: status })) };
}

function rewriteJson(answer: Answer, change: (body: Record<string, unknown>) => Record<string, unknown>): Answer {
  const body = JSON.parse(answer.body.toString('utf8')) as Record<string, unknown>;
  return { ...answer, body: Buffer.from(JSON.stringify(change(body))) };
}
