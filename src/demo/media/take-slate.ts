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
  const { wanted } = task;
  const facts = [
    task.kind === 'video' ? `${String(wanted.seconds)} s` : `${String(wanted.width)} × ${String(wanted.height)}`,
    ...(wanted.outputs > 1 ? [`${String(index + 1)} of ${String(wanted.outputs)}`] : []),
    ...(revision > 0 ? [`revision ${String(revision + 1)}`] : []),
    `task ${shortId(task.id)}`,
  ];
  return {
    width: wanted.width,
    height: wanted.height,
    headline: wanted.prompt === '' ? 'Untitled shot' : wanted.prompt,
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
