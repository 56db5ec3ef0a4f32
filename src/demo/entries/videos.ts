import { z } from 'zod';
import { type Answer, invalid } from '../answer.ts';
import { jsonObject, type Call } from '../call.ts';
import type { DemoModel } from '../models.ts';
import type { ServiceParts } from '../service-parts.ts';
import { mediaRequest } from '../task-store.ts';
import { commitTask, requireTask, taskAnswer } from './create-task.ts';
import { parseFields, ratioPixels, requireModel } from './fields.ts';
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
import { get, post, type Route } from './route.ts';

export const videoRoutes: Route[] = [
  post('/v1/videos', (call, parts) => orderVideo(call, parts, readVideo(jsonObject(call), parts))),
  get('/v1/videos/:id', (_call, parts, { id = '' }) => taskAnswer(requireTask(parts, id, ['videos']), parts)),
];

export const durationField = z.union([z.number().int(), z.string()], {
  error: 'it must be an integer number of seconds, as a number or as text',
});

const imageRole = z.enum(IMAGE_ROLES);
const aspectRatio = z.string().regex(/^\d+:\d+$/, 'it must be of the form 16:9');

const imageItem = z.union(
  [mediaUrl, z.strictObject({ url: mediaUrl, role: imageRole.optional(), reference_voice: mediaUrl.optional() })],
  { error: 'it must be an address or an object with url, role and reference_voice' },
);

/** Body of POST /v1/videos (reference: Videos, "Request fields"). */
const videoFields = z.object({
  model: z.string(),
  prompt: z.string().optional(),
  mode: z.string().optional(),
  image: mediaUrl.optional(),
  image_url: mediaUrl.optional(),
  images: z.array(imageItem).optional(),
  input_reference: mediaUrl.optional(),
  input_reference_role: imageRole.optional(),
  first_frame_url: mediaUrl.optional(),
  last_frame_url: mediaUrl.optional(),
  reference_image_url: mediaUrl.optional(),
  reference_image_urls: z.array(mediaUrl).optional(),
  video: mediaUrl.optional(),
  video_url: mediaUrl.optional(),
  videos: z.array(mediaUrl).optional(),
  reference_video_url: mediaUrl.optional(),
  reference_video_urls: z.array(mediaUrl).optional(),
  audio: mediaUrl.optional(),
  audio_url: mediaUrl.optional(),
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
  avatar_asset_id: z.string().min(1).optional(),
  avatar_asset_ids: z.array(z.string().min(1)).min(1).optional(),
  duration: durationField.optional(),
  frames: z.number().int().positive().optional(),
  aspect_ratio: aspectRatio.optional(),
  size: z.string().optional(),
  generate_audio: z.boolean().optional(),
  generateAudio: z.boolean().optional(),
  watermark: z.boolean().optional(),
  callback_url: publicUrl.optional(),
});
type VideoFields = z.infer<typeof videoFields>;

/** The request for a video, in one shape for every entry. */
export interface VideoFacts {
  model: DemoModel;
  references: MediaReference[];
  imageSource?: 'asset' | 'direct_url' | undefined;
  prompt: string;
  seconds: number;
  aspectRatio: string;
  size: string | undefined;
  audio: boolean;
}

function readVideo(body: Record<string, unknown>, parts: ServiceParts): VideoFacts {
  const model = requireModel(body.model, 'video');
  refuseContent(body);
  const fields = parseFields(videoFields, body, parts);
  const references = videoReferences(fields);
  const avatars = [fields.avatar_asset_id ?? [], fields.avatar_asset_ids ?? []].flat();
  requireAvatars(avatars, model, parts.assets);
  return {
    model,
    references,
    imageSource: fields.image_source_mode,
    prompt: fields.prompt ?? '',
    seconds: requireSeconds(fields, model),
    aspectRatio: fields.aspect_ratio ?? '16:9',
    size: fields.size,
    audio: fields.generate_audio ?? fields.generateAudio ?? true,
  };
}

/** Of a small movie, in pixels. */
const LONG_SIDE = 640;

export function orderVideo(call: Call, parts: ServiceParts, facts: VideoFacts): Answer {
  const { model, references, size, prompt, seconds, audio } = facts;
  if (prompt.trim() === '' && references.length === 0) {
    throw invalid('missing_prompt', 'Send a "prompt", or at least one image, video or audio to start from.');
  }
  if (size !== undefined && model.sizes !== undefined && !model.sizes.includes(size)) {
    throw invalid('invalid_size', `${model.id} does not render ${size}. It renders ${model.sizes.join(', ')}.`);
  }
  requireFittingRoles(references);
  requireImageSource(references, { mode: facts.imageSource, model });
  requireUsableReferences(references, model, parts.assets);
  const wanted = mediaRequest({
    prompt,
    seconds,
    audio,
    ...ratioPixels(facts.aspectRatio, { longSide: LONG_SIDE, multiple: 2 }),
  });
  const shown = references.map(({ alias, role, type }) => ({ alias, role, type }));
  return taskAnswer(commitTask(call, parts, 'videos', { model, wanted, references: shown }), parts);
}

function refuseContent(body: Record<string, unknown>): void {
  if (body.content === undefined) return;
  if (body.references !== undefined) {
    throw invalid('references_with_content', '"references" and "content" are not sent in one request.');
  }
  throw invalid('unknown_field', 'The field "content" belongs to POST /api/v3/contents/generations/tasks.');
}

function videoReferences(fields: VideoFields): MediaReference[] {
  const found: MediaReference[] = [];
  const add = (field: string, url: string | undefined, type: ReferenceType, role: string, named = true): void => {
    if (url !== undefined) found.push({ field, url, type, role, roleNamed: named, alias: null });
  };
  add('image', fields.image, 'image', 'first_frame', false);
  add('image_url', fields.image_url, 'image', 'first_frame', false);
  for (const item of fields.images ?? []) {
    const { url, role, reference_voice: voice } = typeof item === 'string' ? { url: item } : item;
    add('images', url, 'image', role ?? 'reference_image', role !== undefined);
    add('images.reference_voice', voice, 'audio', 'reference_audio');
  }
  const inputRole = fields.input_reference_role;
  add('input_reference', fields.input_reference, 'image', inputRole ?? 'reference_image', inputRole !== undefined);
  add('first_frame_url', fields.first_frame_url, 'image', 'first_frame');
  add('last_frame_url', fields.last_frame_url, 'image', 'last_frame');
  add('reference_image_url', fields.reference_image_url, 'image', 'reference_image');
  for (const url of fields.reference_image_urls ?? []) add('reference_image_urls', url, 'image', 'reference_image');
  for (const name of ['video', 'video_url', 'reference_video_url'] as const) {
    add(name, fields[name], 'video', 'reference_video');
  }
  for (const name of ['videos', 'reference_video_urls'] as const) {
    for (const url of fields[name] ?? []) add(name, url, 'video', 'reference_video');
  }
  add('audio', fields.audio, 'audio', 'reference_audio');
  add('audio_url', fields.audio_url, 'audio', 'reference_audio');
  for (const { media_type: type, alias, ...item } of fields.references ?? []) {
    found.push({ ...item, field: 'references', type, roleNamed: true, alias: alias ?? null });
  }
  return found;
}

const AUTOMATIC = -1;
const AUTOMATIC_SECONDS = 5;
const DEFAULT_SECONDS = 5;
const FRAMES_PER_SECOND = 24;

/** Whole seconds of a video within the model's limits (reference: Limits). */
export function requireSeconds(
  fields: { duration?: number | string | undefined; frames?: number | undefined },
  model: DemoModel,
): number {
  if (fields.duration !== undefined && fields.frames !== undefined) {
    throw invalid('duration_with_frames', 'Send "duration" or "frames", not both.');
  }
  const { min, max } = model.seconds ?? { min: 1, max: 60 };
  const wanted = fields.frames === undefined ? DEFAULT_SECONDS : Math.round(fields.frames / FRAMES_PER_SECOND);
  if (fields.duration === undefined) return Math.min(Math.max(wanted, min), max);
  const seconds = wholeSeconds(fields.duration);
  const fixedLength = min === max;
  if (seconds === AUTOMATIC && !fixedLength) return AUTOMATIC_SECONDS;
  if (seconds < min || seconds > max) {
    const range = fixedLength ? `${String(min)} seconds only` : `${String(min)} to ${String(max)} seconds`;
    throw invalid(
      'invalid_duration',
      `The duration ${String(seconds)} is outside the limits of ${model.id}: ${range}.`,
    );
  }
  return seconds;
}

function wholeSeconds(duration: number | string): number {
  if (typeof duration === 'number') return duration;
  if (/^-?\d+$/.test(duration)) return Number(duration);
  throw invalid('invalid_duration', `The duration "${duration}" is not a whole number of seconds.`);
}
