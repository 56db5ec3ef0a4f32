import { z } from 'zod';
import { type Answer, invalid, jsonObject, type Call } from '../call.ts';
import type { DemoModel } from '../models.ts';
import { mediaRequest } from '../task-store.ts';
import {
  IMAGE_ROLES,
  mediaUrl,
  publicUrl,
  requireAvatars,
  requireFittingRoles,
  requireImageSource,
  requireUsableReferences,
  ROLES,
  type MediaReference,
  type ReferenceType,
} from './references.ts';
import { filledText, fieldsFor, get, post, ratioPixels, ratioText, requireModel, type Route } from './request.ts';
import { commitTask, requireTask, taskAnswer } from './tasks.ts';

export const videoRoutes: Route[] = [
  post('/v1/videos', (call) => orderVideo(call, readVideo(call))),
  post('/api/v3/contents/generations/tasks', (call) => orderVideo(call, readContent(call))),
  get('/v1/videos/:id', (call, id = '') => taskAnswer(requireTask(call, id, 'videos'), call)),
];

const imageRole = z.enum(IMAGE_ROLES);
const imageItem = z.union(
  [mediaUrl, z.strictObject({ url: mediaUrl, role: imageRole.optional(), reference_voice: mediaUrl.optional() })],
  { error: 'it must be an address or an object with url, role and reference_voice' },
);

const sharedFields = {
  model: z.string(),
  duration: z
    .union([z.number().int(), z.string()], { error: 'it must be an integer number of seconds, as a number or as text' })
    .optional(),
  frames: z.number().int().positive().optional(),
  generate_audio: z.boolean().optional(),
  watermark: z.boolean().optional(),
  callback_url: publicUrl.optional(),
};

type ReferenceFacts = readonly [type: ReferenceType, role: string | null];

/** Fields of POST /v1/videos with one address each: what it is, and its role where the field names one. */
const addressFields = {
  image: ['image', null],
  image_url: ['image', null],
  first_frame_url: ['image', 'first_frame'],
  last_frame_url: ['image', 'last_frame'],
  reference_image_url: ['image', 'reference_image'],
  video: ['video', 'reference_video'],
  video_url: ['video', 'reference_video'],
  reference_video_url: ['video', 'reference_video'],
  audio: ['audio', 'reference_audio'],
  audio_url: ['audio', 'reference_audio'],
} as const satisfies Record<string, ReferenceFacts>;

const listFields = {
  reference_image_urls: ['image', 'reference_image'],
  videos: ['video', 'reference_video'],
  reference_video_urls: ['video', 'reference_video'],
} as const satisfies Record<string, ReferenceFacts>;

const each = <Name extends string, Field>(fields: Record<Name, unknown>, field: Field) =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, field])) as Record<Name, Field>;

/** Body of POST /v1/videos (reference: Videos, "Request fields"). */
const videoFields = z.object({
  ...sharedFields,
  ...each(addressFields, mediaUrl.optional()),
  ...each(listFields, z.array(mediaUrl).optional()),
  prompt: z.string().optional(),
  mode: z.string().optional(),
  images: z.array(imageItem).optional(),
  input_reference: mediaUrl.optional(),
  input_reference_role: imageRole.optional(),
  references: z
    .array(
      z.strictObject({
        media_type: z.enum(['image', 'video', 'audio']),
        role: z.enum(ROLES),
        url: mediaUrl,
        alias: z.string().optional(),
      }),
    )
    .optional(),
  image_source_mode: z.enum(['asset', 'direct_url']).optional(),
  avatar_asset_id: filledText.optional(),
  avatar_asset_ids: z.array(filledText).min(1).optional(),
  aspect_ratio: ratioText.optional(),
  size: z.string().optional(),
  generateAudio: z.boolean().optional(),
});

interface VideoFacts {
  model: DemoModel;
  references: MediaReference[];
  imageSource?: 'asset' | 'direct_url' | undefined;
  prompt?: string | undefined;
  seconds: number;
  aspectRatio: string | undefined;
  size: string | undefined;
}

function readVideo(call: Call): VideoFacts {
  const body = jsonObject(call);
  const model = requireModel(body.model, 'video');
  refuseBoth(body);
  if (body.content !== undefined) {
    throw invalid('unknown_field', 'The field "content" belongs to POST /api/v3/contents/generations/tasks.');
  }
  const fields = fieldsFor(call, videoFields);
  requireAvatars([fields.avatar_asset_id ?? [], fields.avatar_asset_ids ?? []].flat(), model, call);
  return {
    model,
    references: videoReferences(fields),
    imageSource: fields.image_source_mode,
    prompt: fields.prompt,
    seconds: requireSeconds(fields, model),
    aspectRatio: fields.aspect_ratio,
    size: fields.size,
  };
}

function refuseBoth(body: Record<string, unknown>): void {
  if (body.references === undefined || body.content === undefined) return;
  throw invalid('references_with_content', '"references" and "content" are not sent in one request.');
}

function videoReferences(fields: z.infer<typeof videoFields>): MediaReference[] {
  const found: MediaReference[] = [];
  const add = (field: string, url: string | undefined, type: ReferenceType, role: string, roleNamed = true): void => {
    if (url !== undefined) found.push({ field, url, type, role, roleNamed, alias: null });
  };
  for (const [name, [type, role]] of Object.entries(addressFields)) {
    add(name, fields[name as keyof typeof addressFields], type, role ?? 'first_frame', role !== null);
  }
  for (const [name, [type, role]] of Object.entries(listFields)) {
    for (const url of fields[name as keyof typeof listFields] ?? []) add(name, url, type, role);
  }
  for (const item of fields.images ?? []) {
    const { url, role, reference_voice: voice } = typeof item === 'string' ? { url: item } : item;
    add('images', url, 'image', role ?? 'reference_image', role !== undefined);
    add('images.reference_voice', voice, 'audio', 'reference_audio');
  }
  const inputRole = fields.input_reference_role;
  add('input_reference', fields.input_reference, 'image', inputRole ?? 'reference_image', inputRole !== undefined);
  for (const { media_type: type, alias = null, ...item } of fields.references ?? []) {
    found.push({ ...item, field: 'references', type, roleNamed: true, alias });
  }
  return found;
}

const address = z.strictObject({ url: mediaUrl });
const medium = { role: z.enum(ROLES), alias: z.string().optional() };

const contentEntry = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('image_url'), image_url: address, ...medium }),
  z.strictObject({ type: z.literal('video_url'), video_url: address, ...medium }),
  z.strictObject({ type: z.literal('audio_url'), audio_url: address, ...medium }),
]);

/** Body of the compatible route (reference: Videos, "Compatible route fields"). */
const compatibleFields = z.object({
  ...sharedFields,
  content: z.array(contentEntry).min(1, 'it must hold at least one entry'),
  ratio: ratioText.optional(),
  resolution: z.string().optional(),
});

function readContent(call: Call): VideoFacts {
  const body = jsonObject(call);
  const model = requireModel(body.model, 'video');
  refuseBoth(body);
  requireRoles(body.content);
  const fields = fieldsFor(call, compatibleFields);
  return {
    model,
    references: contentReferences(fields.content),
    prompt: fields.content.flatMap((entry) => (entry.type === 'text' ? [entry.text] : [])).join('\n'),
    seconds: requireSeconds(fields, model),
    aspectRatio: fields.ratio,
    size: fields.resolution,
  };
}

/** Said apart from the schema, because the reference names this mistake (compatible route, rule 2). */
function requireRoles(content: unknown): void {
  if (!Array.isArray(content)) return;
  const bare = content.findIndex(
    (entry: { type?: unknown; role?: unknown } | null) => entry?.type !== 'text' && entry?.role === undefined,
  );
  if (bare >= 0) throw invalid('missing_role', `content[${String(bare)}] is media and needs a "role".`);
}

function contentReferences(content: z.infer<typeof contentEntry>[]): MediaReference[] {
  return content.flatMap((entry, place): MediaReference[] => {
    if (entry.type === 'text') return [];
    const { role, alias = null } = entry;
    const rest = { field: `content[${String(place)}]`, role, roleNamed: true, alias };
    if (entry.type === 'image_url') return [{ ...rest, url: entry.image_url.url, type: 'image' }];
    if (entry.type === 'video_url') return [{ ...rest, url: entry.video_url.url, type: 'video' }];
    return [{ ...rest, url: entry.audio_url.url, type: 'audio' }];
  });
}

const LONG_SIDE = 640;

function orderVideo(call: Call, facts: VideoFacts): Answer {
  const { model, references, size, prompt = '', seconds, aspectRatio = '16:9' } = facts;
  if (prompt.trim() === '' && references.length === 0) {
    throw invalid('missing_prompt', 'Send a "prompt", or at least one image, video or audio to start from.');
  }
  if (size !== undefined && model.sizes !== undefined && !model.sizes.includes(size)) {
    throw invalid('invalid_size', `${model.id} does not render ${size}. It renders ${model.sizes.join(', ')}.`);
  }
  requireFittingRoles(references);
  requireImageSource(references, model, facts.imageSource);
  requireUsableReferences(references, model, call);
  const wanted = mediaRequest({ prompt, seconds, ...ratioPixels(aspectRatio, LONG_SIDE, 2) });
  const shown = references.map(({ alias, role, type }) => ({ alias, role, type }));
  return taskAnswer(commitTask(call, 'videos', { model, wanted, references: shown }), call);
}

const AUTOMATIC = -1;
const AUTOMATIC_SECONDS = 5;
const DEFAULT_SECONDS = 5;
const FRAMES_PER_SECOND = 24;

function requireSeconds(
  { duration, frames }: { duration?: number | string | undefined; frames?: number | undefined },
  model: DemoModel,
): number {
  if (duration !== undefined && frames !== undefined) {
    throw invalid('duration_with_frames', 'Send "duration" or "frames", not both.');
  }
  const { min, max } = model.seconds ?? { min: 1, max: 60 };
  const wanted = frames === undefined ? DEFAULT_SECONDS : Math.round(frames / FRAMES_PER_SECOND);
  if (duration === undefined) return Math.min(Math.max(wanted, min), max);
  if (!/^-?\d+$/.test(String(duration))) {
    throw invalid('invalid_duration', `The duration "${String(duration)}" is not a whole number of seconds.`);
  }
  const seconds = Number(duration);
  const fixedLength = min === max;
  if (seconds === AUTOMATIC && !fixedLength) return AUTOMATIC_SECONDS;
  if (seconds < min || seconds > max) {
    const range = fixedLength ? `${String(min)} seconds only` : `${String(min)} to ${String(max)} seconds`;
    const message = `The duration ${String(seconds)} is outside the limits of ${model.id}: ${range}.`;
    throw invalid('invalid_duration', message);
  }
  return seconds;
}
