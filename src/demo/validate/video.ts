import { z } from 'zod';
import type { AssetStore } from '../asset-store.ts';
import type { DemoModel } from '../models.ts';
import type { MediaRequest } from '../task-store.ts';
import { mediaUrl, publicUrl, requireAvatars, requireImageSource, requireUsableReferences } from './addresses.ts';
import type { MediaReference, ReferenceType } from './addresses.ts';
import { durationField, requireSeconds } from './duration.ts';
import { requireModel } from './model.ts';
import { invalid, parseFields } from './parse-fields.ts';
import type { ParseOptions } from './parse-fields.ts';
import { IMAGE_ROLES, requireFittingRoles, ROLES } from './roles.ts';

const imageRole = z.enum(IMAGE_ROLES);
const aspectRatio = z.string().regex(/^\d+:\d+$/, 'it must be of the form 16:9');

const imageItem = z.union(
  [mediaUrl, z.strictObject({ url: mediaUrl, role: imageRole.optional(), reference_voice: mediaUrl.optional() })],
  { error: 'it must be an address or an object with url, role and reference_voice' },
);

/** Body of POST /v1/videos (reference: Videos, "Request fields"). */
export const videoFields = z.object({
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

export interface VideoOrder {
  model: DemoModel;
  wanted: MediaRequest;
  references: MediaReference[];
}

/** Reads and judges the body of POST /v1/videos. Throws a Refusal for what the reference forbids. */
export function readVideoOrder(body: Record<string, unknown>, assets: AssetStore, options: ParseOptions): VideoOrder {
  const model = requireModel(body.model, 'video');
  refuseContent(body);
  const fields = parseFields(videoFields, body, options);
  const references = videoReferences(fields);
  const avatars = [fields.avatar_asset_id ?? [], fields.avatar_asset_ids ?? []].flat();
  requireAvatars(avatars, model, assets);
  return judgeVideo(
    {
      model,
      references,
      imageSource: fields.image_source_mode,
      prompt: fields.prompt ?? '',
      seconds: requireSeconds(fields, model),
      aspectRatio: fields.aspect_ratio ?? '16:9',
      size: fields.size,
      audio: fields.generate_audio ?? fields.generateAudio ?? true,
    },
    assets,
  );
}

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

/** The rules both video routes share. */
export function judgeVideo(facts: VideoFacts, assets: AssetStore): VideoOrder {
  const { model, references, size } = facts;
  if (facts.prompt.trim() === '' && references.length === 0) {
    throw invalid('missing_prompt', 'Send a "prompt", or at least one image, video or audio to start from.');
  }
  if (size !== undefined && model.sizes !== undefined && !model.sizes.includes(size)) {
    throw invalid('invalid_size', `${model.id} does not render ${size}. It renders ${model.sizes.join(', ')}.`);
  }
  requireFittingRoles(references);
  requireImageSource(references, { mode: facts.imageSource, model });
  requireUsableReferences(references, model, assets);
  const { width, height } = framePixels(facts.aspectRatio);
  const { prompt, seconds, audio } = facts;
  return { model, references, wanted: { prompt, title: null, style: null, seconds, width, height, outputs: 1, audio } };
}

function refuseContent(body: Record<string, unknown>): void {
  if (body.content === undefined) return;
  if (body.references !== undefined) {
    throw invalid('references_with_content', '"references" and "content" are not sent in one request.');
  }
  throw invalid('unknown_field', 'The field "content" belongs to POST /api/v3/contents/generations/tasks.');
}

/** Every field that brings a medium, in the order of the reference. */
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

const LONG_SIDE = 640;

/** Even pixels of a small movie in the ratio that was asked for. */
function framePixels(ratio: string): { width: number; height: number } {
  const [across = 16, down = 9] = ratio.split(':').map(Number);
  if (across === 0 || down === 0) throw invalid('invalid_field', `The aspect ratio ${ratio} has no area.`);
  const share = Math.min(Math.max(across / down, 0.25), 4);
  const even = (pixels: number): number => Math.round(pixels / 2) * 2;
  return share >= 1
    ? { width: LONG_SIDE, height: even(LONG_SIDE / share) }
    : { width: even(LONG_SIDE * share), height: LONG_SIDE };
}
