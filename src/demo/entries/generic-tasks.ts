import { z } from 'zod';
import { jsonAnswer, type Answer, invalid, type Call, jsonObject } from '../call.ts';
import { DEFAULT_GROUP } from '../asset-store.ts';
import { findModel, type DemoModel } from '../models.ts';
import { mediaRequest, type TaskRecord } from '../task-store.ts';
import { resultUrls, STATUS_WORDS, commitTask, requireTask, taskAnswer } from './tasks.ts';
import { ASSET_SCHEME, mediaUrl, requireReady, publicUrl, requireUsableReferences } from './references.ts';
import { anyFields, fieldsFor, filledText, get, post, requireModel, type Route } from './request.ts';
import { toLyrics } from '../media/words.ts';

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

const submitFields = musicFields.omit({ style: true, lyrics: true, customMode: true });

const MUSIC_SECONDS = 8;

const bringsLyrics = (model: string): boolean => findModel(model)?.brings === 'lyrics';

/**
 * Generic tasks, by the medium of their model; videos can be asked for here too. And the music operation, whose paths the
 * reference does not show: the music task response wraps the same tasks.
 */
export const genericRoutes: Route[] = [
  post('/v1/tasks', (call) => {
    const model = requireModel(jsonObject(call).model, 'music', 'presenter');
    if (model.kind === 'presenter') return orderPresenter(call, model);
    const task = orderMusic(call, model);
    return bringsLyrics(model.id) ? musicAnswer(task.id) : taskAnswer(task, call);
  }),
  get('/v1/tasks/:id', (call, id = '') => {
    const task = requireTask(call, id, 'tasks', 'videos');
    if (task.kind === 'presenter') return presenterAnswer(task, call);
    if (bringsLyrics(task.model)) return musicAnswer(musicRecord(task.id, task, call));
    if (!task.records) return taskAnswer(task, call);
    return musicAnswer(task.records.map((each) => musicRecord(each, task, call)));
  }),
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

/**
 * Fields of digital human tasks at POST /v1/tasks (reference: Generic tasks). Those of a video are shown. The fields of the
 * other tasks, and those that name a voice and an authorization, are guesses.
 */
const presenterFields = z.object({
  model: z.string(),
  avatar_asset_id: filledText.optional(),
  voice_asset_id: filledText.optional(),
  authorization_asset_id: filledText.optional(),
  audio_url: mediaUrl.optional(),
  name: z.string().default('Presenter'),
});
const videoFields = presenterFields.required({ avatar_asset_id: true, audio_url: true });

/** Length and side of the card; the length of its audio does not matter. */
const [SECONDS, SIDE] = [6, 480];

function orderPresenter(call: Call, model: DemoModel): Answer {
  const schema = model.brings === undefined ? videoFields : presenterFields;
  const { audio_url: audio, name: prompt, ...fields } = fieldsFor(call, schema, anyFields);
  for (const role of ['avatar', 'voice', 'authorization'] as const) {
    const id = fields[`${role}_asset_id`];
    if (id !== undefined) requirePrepared(call, `${role}_asset_id`, id, `digital_human_${role}`);
  }
  if (audio?.startsWith(ASSET_SCHEME)) requireReady(call, 'audio_url', audio, 'audio');
  const isFilm = model.brings === undefined;
  const outputs = isFilm || model.brings === 'audio' ? 1 : 0;
  const film = isFilm ? { seconds: SECONDS, width: SIDE, height: SIDE } : {};
  const task = commitTask(call, 'tasks', { model, wanted: mediaRequest({ prompt, outputs, ...film }) });
  const asset = madeAsset(task);
  if (asset && task.end === 'succeeded') call.parts.assets.createAsset({ groupId: DEFAULT_GROUP, ...asset });
  return presenterAnswer(task, call);
}

/** The asset of a voice or an avatar, usable once its task is done; null for other tasks. */
function madeAsset({ id, model, takesMs, wanted }: TaskRecord) {
  const brings = findModel(model)?.brings;
  if (brings !== 'voice' && brings !== 'avatar') return null;
  const type = brings === 'voice' ? 'audio' : 'image';
  const purpose = `digital_human_${brings}`;
  return { id: id.replace('task', 'asset'), type, purpose, name: wanted.prompt, syncMs: takesMs } as const;
}

function requirePrepared(call: Call, field: string, named: string, purpose: string): void {
  const asset = requireReady(call, field, named);
  if (asset.purpose === purpose) return;
  throw invalid('asset_not_prepared', `${field}: upload ${asset.id} with purpose ${purpose} first.`);
}

/** The words of digital human tasks (reference: States and transitions). */
const words: Record<string, string> = { ...STATUS_WORDS, submitted: 'QUEUED' };

function recordIn(task: TaskRecord): Record<string, unknown> {
  const asset = madeAsset(task);
  if (!asset) return {};
  const made =
    asset.type === 'audio'
      ? { voice_asset_id: asset.id, voice_id: 1042, language: 'en' }
      : { avatar_asset_id: asset.id, created_at: Math.floor(task.createdAt / 1000) };
  return { id: task.id.replace('task', 'record'), name: task.wanted.prompt, status: 'ready', ...made };
}

function presenterAnswer(task: TaskRecord, { parts }: Call): Answer {
  const status = parts.tasks.statusOf(task);
  const isOver = status === task.end;
  const share = isOver ? 1 : Math.min((parts.clock.now() - task.createdAt) / Math.max(task.takesMs, 1), 0.99);
  return jsonAnswer({
    task_id: task.id,
    action: `digital_human_${findModel(task.model)?.brings ?? 'video'}`,
    model: task.model,
    status: words[status] ?? status,
    ...(status === 'failed' && { fail_reason: task.error?.message }),
    progress: `${String(Math.floor(share * 100))}%`,
    ...(status === 'succeeded' && task.wanted.outputs > 0 && { result_url: resultUrls(task, parts)[0] }),
    data: status === 'succeeded' ? recordIn(task) : {},
  });
}
