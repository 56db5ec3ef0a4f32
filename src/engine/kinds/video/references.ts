import * as z from 'zod';
import type { Json } from '../../../contract/json.ts';
import type { ShotSpec } from '../../../contract/shot.ts';
import { extraFieldName } from '../extra-fields.ts';

const imageRole = z.enum(['reference_image', 'first_frame', 'last_frame']);
const common = { url: z.string().trim().min(1), alias: z.string().trim().min(1).exactOptional() };

/**
 * One entry of the `references` column (service reference, "Videos", field `references`). `url` may also be a local
 * path. The role must fit the media type.
 */
const VideoReference = z.discriminatedUnion('media_type', [
  z.strictObject({ media_type: z.literal('image'), role: imageRole, ...common }),
  z.strictObject({ media_type: z.literal('video'), role: z.literal('reference_video'), ...common }),
  z.strictObject({ media_type: z.literal('audio'), role: z.literal('reference_audio'), ...common }),
]);
export type VideoReference = z.infer<typeof VideoReference>;

export const VideoReferences = z.array(VideoReference).min(1);

const videoFields = ['video', 'video_url', 'videos', 'reference_video_url', 'reference_video_urls'];

/**
 * Whether a request has video input, which is billed differently (service reference, "Compatible route fields", rule 4):
 * a source or reference video in any field. Images alone are none.
 */
export function hasVideoInput({ params, extra = {} }: Pick<ShotSpec, 'params'> & Partial<ShotSpec>): boolean {
  if (['video', 'videos', 'reference_videos'].some((name) => params[name] !== undefined)) return true;
  if (Object.keys(extra).some((name) => videoFields.includes(extraFieldName(name)))) return true;
  return Array.isArray(params.references) && params.references.some(isVideo);
}

function isVideo(reference: Json): boolean {
  if (typeof reference !== 'object' || reference === null || Array.isArray(reference)) return false;
  return reference.media_type === 'video' || reference.role === 'reference_video';
}
