import { z } from 'zod';
import { jsonAnswer, type Answer, invalid } from '../answer.ts';
import { DEFAULT_GROUP } from '../asset-store.ts';
import { findModel, type DemoModel } from '../models.ts';
import type { Call } from '../call.ts';
import { mediaRequest, type TaskRecord } from '../task-store.ts';
import { resultUrls, STATUS_WORDS } from '../task-view.ts';
import { ASSET_SCHEME, mediaUrl, requireReady } from './references.ts';
import { anyFields, fieldsFor, filledText } from './request.ts';
import { commitTask } from './tasks.ts';

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

export function orderPresenter(call: Call, model: DemoModel): Answer {
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

/** A digital human task as the reference shows it, at this moment. */
export function presenterAnswer(task: TaskRecord, { parts }: Call): Answer {
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
