import * as z from 'zod';
import type { KindSpec } from './kind.ts';

const imageRole = z.enum(['reference_image', 'first_frame', 'last_frame']);
const common = { url: z.string().trim().min(1), alias: z.string().trim().min(1).exactOptional() };

/**
 * One entry of the `references` column (service reference, "Videos", field `references`). `url` may also be a local
 * path. The role must fit the media type.
 */
export const VideoReference = z.discriminatedUnion('media_type', [
  z.strictObject({ media_type: z.literal('image'), role: imageRole, ...common }),
  z.strictObject({ media_type: z.literal('video'), role: z.literal('reference_video'), ...common }),
  z.strictObject({ media_type: z.literal('audio'), role: z.literal('reference_audio'), ...common }),
]);
export type VideoReference = z.infer<typeof VideoReference>;

export const VideoReferences = z.array(VideoReference).min(1);

/** Parameters that a video can be made from without a word. */
const startsFrom = [
  ...['image', 'first_frame', 'last_frame', 'reference_images', 'video', 'reference_videos', 'audio', 'references'],
  'avatar_asset_ids',
];

/** Video generation: service reference, "Videos" and "Limits". */
export const videoSpec: KindSpec = {
  kind: 'video',
  label: 'Video',
  words: ['videos', 'clip', 'film', 'movie'],
  parameters: [
    {
      name: 'duration',
      label: 'Duration',
      help: 'Length in seconds; -1 lets the model choose where it can. Limits depend on the model.',
      aliases: ['seconds', 'length', 'duration_s', 'duration (s)'],
      type: 'number',
      min: 1,
      max: 600,
      unit: 's',
      special: [-1],
      isUsual: true,
    },
    {
      name: 'aspect_ratio',
      label: 'Aspect ratio',
      help: 'Width to height, for example 16:9.',
      aliases: ['ratio', 'aspect'],
      type: 'ratio',
      choices: ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'],
      isUsual: true,
    },
    {
      name: 'size',
      label: 'Size',
      help: 'Resolution, for example 480p, 720p or 1080p. Which ones exist depends on the model.',
      aliases: ['resolution'],
      type: 'choice',
      choices: ['480p', '720p', '1080p'],
      open: true,
      isUsual: true,
    },
    { name: 'mode', label: 'Mode', help: 'Mode of the model, where it has modes.', aliases: [], type: 'text' },
    {
      name: 'generate_audio',
      label: 'Generate audio',
      help: 'FALSE makes a video without an audio track; the service makes one by default.',
      aliases: ['with_audio'],
      type: 'boolean',
      isUsual: true,
    },
    { name: 'watermark', label: 'Watermark', help: 'TRUE asks for a watermark.', aliases: [], type: 'boolean' },
    {
      name: 'image',
      label: 'Source image',
      help: 'Image the video starts from; sent as image (as a first frame on the compatible route).',
      aliases: ['image_url', 'source_image'],
      type: 'media',
      media: 'image',
    },
    {
      name: 'first_frame',
      label: 'First frame',
      help: 'Image of the first frame; not together with reference images.',
      aliases: ['first_frame_url', 'start_frame'],
      type: 'media',
      media: 'image',
    },
    {
      name: 'last_frame',
      label: 'Last frame',
      help: 'Image of the last frame; not together with reference images.',
      aliases: ['last_frame_url', 'end_frame'],
      type: 'media',
      media: 'image',
    },
    {
      name: 'reference_images',
      label: 'Reference images',
      help: 'Images whose subject or style to follow, separated by ; or |.',
      aliases: ['reference_image', 'reference_image_url', 'reference_image_urls'],
      type: 'media_list',
      media: 'image',
    },
    {
      name: 'video',
      label: 'Source video',
      help: 'Source or reference video; sent as video_url. Video input is billed differently.',
      aliases: ['video_url', 'source_video'],
      type: 'media',
      media: 'video',
    },
    {
      name: 'reference_videos',
      label: 'Reference videos',
      help: 'Videos to follow, separated by ; or |. Video input is billed differently.',
      aliases: ['reference_video', 'reference_video_url', 'reference_video_urls'],
      type: 'media_list',
      media: 'video',
    },
    {
      name: 'audio',
      label: 'Reference audio',
      help: 'Audio to follow; sent as audio_url.',
      aliases: ['audio_url', 'reference_audio'],
      type: 'media',
      media: 'audio',
    },
    {
      name: 'references',
      label: 'References',
      help: 'JSON list of {"media_type", "role", "url", "alias"}; preferred when there are several media.',
      aliases: [],
      type: 'json',
      schema: VideoReferences,
    },
    {
      name: 'image_source_mode',
      label: 'Image source mode',
      help: 'asset or direct_url, for all images of the row. Models of the SG line take a plain image URL only when this says so.',
      aliases: [],
      type: 'choice',
      choices: ['asset', 'direct_url'],
      open: false,
    },
    {
      name: 'avatar_asset_ids',
      label: 'Avatar assets',
      help: 'Ids of prepared avatar assets of the account (SG line), separated by ; or |.',
      aliases: ['avatar_asset_id', 'avatars'],
      type: 'text_list',
    },
  ],
  medium: 'moving',
  prompt: (params) => (startsFrom.some((name) => params[name] !== undefined) ? 'optional' : 'usual'),
};
