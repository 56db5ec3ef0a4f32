import type { Json } from '../../contract/json.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { extraFieldName } from './extra-fields.ts';

const fields = ['video', 'video_url', 'videos', 'reference_video_url', 'reference_video_urls'];

/**
 * Whether a request has video input, which is billed differently (service reference, "Compatible route fields", rule 4):
 * a source or reference video in any field. Images alone are none.
 */
export function hasVideoInput({
  kind,
  params,
  extra = {},
}: Pick<ShotSpec, 'kind' | 'params'> & Partial<ShotSpec>): boolean {
  if (kind !== 'video') return false;
  if (params.video !== undefined || params.reference_videos !== undefined) return true;
  if (Object.keys(extra).some((name) => fields.includes(extraFieldName(name)))) return true;
  return Array.isArray(params.references) && params.references.some(isVideo);
}

function isVideo(reference: Json): boolean {
  if (typeof reference !== 'object' || reference === null || Array.isArray(reference)) return false;
  return reference.media_type === 'video' || reference.role === 'reference_video';
}
