import { MAKERS, type MediaFile } from '../media/media-library.ts';
import type { ServiceParts } from '../service-parts.ts';
import type { TaskRecord, NewTask } from '../task-store.ts';
import { once } from 'node:events';
import { jsonAnswer, Refusal, type Answer, type Call } from '../call.ts';
import type { DemoModel } from '../models.ts';

export type TaskOrder = { model: DemoModel } & Pick<NewTask, 'wanted' | 'job'> & Partial<Pick<NewTask, 'references'>>;

/** Accepts an order: from here on it is billable. */
export function commitTask(call: Call, resource: TaskRecord['resource'], order: TaskOrder): TaskRecord {
  const { overrides, parts } = call;
  requireRoom(call, order.model);
  const facts: NewTask = {
    kind: order.model.kind,
    resource,
    model: order.model.id,
    wanted: order.wanted,
    references: order.references ?? [],
    ...(order.job && { job: order.job }),
    ...overrides.task,
  };
  const task = parts.tasks.get(facts.id ?? '') ?? parts.tasks.create(facts);
  parts.ledger.commit(call.entry, task.id);
  if (task.end === 'succeeded') parts.media.prepare(task);
  return task;
}

/** Accepts a call that makes no task: it is billable all the same. */
export function commitTool({ entry, parts }: Call): void {
  parts.ledger.commit(entry, `call_${String(entry.n)}`);
}

function requireRoom({ parts: { limits, tasks, clock } }: Call, { id }: DemoModel): void {
  if (!limits) return;
  const { places = () => Infinity, taskEveryMs = 0, retryAfterSeconds } = limits;
  const last = tasks.list().at(-1)?.createdAt ?? -Infinity;
  if (tasks.running(id) < places(id) && clock.now() >= last + taskEveryMs) return;
  const message = 'Too many requests. Wait before you ask again.';
  throw new Refusal(429, 'rate_limit_exceeded', message, { retryAfterSeconds });
}

export async function finish(task: TaskRecord, { signal, parts }: Call): Promise<void> {
  await parts.clock.sleep(task.takesMs, { signal });
  if (task.end === 'never') await once(signal, 'abort');
  if (task.end !== 'succeeded') {
    const { message = 'It was not made.', code = 'generation_cancelled' } = task.error ?? {};
    throw new Refusal(400, code, message);
  }
}

export const outputFiles = (task: TaskRecord, { parts }: Call): Promise<MediaFile[]> =>
  Promise.all(Array.from({ length: task.wanted.outputs }, (_, index) => parts.media.file(task, index)));

export async function finishedFiles(task: TaskRecord, call: Call): Promise<MediaFile[]> {
  await finish(task, call);
  return outputFiles(task, call);
}

export const taskAnswer = (task: TaskRecord, { parts }: Call): Answer => jsonAnswer(taskView(task, parts));

/** A task of the resource it is asked at (reference: each resource names its own query). */
export function requireTask({ parts }: Call, id: string, ...resources: TaskRecord['resource'][]): TaskRecord {
  const task = parts.tasks.get(id);
  if (task !== undefined && resources.includes(task.resource)) return task;
  throw new Refusal(404, 'task_not_found', `There is no task ${id} here.`);
}

/** A Task as the reference shows it, at this moment (reference: Resources, Task). */
function taskView(task: TaskRecord, parts: ServiceParts): Record<string, unknown> {
  const status = parts.tasks.statusOf(task);
  const urls = status === 'succeeded' ? resultUrls(task, parts) : [];
  const [first] = urls;
  // Ids of digits alone are numbers on the wire, longer than a JavaScript number can be: see `jsonAnswer`.
  const id = /^\d+$/.test(task.id) ? BigInt(task.id) : task.id;
  return {
    id,
    task_id: id,
    object: 'task',
    status,
    model: task.model,
    created_at: Math.floor(task.createdAt / 1000),
    output: urls.map((url) => ({ type: MAKERS[task.kind].outputType, url })),
    error: status === 'failed' ? task.error : null,
    trace_id: task.traceId,
    request_id: task.traceId,
    task_chain: [
      { step: 'generation', status },
      ...(first === undefined
        ? []
        : [{ step: 'result_url_policy', status, result_url_policy: 'direct_return', result_url: first }]),
    ],
    ...(task.kind === 'video' && {
      input_references: task.references.map((reference) => ({ ...reference, binding_status: 'bound' })),
    }),
  };
}

export function resultUrls(task: TaskRecord, { addresses }: ServiceParts): string[] {
  return Array.from({ length: task.wanted.outputs }, (_, index) => addresses.mint(task, index));
}

/** The words of digital human tasks for a task's status, and, since its own are not shown, of the job-style family. */
export const STATUS_WORDS: Readonly<Record<string, string>> = {
  pending: 'SUBMITTED',
  submitted: 'SUBMITTED',
  running: 'IN_PROGRESS',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
  cancelled: 'CANCELED',
  canceled: 'CANCELED',
};
