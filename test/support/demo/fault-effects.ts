import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { addressExpired, jsonAnswer, Refusal, type Answer, type Call } from '../../../src/demo/call.ts';
import type { Delivery } from './deliver.ts';
import { mediaSubject } from '../../../src/demo/entries/results.ts';
import { outputFiles, resultUrls } from '../../../src/demo/entries/tasks.ts';
import type { TaskRecord } from '../../../src/demo/task-store.ts';
import type { Fault } from './fault-rules.ts';
import { answerShapes, reshaped } from './record-shapes.ts';
import { unfamiliarFile } from './unfamiliar.ts';

/** `respond` answers as without the fault; a redirect to `other` leads to this service under `otherOrigin`. */
export async function corrupt(
  fault: Fault,
  call: Call,
  respond: () => Promise<Answer>,
  { otherOrigin, revoke }: { readonly otherOrigin: string; readonly revoke: (rawQuery: string) => void },
): Promise<Delivery> {
  call.overrides = overridesFor(fault);
  if (fault.fault === 'reset' && fault.afterBytes !== undefined) {
    return { answer: await respond(), sentBytes: fault.afterBytes, ending: 'reset' };
  }
  // A fault that needs no answer has one made only for its effect.
  if ('commit' in fault && fault.commit === true) await respond();
  switch (fault.fault) {
    case 'status':
      return { answer: statusAnswer(fault) };
    case 'rate-limit':
      return { answer: rateLimited(fault, call.parts.clock.now()) };
    case 'html':
      return {
        answer: textAnswer(htmlPage('Sign in to continue'), 'text/html; charset=utf-8', fault.status ?? 200),
      };
    case 'empty':
      return { answer: { status: 200, headers: {}, body: Buffer.alloc(0) } };
    case 'not-json':
      if (fault.commit === undefined) await respond();
      return { answer: textAnswer(fault.body ?? 'OK', 'text/plain; charset=utf-8') };
    case 'reset':
      return { answer: null, ending: 'reset' };
    case 'hang':
      return { answer: null, ending: 'hang' };
    case 'redirect':
      return { answer: redirect(fault.to, fault.status ?? 302, call, otherOrigin) };
    case 'expired':
      revoke(call.rawQuery);
      return { answer: addressExpired(fault.status).answer };
    case 'range-not-satisfiable':
      return { answer: { status: 416, headers: { 'content-range': 'bytes */0' }, body: Buffer.alloc(0) } };
    case 'changed-content': {
      const subject = mediaSubject(call.path, call.parts);
      if (subject !== null) call.parts.media.revise(subject.task, subject.index);
      return { answer: await respond() };
    }
    case 'format': {
      const { contentType, bytes } = unfamiliarFile(fault.as);
      await respond();
      return { answer: { status: 200, headers: { 'content-type': contentType }, body: bytes } };
    }
    case 'ignore-range':
      delete call.headers.range;
      return { answer: await respond() };
    case 'answer-shape': {
      const answer = await respond();
      const task = call.parts.tasks.get(call.entry.taskId ?? '');
      if (!task || answer.status !== 200) return { answer };
      const files = (await outputFiles(task, call)).map(({ bytes }) => bytes);
      return { answer: answerShapes[fault.shape](resultUrls(task, call.parts), files) };
    }
    case 'music-tasks': {
      const answer = await respond();
      const task = call.parts.tasks.get(call.entry.taskId ?? '');
      return { answer: task?.wanted.outputs ? severalTasks(fault, task, call) : answer };
    }
    case 'list-echo': {
      const state = call.query.get('state');
      call.query.delete('state');
      const answer = await respond();
      if (state === null) return { answer };
      const views = JSON.parse(answer.body.toString()) as object[];
      return { answer: jsonAnswer(views.map((view) => ({ ...view, state }))) };
    }
    default:
      return spoiled(fault, await respond());
  }
}

/** What the record that the call makes is to be. */
function overridesFor(fault: Fault): Call['overrides'] {
  switch (fault.fault) {
    case 'outcome': {
      const { end = 'succeeded', takesMs, message = 'The prompt was rejected by the content review.', code } = fault;
      const error = { message, type: 'task_error', code: code ?? 'content_rejected' };
      return { task: { end, ...(takesMs !== undefined && { takesMs }), ...(end === 'failed' && { error }) } };
    }
    case 'task-id':
      return { task: { id: fault.id } };
    case 'asset-outcome': {
      const syncError = fault.end === 'failed' ? (fault.message ?? 'The file could not be prepared.') : null;
      return { asset: { end: fault.end, syncError } };
    }
    default:
      return {};
  }
}

function spoiled(fault: Fault, answer: Answer): Delivery {
  const half = Math.floor(answer.body.length / 2);
  const withJson = (change: (body: Record<string, unknown>) => Record<string, unknown>): Delivery => {
    const body = JSON.parse(answer.body.toString('utf8')) as Record<string, unknown>;
    return { answer: { ...answer, body: Buffer.from(JSON.stringify(change(body))) } };
  };
  switch (fault.fault) {
    case 'cut':
      return { answer, framing: fault.framing, sentBytes: fault.afterBytes ?? half, ending: 'close' };
    case 'stall':
      return { answer, sentBytes: fault.afterBytes ?? half, ending: 'hang' };
    case 'drip':
      return { answer, pace: { bytes: fault.bytes ?? 1024, pauseMs: fault.pauseMs ?? 20 } };
    case 'overlong': {
      const body = Buffer.concat([answer.body, Buffer.alloc(fault.extraBytes ?? 1024, '#')]);
      return { answer: { ...answer, body }, announcedBytes: answer.body.length, ending: 'close' };
    }
    case 'wrong-range':
      return { answer: misplacedRange(answer) };
    case 'content-type':
      return { answer: { ...answer, headers: { ...answer.headers, 'content-type': fault.value } } };
    case 'encoded':
      return { answer: encoded(answer, fault) };
    case 'continue':
      return { answer, interim: true };
    case 'results':
      return withJson((task) => ({ ...task, output: chosen(task.output, fault) }));
    case 'no-id':
      return withJson(({ id: _id, task_id: _taskId, result: _result, data, ...rest }) => ({
        ...rest,
        // Music names its task by a text here, and shows records otherwise.
        ...(typeof data === 'object' && { data }),
      }));
    case 'other-model':
      return withJson((task) => ({ ...task, model: fault.model }));
    case 'record-shape':
      return { answer: reshaped(answer, fault) };
    case 'binding':
      return withJson((task) => ({ ...task, ...boundAs(task, fault.status) }));
    case 'task-status':
      return withJson((task) => ({ ...task, ...statusFields(fault) }));
    default:
      // The rest (`outcome`, `asset-outcome`) shape the record, not its answer.
      return { answer };
  }
}

function statusAnswer(fault: Extract<Fault, { fault: 'status' }>): Answer {
  const { status, body, contentType = 'text/html; charset=utf-8', headers = {} } = fault;
  if (typeof body === 'string') {
    return { status, headers: { 'content-type': contentType, ...headers }, body: Buffer.from(body) };
  }
  const plain = new Refusal(status, 'demo_fault', `The service answers ${String(status)} on purpose.`).answer;
  return jsonAnswer(body ?? JSON.parse(plain.body.toString()), status, headers);
}

function rateLimited(fault: Extract<Fault, { fault: 'rate-limit' }>, now: number): Answer {
  const { seconds = 1, as: form = 'seconds', retryAfter } = fault;
  const answer = new Refusal(429, 'rate_limit_exceeded', 'Too many requests. Wait before you ask again.').answer;
  if (form === 'absent' && retryAfter === undefined) return answer;
  // HTTP dates are whole seconds; rounding down would allow a client to come early.
  const date = new Date(Math.ceil((now + seconds * 1000) / 1000) * 1000).toUTCString();
  const given = retryAfter ?? (form === 'date' ? date : String(seconds));
  return { ...answer, headers: { ...answer.headers, 'retry-after': given } };
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

let otherPaths = 0;

/** The same result under a path that no address had before. */
function otherPath(address: string): string {
  const url = new URL(address);
  url.pathname += `;${String(++otherPaths)}`;
  return url.href;
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

/** Makes the further tasks of a submit. Each takes a little longer than the one before. */
function severalTasks(
  { as, ends }: Extract<Fault, { fault: 'music-tasks' }>,
  first: TaskRecord,
  { parts: { tasks, media } }: Call,
): Answer {
  const all = ends.map((end, index) => {
    const takesMs = first.takesMs * (1 + index / 2);
    const error = end === 'failed' ? { message: 'This part was refused.', type: 'task_error', code: 'refused' } : null;
    const wanted = { ...first.wanted, title: `Part ${String(index + 1)}` };
    const { id: _id, traceId: _traceId, ...facts } = first;
    return tasks.create({ ...facts, wanted, end, error, takesMs, ...(index === 0 && { id: first.id }) });
  });
  for (const task of all) if (task.end === 'succeeded') media.prepare(task);
  if (as === 'ids') return musicAnswer(all.map(({ id }) => ({ task_id: id, status: 'submitted' })));
  const [main] = all;
  if (main) main.records = all.map(({ id }) => id);
  return musicAnswer(first.id);
}

const musicAnswer = (data: unknown): Answer => jsonAnswer({ code: 'success', message: '', data });

export function textAnswer(text: string, contentType: string, status = 200): Answer {
  return { status, headers: { 'content-type': contentType }, body: Buffer.from(text) };
}

/** The page a gateway in front of the service shows when the service itself cannot answer. */
function htmlPage(title: string): string {
  return `<!doctype html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
}
