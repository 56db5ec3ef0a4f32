import { z } from 'zod';
import { jsonAnswer, type Answer } from '../answer.ts';
import type { AssetStore } from '../asset-store.ts';
import type { ServiceParts } from '../service-parts.ts';
import { mediaRequest, type TaskRecord } from '../task-store.ts';
import { resultUrls } from '../task-view.ts';
import { commitTask, type GenericTask } from './create-task.ts';
import { invalid, parseFields } from './fields.ts';
import { mediaUrl, requireReady } from './references.ts';

/**
 * Fields of digital human video at POST /v1/tasks (reference: Generic tasks). The field of the authorization is a guess:
 * the reference shows only the purpose of its upload.
 */
const presenterFields = z.object({
  model: z.string(),
  avatar_asset_id: z.string().min(1, 'it must not be empty'),
  audio_url: mediaUrl,
  name: z.string().optional(),
  authorization_asset_id: z.string().min(1).optional(),
});

/** Length and side of the card; the length of its audio does not matter. */
const [SECONDS, SIDE] = [6, 480];

export const presenter: GenericTask = {
  order: (call, parts, { body, model }) => {
    const fields = parseFields(presenterFields, body, { rejectUnknownFields: false });
    const { avatar_asset_id: avatar, audio_url: audio, authorization_asset_id: authorization, name } = fields;
    requirePrepared('avatar_asset_id', avatar, 'digital_human_avatar', parts.assets);
    if (authorization !== undefined) {
      requirePrepared('authorization_asset_id', authorization, 'digital_human_authorization', parts.assets);
    }
    if (isAsset(audio)) requireReady({ field: 'audio_url', id: bareId(audio), type: 'audio' }, parts.assets);
    const prompt = name ?? 'Presenter';
    const wanted = mediaRequest({ prompt, seconds: SECONDS, width: SIDE, height: SIDE, audio: true });
    return digitalHumanAnswer(commitTask(call, parts, 'tasks', { model, wanted }), parts);
  },
  view: digitalHumanAnswer,
};

const isAsset = (text: string): boolean => text.startsWith('Asset://');
const bareId = (text: string): string => text.replace('Asset://', '');

function requirePrepared(field: string, named: string, purpose: string, assets: AssetStore): void {
  const id = bareId(named);
  if (requireReady({ field, id }, assets).purpose === purpose) return;
  throw invalid('asset_not_prepared', `${field}: upload ${id} with purpose ${purpose} first.`);
}

/** The words of digital human tasks (reference: States and transitions). */
const words: Record<string, string> = {
  pending: 'SUBMITTED',
  submitted: 'QUEUED',
  running: 'IN_PROGRESS',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
  cancelled: 'CANCELED',
  canceled: 'CANCELED',
};

/** A digital human task as the reference shows it, at this moment. */
function digitalHumanAnswer(task: TaskRecord, { tasks, addresses, clock }: ServiceParts): Answer {
  const status = tasks.statusOf(task);
  const isOver = status === task.end;
  const share = isOver ? 1 : Math.min((clock.now() - task.createdAt) / Math.max(task.takesMs, 1), 0.99);
  return jsonAnswer({
    task_id: task.id,
    action: 'digital_human_video',
    model: task.model,
    status: words[status] ?? status,
    ...(status === 'failed' && { fail_reason: task.error?.message }),
    progress: `${String(Math.floor(share * 100))}%`,
    ...(status === 'succeeded' && { result_url: resultUrls(task, addresses)[0] }),
    data: {},
  });
}
