import { messageFor } from '../messages/message-for.ts';
import { column, type KindSpec } from './spec.ts';

/** Parameters that a video can be made from without a prompt. */
const startsFrom = [
  ...['image', 'first_frame', 'last_frame', 'input_reference', 'reference_images', 'video', 'videos'],
  ...['reference_videos', 'audio', 'references', 'avatar_asset_ids'],
];

/** Video generation: service reference, "Videos" and "Limits". */
/** The entry for films that is recommended. */
export const VIDEO_ENTRY = '/v1/videos';

export const videoSpec: KindSpec<'video'> = {
  kind: 'video',
  label: messageFor('common.video'),
  icon: [
    ['rect', { width: '18', height: '18', x: '3', y: '3', rx: '2' }],
    ['path', { d: 'M7 3v18M3 7.5h4M3 12h18M3 16.5h4M17 3v18M17 7.5h4M17 16.5h4' }],
  ],
  words: ['videos', 'clip', 'film', 'movie', '视频', '影片'],
  // The reference's word for its video models.
  modelPrefix: 'vgen-',
  modelWords: ['video'],
  fromMedia: {
    image: { column: 'first_frame', last: 'last_frame', isUsual: true },
    video: { column: 'video', isUsual: true },
    audio: { column: 'audio' },
  },
  parameters: [
    column('duration', 'column.duration', 'columnHelp.duration', {
      aliases: ['seconds', 'length', 'duration_s', 'duration (s)', '时长'],
      type: 'number',
      min: 1,
      max: 600,
      unit: 's',
      special: [-1],
      isUsual: true,
    }),
    column('frames', 'column.frames', 'columnHelp.frames', {
      aliases: ['帧数'],
      type: 'integer',
      min: 1,
      max: 100_000,
    }),
    column('aspect_ratio', 'column.aspectRatio', 'columnHelp.videoAspectRatio', {
      aliases: ['ratio', 'aspect', '画幅', '宽高比'],
      type: 'ratio',
      choices: ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'],
      isUsual: true,
    }),
    column('size', 'column.size', 'columnHelp.videoSize', {
      aliases: ['resolution', '尺寸', '分辨率'],
      type: 'choice',
      choices: ['480p', '720p', '1080p'],
      open: true,
      isUsual: true,
    }),
    column('mode', 'column.mode', 'columnHelp.mode', { aliases: ['模式'], type: 'text' }),
    column('generate_audio', 'column.generateAudio', 'columnHelp.generateAudio', {
      aliases: ['with_audio', '生成音频'],
      type: 'boolean',
      isUsual: true,
    }),
    column('watermark', 'column.watermark', 'columnHelp.watermark', { aliases: ['水印'], type: 'boolean' }),
    column('image', 'column.sourceImage', 'columnHelp.videoImage', {
      aliases: ['image_url', 'source_image', '源图'],
      type: 'media',
      media: 'image',
    }),
    column('first_frame', 'column.firstFrame', 'columnHelp.firstFrame', {
      aliases: ['first_frame_url', 'start_frame', '首帧'],
      type: 'media',
      media: 'image',
    }),
    column('last_frame', 'column.lastFrame', 'columnHelp.lastFrame', {
      aliases: ['last_frame_url', 'end_frame', '尾帧'],
      type: 'media',
      media: 'image',
    }),
    column('reference_images', 'column.referenceImages', 'columnHelp.referenceImages', {
      aliases: ['reference_image', 'reference_image_url', 'reference_image_urls', '参考图', '参考图片'],
      type: 'media_list',
      media: 'image',
    }),
    column('reference_voices', 'column.referenceVoices', 'columnHelp.referenceVoices', {
      aliases: ['reference_voice', '参考人声'],
      type: 'media_list',
      media: 'audio',
    }),
    column('input_reference', 'column.inputReference', 'columnHelp.inputReference', {
      aliases: ['输入参考图'],
      type: 'media',
      media: 'image',
    }),
    column('input_reference_role', 'column.inputReferenceRole', 'columnHelp.inputReferenceRole', {
      aliases: ['输入参考图的用途', '输入参考图的角色'],
      type: 'choice',
      choices: ['reference_image', 'first_frame', 'last_frame'],
      open: false,
    }),
    column('video', 'column.sourceVideo', 'columnHelp.video', {
      aliases: ['video_url', 'source_video', '源视频'],
      type: 'media',
      media: 'video',
    }),
    column('reference_videos', 'column.referenceVideos', 'columnHelp.referenceVideos', {
      aliases: ['reference_video', 'reference_video_url', 'reference_video_urls', '参考视频'],
      type: 'media_list',
      media: 'video',
    }),
    column('videos', 'column.videos', 'columnHelp.videos', {
      aliases: ['多个视频'],
      type: 'media_list',
      media: 'video',
    }),
    column('audio', 'column.referenceAudio', 'columnHelp.videoAudio', {
      aliases: ['audio_url', 'reference_audio', '音频', '参考音频'],
      type: 'media',
      media: 'audio',
    }),
    column('references', 'column.references', 'columnHelp.references', {
      aliases: ['参考素材'],
      type: 'json',
      example: '[{"media_type": "image", "role": "reference_image", "url": "…", "alias": "hero"}]',
    }),
    column('image_source_mode', 'column.imageSourceMode', 'columnHelp.imageSourceMode', {
      aliases: ['图片来源方式'],
      type: 'choice',
      choices: ['asset', 'direct_url'],
      open: false,
    }),
    column('avatar_asset_ids', 'column.avatarAssets', 'columnHelp.avatarAssetIds', {
      aliases: ['avatar_asset_id', 'avatars', '形象素材'],
      type: 'text_list',
    }),
    column('route', 'column.route', 'columnHelp.videoRoute', {
      aliases: ['video_route', '接口'],
      type: 'choice',
      choices: ['v1', 'compatible'],
      open: false,
    }),
  ],
  atHand: ['duration', 'aspect_ratio', 'size', 'first_frame', 'last_frame', 'reference_images'],
  fieldsWithoutColumn: [],
  callbackField: () => 'callback_url',
  medium: 'moving',
  prompt: (params) => (startsFrom.some((name) => params[name] !== undefined) ? 'optional' : 'usual'),
  paths: [
    { name: 'videoTask', label: messageFor('path.videoTask'), default: '/v1/videos/{task_id}', holds: '{task_id}' },
  ],
  outputs: () => 1,
  seconds: ({ duration }) => (typeof duration === 'number' && duration > 0 ? duration : null),
};
