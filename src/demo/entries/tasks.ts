import { once } from 'node:events';
import { jsonAnswer, Refusal, type Answer } from '../answer.ts';
import type { Call } from '../call.ts';
import type { MediaFile } from '../media/media-library.ts';
import type { DemoModel } from '../models.ts';
import type { NewTask, TaskRecord } from '../task-store.ts';
import { taskView } from '../task-view.ts';

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

/** Waits for a task as a synchronous entry does, and refuses one that failed. */
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
