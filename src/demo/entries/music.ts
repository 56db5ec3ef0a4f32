import { z } from 'zod';
import { jsonAnswer, type Answer, invalid } from '../answer.ts';
import { jsonObject, type Call } from '../call.ts';
import type { Fault } from '../fault-rules.ts';
import { lyricsOf } from '../media/words.ts';
import { findModel } from '../models.ts';
import type { ServiceParts } from '../service-parts.ts';
import { mediaRequest, type TaskRecord } from '../task-store.ts';
import { resultUrls } from '../task-view.ts';
import { commitTask, requireTask, taskAnswer, type GenericTask } from './create-task.ts';
import { parseFields, requireModel } from './fields.ts';
import { audioReference, mediaUrl, publicUrl, requireUsableReferences } from './references.ts';
import { get, post, type Route } from './route.ts';

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
  mv: text,
  task_id: text,
  continue_at: z.number().nonnegative().optional(),
  audioUrl: mediaUrl.optional(),
  sourceAudioUrl: mediaUrl.optional(),
  callBackUrl: publicUrl.optional(),
  callback_url: publicUrl.optional(),
});

/** Of the music submit operation (reference: "Music submit"). */
const submitFields = musicFields.omit({ style: true, lyrics: true, customMode: true });

const MUSIC_SECONDS = 8;

type MusicOrder = Parameters<GenericTask['order']>[2];

export const music: GenericTask = {
  order: (call, parts, wanted) => {
    if (wanted.model.brings === 'lyrics') return musicAnswer(orderLyrics(call, parts, wanted).id);
    const task = orderMusic(call, parts, wanted);
    return call.fault?.fault === 'music-tasks' ? severalTasks(call.fault, task, parts) : taskAnswer(task, parts);
  },
  view: (task, parts) => {
    if (findModel(task.model)?.brings === 'lyrics') return musicAnswer(lyricsRecord(task, parts));
    return task.records
      ? musicAnswer(task.records.map((each) => musicRecord(each, task, parts)))
      : taskAnswer(task, parts);
  },
};

/** How lyrics are asked for is not shown: by the model, and by what they are about. */
function orderLyrics(call: Call, parts: ServiceParts, { body, model }: MusicOrder): TaskRecord {
  const { prompt = '', title = null } = parseFields(musicFields, body, { rejectUnknownFields: false });
  const wanted = mediaRequest({ prompt, title, outputs: 0 });
  return commitTask(call, parts, 'tasks', { model, wanted });
}

/** Nor is what their record holds: `text` and `title` are assumed. */
function lyricsRecord(task: TaskRecord, { tasks }: ServiceParts): Record<string, unknown> {
  const status = tasks.statusOf(task);
  return {
    task_id: task.id,
    status,
    ...(status === 'succeeded' && { title: task.wanted.title ?? 'Untitled', text: lyricsOf(task) }),
    ...(status === 'failed' && { fail_reason: task.error?.message }),
  };
}

function orderMusic(call: Call, parts: ServiceParts, { body, model }: MusicOrder): TaskRecord {
  const fields = parseFields(musicFields, body, { rejectUnknownFields: false });
  const { prompt = '', title = null, style, tags } = fields;
  const before = fields.task_id === undefined ? null : requireSong(fields.task_id, parts);
  for (const name of ['audioUrl', 'sourceAudioUrl'] as const) {
    const url = fields[name];
    if (url !== undefined) requireUsableReferences([audioReference(name, url)], model, parts.assets);
  }
  const seconds = before ? (fields.continue_at ?? before.wanted.seconds) + MUSIC_SECONDS : MUSIC_SECONDS;
  if (before && seconds > before.wanted.seconds + MUSIC_SECONDS) {
    throw invalid('invalid_continue_at', `The piece is ${String(before.wanted.seconds)} seconds long.`);
  }
  const wanted = mediaRequest({ prompt, title, style: style ?? tags ?? null, seconds, audio: true });
  return commitTask(call, parts, 'tasks', { model, wanted });
}

/** The music operation, whose paths the reference does not show: the music task response wraps the same tasks. */
export const musicRoutes: Route[] = [
  post('/v1/music', (call, parts) => {
    const body = jsonObject(call);
    const order = { body, model: requireModel(body.model, 'music') };
    if (order.model.brings === 'lyrics') return musicAnswer(orderLyrics(call, parts, order).id);
    parseFields(submitFields, body, parts);
    return musicAnswer(orderMusic(call, parts, order).id);
  }),
  get('/v1/music/:id', (_call, parts, { id = '' }) => {
    const task = requireTask(parts, id, ['tasks']);
    const isText = findModel(task.model)?.brings === 'lyrics';
    return musicAnswer(isText ? lyricsRecord(task, parts) : musicRecord(task.id, task, parts));
  }),
];

function requireSong(id: string, { tasks }: ServiceParts): TaskRecord {
  const song = tasks.get(id);
  if (song?.kind === 'music' && tasks.statusOf(song) === 'succeeded') return song;
  throw invalid('task_not_found', `task_id: there is no finished music task ${id}.`);
}

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
