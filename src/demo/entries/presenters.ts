import { z } from 'zod';
import { jsonAnswer, type Answer, invalid } from '../answer.ts';
import type { AssetStore, NewAsset } from '../asset-store.ts';
import { STATUS_WORDS } from '../job-view.ts';
import { findModel, type DemoModel } from '../models.ts';
import type { ServiceParts } from '../service-parts.ts';
import { mediaRequest, type TaskRecord } from '../task-store.ts';
import { resultUrls } from '../task-view.ts';
import { commitTask, type GenericTask, type TaskOrder } from './create-task.ts';
import { parseFields } from './fields.ts';
import { mediaUrl, requireReady } from './references.ts';

/**
 * Fields of digital human tasks at POST /v1/tasks (reference: Generic tasks). Those of a video are shown. The fields of the
 * other tasks, and those that name a voice and an authorization, are guesses.
 */
const presenterFields = z.object({
  model: z.string(),
  avatar_asset_id: z.string().min(1, 'it must not be empty').optional(),
  voice_asset_id: z.string().min(1, 'it must not be empty').optional(),
  audio_url: mediaUrl.optional(),
  name: z.string().optional(),
  authorization_asset_id: z.string().min(1).optional(),
});
const videoFields = presenterFields.required({ avatar_asset_id: true, audio_url: true });

/** What each field names, and the purpose it was uploaded for. */
const purposes = {
  avatar_asset_id: 'digital_human_avatar',
  voice_asset_id: 'digital_human_voice',
  authorization_asset_id: 'digital_human_authorization',
} as const;

/** Length and side of the card; the length of its audio does not matter. */
const [SECONDS, SIDE] = [6, 480];

export const presenter: GenericTask = {
  order: (call, parts, { body, model }) => {
    const schema = model.brings === undefined ? videoFields : presenterFields;
    const { audio_url: audio, name, ...ids } = parseFields(schema, body, { rejectUnknownFields: false });
    for (const field of ['avatar_asset_id', 'voice_asset_id', 'authorization_asset_id'] as const) {
      const id = ids[field];
      if (id !== undefined) requirePrepared(field, id, purposes[field], parts.assets);
    }
    if (audio !== undefined && isAsset(audio))
      requireReady({ field: 'audio_url', id: bareId(audio), type: 'audio' }, parts.assets);
    const task = commitTask(call, parts, 'tasks', orderFor(model, name));
    const asset = madeAsset(task);
    if (asset && task.end === 'succeeded') parts.assets.createAsset({ groupId: parts.assets.defaultGroupId, ...asset });
    return digitalHumanAnswer(task, parts);
  },
  view: digitalHumanAnswer,
};

function orderFor(model: DemoModel, name: string | undefined): TaskOrder {
  const prompt = name ?? 'Presenter';
  switch (model.brings) {
    case undefined:
      return { model, wanted: mediaRequest({ prompt, seconds: SECONDS, width: SIDE, height: SIDE, audio: true }) };
    case 'audio':
      return { model, wanted: mediaRequest({ prompt, audio: true }) };
    default:
      return { model, wanted: mediaRequest({ prompt, outputs: 0 }) };
  }
}

/** The asset of a voice or an avatar, usable once its task is done; null for other tasks. */
function madeAsset({ id, model, takesMs, wanted }: TaskRecord): Omit<NewAsset, 'groupId'> | null {
  const brings = findModel(model)?.brings;
  if (brings !== 'voice' && brings !== 'avatar') return null;
  return {
    id: id.replace('task', 'asset'),
    ...{ type: brings === 'voice' ? 'audio' : 'image', upload: 'file', model: null, mode: 'asset' },
    ...{ purpose: `digital_human_${brings}`, role: null, name: wanted.prompt, description: '', sourceUrl: null },
    ...{ contentType: null, bytes: null, syncMs: takesMs, end: 'ready', syncError: null },
  };
}

const isAsset = (text: string): boolean => text.startsWith('Asset://');
const bareId = (text: string): string => text.replace('Asset://', '');

function requirePrepared(field: string, named: string, purpose: string, assets: AssetStore): void {
  const id = bareId(named);
  if (requireReady({ field, id }, assets).purpose === purpose) return;
  throw invalid('asset_not_prepared', `${field}: upload ${id} with purpose ${purpose} first.`);
}

/** The words of digital human tasks (reference: States and transitions). */
const words: Record<string, string> = { ...STATUS_WORDS, submitted: 'QUEUED' };

function recordIn(task: TaskRecord): Record<string, unknown> {
  const asset = madeAsset(task);
  const shared = { id: task.id.replace('task', 'record'), name: task.wanted.prompt, status: 'ready' };
  switch (asset?.purpose) {
    case 'digital_human_voice':
      return { ...shared, voice_asset_id: asset.id, voice_id: 1042, language: 'en' };
    case 'digital_human_avatar':
      return { ...shared, avatar_asset_id: asset.id, created_at: Math.floor(task.createdAt / 1000) };
    default:
      return {};
  }
}

/** A digital human task as the reference shows it, at this moment. */
function digitalHumanAnswer(task: TaskRecord, { tasks, addresses, clock }: ServiceParts): Answer {
  const status = tasks.statusOf(task);
  const isOver = status === task.end;
  const share = isOver ? 1 : Math.min((clock.now() - task.createdAt) / Math.max(task.takesMs, 1), 0.99);
  return jsonAnswer({
    task_id: task.id,
    action: `digital_human_${findModel(task.model)?.brings ?? 'video'}`,
    model: task.model,
    status: words[status] ?? status,
    ...(status === 'failed' && { fail_reason: task.error?.message }),
    progress: `${String(Math.floor(share * 100))}%`,
    ...(status === 'succeeded' && task.wanted.outputs > 0 && { result_url: resultUrls(task, addresses)[0] }),
    data: status === 'succeeded' ? recordIn(task) : {},
  });
}
