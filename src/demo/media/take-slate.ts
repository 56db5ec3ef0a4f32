import type { TaskRecord } from '../task-store.ts';
import type { Slate } from './slate.ts';

/** Names one output of one task; `revision` grows when its content is made to change. */
export interface OutputKey {
  task: TaskRecord;
  /** From 0. */
  index: number;
  revision: number;
}

/** The slate of one output: what the shot asks for, which model, how long, and the short id of its task. */
export function takeSlate(key: OutputKey): Slate {
  const { task, index, revision } = key;
  const { wish } = task;
  const facts = [
    task.kind === 'video' ? `${String(wish.seconds)} s` : `${String(wish.width)} × ${String(wish.height)}`,
    ...(wish.outputs > 1 ? [`${String(index + 1)} of ${String(wish.outputs)}`] : []),
    ...(revision > 0 ? [`revision ${String(revision + 1)}`] : []),
    `task ${shortId(task.id)}`,
  ];
  return {
    width: wish.width,
    height: wish.height,
    headline: wish.prompt === '' ? 'Untitled shot' : wish.prompt,
    label: task.model,
    caption: facts.join(' · '),
    seed: seedOf(key),
  };
}

export function seedOf(key: OutputKey): string {
  return `${key.task.id}/${String(key.index)}/${String(key.revision)}`;
}

/** The last six characters: enough to tell the takes on a screen apart. */
export function shortId(taskId: string): string {
  return taskId.slice(-6);
}
