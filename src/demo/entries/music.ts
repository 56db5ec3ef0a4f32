import { z } from 'zod';
import { jsonAnswer, type Answer, invalid } from '../answer.ts';
import { jsonObject, type Call } from '../call.ts';
import { toLyrics } from '../media/words.ts';
import { findModel, type DemoModel } from '../models.ts';
import { mediaRequest, type TaskRecord } from '../task-store.ts';
import { resultUrls } from '../task-view.ts';
import { mediaUrl, publicUrl, requireUsableReferences } from './references.ts';
import { anyFields, fieldsFor, filledText, get, post, requireModel, type Route } from './request.ts';
import { commitTask, requireTask, taskAnswer } from './tasks.ts';

const text = z.string().optional();
const flag = z.boolean().optional();

/**
 * Fields of music at POST /v1/tasks (reference: Generic tasks, and "Music submit" for the further ones).
 * The route takes model-specific fields, so unknown ones pass; known ones must be of their type.
 */
const musicFields = z.object({
  model: z.string(),
  prompt: filledText.optional(),
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

const bringsLyrics = (model: string): boolean => findModel(model)?.brings === 'lyrics';

export function orderMusicTask(call: Call, model: DemoModel): Answer {
  const task = orderMusic(call, model);
  return bringsLyrics(model.id) ? musicAnswer(task.id) : taskAnswer(task, call);
}

export function musicTaskAnswer(task: TaskRecord, call: Call): Answer {
  if (bringsLyrics(task.model)) return musicAnswer(musicRecord(task.id, task, call));
  if (!task.records) return taskAnswer(task, call);
  return musicAnswer(task.records.map((each) => musicRecord(each, task, call)));
}

function orderMusic(call: Call, model: DemoModel): TaskRecord {
  const { prompt = '', title = null, style, tags, ...fields } = fieldsFor(call, musicFields, anyFields);
  // How lyrics are asked for is not shown: by the model, and by what they are about.
  if (bringsLyrics(model.id)) {
    return commitTask(call, 'tasks', { model, wanted: mediaRequest({ prompt, title, outputs: 0 }) });
  }
  const before = fields.task_id === undefined ? null : requireSong(fields.task_id, call);
  for (const field of ['audioUrl', 'sourceAudioUrl'] as const) {
    const url = fields[field];
    const asked = { field, type: 'audio', role: 'reference_audio', roleNamed: false, alias: null } as const;
    if (url !== undefined) requireUsableReferences([{ ...asked, url }], model, call);
  }
  const seconds = before ? (fields.continue_at ?? before.wanted.seconds) + MUSIC_SECONDS : MUSIC_SECONDS;
  if (before && seconds > before.wanted.seconds + MUSIC_SECONDS) {
    throw invalid('invalid_continue_at', `The piece is ${String(before.wanted.seconds)} seconds long.`);
  }
  const wanted = mediaRequest({ prompt, title, style: style ?? tags ?? null, seconds });
  return commitTask(call, 'tasks', { model, wanted });
}

/** The music operation, whose paths the reference does not show: the music task response wraps the same tasks. */
export const musicRoutes: Route[] = [
  post('/v1/music', (call) => {
    const model = requireModel(jsonObject(call).model, 'music');
    if (!bringsLyrics(model.id)) fieldsFor(call, submitFields);
    return musicAnswer(orderMusic(call, model).id);
  }),
  get('/v1/music/:id', (call, id = '') => {
    const task = requireTask(call, id, 'tasks');
    return musicAnswer(musicRecord(task.id, task, call));
  }),
];

function requireSong(id: string, { parts: { tasks } }: Call): TaskRecord {
  const song = tasks.get(id);
  if (song?.kind === 'music' && tasks.statusOf(song) === 'succeeded') return song;
  throw invalid('task_not_found', `task_id: there is no finished music task ${id}.`);
}

/** Fields of music and lyrics records are not shown by the reference; these are names used elsewhere in it. */
function musicRecord(id: string, task: TaskRecord, { parts }: Call): Record<string, unknown> {
  const record = parts.tasks.get(id) ?? task;
  const status = parts.tasks.statusOf(record);
  const isText = bringsLyrics(task.model);
  const result = isText
    ? { title: task.wanted.title ?? 'Untitled', text: toLyrics(task) }
    : { audio_url: resultUrls(record, parts)[0] };
  return {
    ...(!isText && { id: `clip_${id}` }),
    task_id: task.id,
    status,
    ...(status === 'succeeded' && result),
    ...(status === 'failed' && { fail_reason: record.error?.message }),
  };
}

const musicAnswer = (data: unknown): Answer => jsonAnswer({ code: 'success', message: '', data });
