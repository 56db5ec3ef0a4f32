import { once } from 'node:events';
import { jsonAnswer, Refusal, type Answer } from '../answer.ts';
import type { Call } from '../call.ts';
import { reportWhenDone } from '../callbacks.ts';
import type { MediaFile } from '../media/media-library.ts';
import type { DemoModel } from '../models.ts';
import type { ServiceParts } from '../service-parts.ts';
import type { InputReference, JobOrder, MediaRequest, NewTask, TaskRecord } from '../task-store.ts';
import { taskView } from '../task-view.ts';

export interface TaskOrder {
  model: DemoModel;
  wanted: MediaRequest;
  references?: InputReference[];
  job?: JobOrder;
}

export interface GenericTask {
  order(call: Call, parts: ServiceParts, wanted: { body: Record<string, unknown>; model: DemoModel }): Answer;
  view(task: TaskRecord, parts: ServiceParts): Answer;
}

/** Accepts an order: from here on it is billable. The fault that strikes the call may shape the task. */
export function commitTask(
  call: Call,
  parts: ServiceParts,
  resource: TaskRecord['resource'],
  order: TaskOrder,
): TaskRecord {
  requireRoom(parts, order.model);
  const { fault } = call;
  const facts: NewTask = {
    kind: order.model.kind,
    resource,
    model: order.model.id,
    wanted: order.wanted,
    references: order.references ?? [],
    resultPlace: fault?.fault === 'result-place' ? fault.place : parts.resultPlace,
    ...(order.job && { job: order.job }),
  };
  if (fault?.fault === 'outcome') {
    facts.end = fault.end ?? 'succeeded';
    if (fault.takesMs !== undefined) facts.takesMs = fault.takesMs;
    if (facts.end === 'failed') {
      const message = fault.message ?? 'The prompt was rejected by the content review.';
      facts.error = { message, type: 'task_error', code: fault.code ?? 'content_rejected' };
    }
  }
  if (fault?.fault === 'task-id') facts.id = fault.id;
  const task = parts.tasks.get(facts.id ?? '') ?? parts.tasks.create(facts);
  parts.ledger.commit(call.entry, task.id);
  if (task.end === 'succeeded') parts.media.prepare(task);
  void reportWhenDone(task, call, parts);
  return task;
}

/** Accepts a call that makes no task: it is billable all the same. */
export function commitTool(call: Call, { ledger }: ServiceParts): void {
  ledger.commit(call.entry, `call_${String(call.entry.n)}`);
}

/** Waits for a task as a synchronous entry does, and refuses one that failed. */
export async function finished(task: TaskRecord, call: Call, { clock }: ServiceParts): Promise<void> {
  await clock.sleep(task.takesMs, { signal: call.signal });
  if (task.end === 'never') await once(call.signal, 'abort');
  if (task.end === 'succeeded') return;
  const { message = 'It was not made.', code = 'generation_cancelled' } = task.error ?? {};
  throw new Refusal(400, code, message);
}

/** Every output of a task, in order. */
export function outputFiles(task: TaskRecord, { media }: ServiceParts): Promise<MediaFile[]> {
  return Promise.all(Array.from({ length: task.wanted.outputs }, (_, index) => media.file(task, index)));
}

function requireRoom({ limits, tasks, clock }: ServiceParts, { id }: DemoModel): void {
  if (!limits) return;
  const { places = () => Infinity, taskEveryMs = 0, retryAfterSeconds } = limits;
  if (tasks.running(id) < places(id) && clock.now() >= tasks.lastCreatedAt + taskEveryMs) return;
  const message = 'Too many requests. Wait before you ask again.';
  throw new Refusal(429, 'rate_limit_exceeded', message, { retryAfterSeconds });
}

export function taskAnswer(task: TaskRecord, parts: ServiceParts): Answer {
  return jsonAnswer(taskView(task, parts.tasks.statusOf(task), parts.addresses));
}

/** A task of the resource it is asked at (reference: each resource names its own query). */
export function requireTask(parts: ServiceParts, id: string, resources: TaskRecord['resource'][]): TaskRecord {
  const task = parts.tasks.get(id);
  if (task !== undefined && resources.includes(task.resource)) return task;
  throw new Refusal(404, 'task_not_found', `There is no task ${id} here.`);
}
