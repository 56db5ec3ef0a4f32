import type { Json, JsonObject } from '../../../contract/json.ts';
import type { ShotSpec } from '../../../contract/shot.ts';
import { videos } from '../../api/resources/requests.ts';
import { pathIn, type KindDriver, type RequestContext } from '../driver.ts';
import { callbackOf, presentFields, sentText, withExtraFields } from '../extra-fields.ts';
import { bareAssetId, sentAddress } from '../media-reference.ts';
import { VideoReferences, type VideoReference, routeOf, videoRules } from './rules.ts';

/** Service reference, "Videos": both entries and the query. */
export const videoDriver: KindDriver = {
  rules: videoRules,
  toRequest: (shot, context) =>
    routeOf(shot, context.settings) === 'compatible'
      ? videos.createCompatible(withExtraFields(compatibleBody(shot, context), shot))
      : videos.create(withExtraFields(recommendedBody(shot, context), shot)),
  taskPath: (taskId, settings) => videos.path(taskId, pathIn(settings, 'videoTask')),
};

function recommendedBody(shot: ShotSpec, context: RequestContext): JsonObject {
  const { params } = shot;
  return presentFields({
    model: shot.model,
    prompt: sentText(shot.prompt),
    mode: params.mode,
    image: address(params.image, context),
    first_frame_url: address(params.first_frame, context),
    last_frame_url: address(params.last_frame, context),
    ...referenceImages(params, context),
    input_reference: address(params.input_reference, context),
    input_reference_role: params.input_reference_role,
    video_url: address(params.video, context),
    videos: addresses(params.videos, context),
    reference_video_urls: addresses(params.reference_videos, context),
    audio_url: address(params.audio, context),
    references: references(params.references, context),
    image_source_mode: params.image_source_mode,
    avatar_asset_ids: bareAssetIds(params.avatar_asset_ids),
    duration: seconds(params.duration, context.settings),
    frames: params.frames,
    aspect_ratio: params.aspect_ratio,
    size: params.size,
    generate_audio: params.generate_audio,
    watermark: params.watermark,
    callback_url: callbackOf(shot, context.settings),
  });
}

/** Images without voices are a list of addresses; a voice is bound to the image at its place. */
function referenceImages({ reference_images, reference_voices }: ShotSpec['params'], context: RequestContext) {
  const images = addresses(reference_images, context);
  const voices = addresses(reference_voices, context);
  if (!images || !voices) return { reference_image_urls: images };
  return {
    images: images.map((url, at) => presentFields({ url, role: 'reference_image', reference_voice: voices[at] })),
  };
}

/**
 * `mode`, `image_source_mode` and `avatar_asset_ids` are not among the fields shown for this route. They are sent
 * all the same: a refusal costs nothing, a value that silently goes missing costs a take.
 */
function compatibleBody(shot: ShotSpec, context: RequestContext): JsonObject {
  const { params } = shot;
  return presentFields({
    model: shot.model,
    content: presentList(content(shot, context)),
    mode: params.mode,
    image_source_mode: params.image_source_mode,
    avatar_asset_ids: bareAssetIds(params.avatar_asset_ids),
    ratio: params.aspect_ratio,
    resolution: params.size,
    duration: seconds(params.duration, context.settings),
    generate_audio: params.generate_audio,
    watermark: params.watermark,
    callback_url: callbackOf(shot, context.settings),
  });
}

/** The `content[]` of the compatible route. Every medium carries its role: without one it may be refused (rule 2). */
function content(shot: ShotSpec, context: RequestContext): JsonObject[] {
  const { params } = shot;
  const named = (value: Json | undefined, media: VideoReference['media_type'], role: string) =>
    (addresses(value, context) ?? []).map((url) => entry(media, role, url));
  return [
    ...(shot.prompt === '' ? [] : [{ type: 'text', text: shot.prompt }]),
    // A source image has no role of its own there; the video starts from it, which is what a first frame is.
    ...named(params.image, 'image', 'first_frame'),
    ...named(params.first_frame, 'image', 'first_frame'),
    ...named(params.last_frame, 'image', 'last_frame'),
    ...named(params.reference_images, 'image', 'reference_image'),
    ...named(params.video, 'video', 'reference_video'),
    ...named(params.videos, 'video', 'reference_video'),
    ...named(params.reference_videos, 'video', 'reference_video'),
    ...named(params.audio, 'audio', 'reference_audio'),
    ...(references(params.references, context) ?? []).map((reference) =>
      entry(reference.media_type, reference.role, reference.url, reference.alias),
    ),
  ];
}

function entry(media: VideoReference['media_type'], role: string, url: string, alias?: string): JsonObject {
  const type = `${media}_url`;
  return { type, role, [type]: { url }, ...(alias === undefined ? {} : { alias }) };
}

/** Reference, `duration`: an integer or a text. A fraction is sent only as the settings say. */
function seconds(value: Json | undefined, { assumed }: RequestContext['settings']): Json | undefined {
  if (typeof value !== 'number' || Number.isInteger(value)) return value;
  switch (assumed.fractionalSeconds) {
    case 'refused':
      throw new Error(`the duration ${value} is not a whole number of seconds`);
    case 'text':
      return String(value);
    case 'number':
      return value;
  }
}

/** Reference, `avatar_asset_ids`: ids, without the form in which other fields name an asset. */
function bareAssetIds(value: Json | undefined): Json | undefined {
  return Array.isArray(value) ? value.map((id) => (typeof id === 'string' ? bareAssetId(id) : id)) : value;
}

function presentList(list: JsonObject[]): JsonObject[] | undefined {
  return list.length === 0 ? undefined : list;
}

function address(value: Json | undefined, context: RequestContext): string | undefined {
  return addresses(value, context)?.[0];
}

function addresses(value: Json | undefined, context: RequestContext): string[] | undefined {
  const cells = (Array.isArray(value) ? value : [value]).filter((cell) => typeof cell === 'string');
  return cells.length === 0 ? undefined : cells.map((cell) => sentAddress(cell, context.assets));
}

/** Rebuilt field by field, so that the order of keys in the cell does not change the bytes that are sent. */
function references(value: Json | undefined, context: RequestContext) {
  if (value === undefined) return undefined;
  return VideoReferences.parse(value).map(({ media_type, role, url, alias }) => ({
    media_type,
    role,
    url: sentAddress(url, context.assets),
    ...(alias === undefined ? {} : { alias }),
  }));
}
