import { jsonAnswer, type Answer } from '../answer.ts';
import { jsonObject } from '../call.ts';
import type { Fault } from '../fault-rules.ts';
import type { ServiceParts } from '../service-parts.ts';
import type { TaskRecord } from '../task-store.ts';
import { resultUrls } from '../task-view.ts';
import { readMusicOrder } from '../validate/music.ts';
import { commitTask, requireTask, taskAnswer } from './create-task.ts';
import type { Route } from './route.ts';

/** Generic tasks: music is made here, and videos can be asked for here too. */
export const taskRoutes: Route[] = [
  {
    method: 'POST',
    path: '/v1/tasks',
    answer: (call, parts) => {
      const order = readMusicOrder(jsonObject(call));
      const task = commitTask(call, parts, 'tasks', order);
      return call.fault?.fault === 'music-tasks' ? severalTasks(call.fault, task, parts) : taskAnswer(task, parts);
    },
  },
  {
    method: 'GET',
    path: '/v1/tasks/:id',
    answer: (_call, parts, { id = '' }) => {
      const task = requireTask(parts, id, ['tasks', 'videos']);
      return task.records
        ? musicAnswer(task.records.map((each) => musicRecord(each, task, parts)))
        : taskAnswer(task, parts);
    },
  },
];

type MusicTasks = Extract<Fault, { fault: 'music-tasks' }>;

/** Makes the further tasks of a submit. Each takes a little longer than the one before. */
function severalTasks({ as, ends }: MusicTasks, first: TaskRecord, { tasks, media }: ServiceParts): Answer {
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

/** Fields of a music record are not shown by the reference; these are the names used elsewhere in it. */
function musicRecord(id: string, task: TaskRecord, { tasks, addresses }: ServiceParts): Record<string, unknown> {
  const record = tasks.get(id) ?? task;
  const status = tasks.statusOf(record);
  return {
    id: `clip_${id}`,
    task_id: task.id,
    status,
    ...(status === 'succeeded' && { audio_url: resultUrls(record, addresses)[0] }),
    ...(status === 'failed' && { fail_reason: record.error?.message }),
  };
}

const musicAnswer = (data: unknown): Answer => jsonAnswer({ code: 'success', message: '', data });
