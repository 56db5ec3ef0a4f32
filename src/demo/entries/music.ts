import { z } from 'zod';
import { jsonAnswer, type Answer } from '../answer.ts';
import type { Fault } from '../fault-rules.ts';
import type { ServiceParts } from '../service-parts.ts';
import { mediaRequest, type TaskRecord } from '../task-store.ts';
import { resultUrls } from '../task-view.ts';
import { commitTask, taskAnswer, type GenericTask } from './create-task.ts';
import { parseFields } from './fields.ts';
import { publicUrl } from './references.ts';

const text = z.string().optional();
const flag = z.boolean().optional();

/**
 * Fields of music at POST /v1/tasks (reference: Generic tasks, and "Music submit" for the further ones).
 * The route takes model-specific fields, so unknown ones pass; known ones must be of their type.
 */
const musicFields = z.object({
  model: z.string(),
  prompt: z.string().min(1, 'it must not be empty').optional(),
  style: text,
  title: text,
  tags: text,
  lyrics: text,
  customMode: flag,
  custom_mode: flag,
  instrumental: flag,
  make_instrumental: flag,
  continue_at: z.number().optional(),
  audioUrl: publicUrl.optional(),
  sourceAudioUrl: publicUrl.optional(),
  callBackUrl: publicUrl.optional(),
  callback_url: publicUrl.optional(),
});

const MUSIC_SECONDS = 8;

export const music: GenericTask = {
  order: (call, parts, { body, model }) => {
    const { prompt = '', title = null, style, tags } = parseFields(musicFields, body, { rejectUnknownFields: false });
    const wanted = mediaRequest({ prompt, title, style: style ?? tags ?? null, seconds: MUSIC_SECONDS, audio: true });
    const task = commitTask(call, parts, 'tasks', { model, wanted });
    return call.fault?.fault === 'music-tasks' ? severalTasks(call.fault, task, parts) : taskAnswer(task, parts);
  },
  view: (task, parts) =>
    task.records ? musicAnswer(task.records.map((each) => musicRecord(each, task, parts))) : taskAnswer(task, parts),
};

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
