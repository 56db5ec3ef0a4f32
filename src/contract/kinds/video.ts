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
    column('duration', ['seconds', 'length', 'duration_s', 'duration (s)', '时长'], {
      type: 'number',
      min: 1,
      max: 600,
      unit: 's',
      special: [-1],
      isUsual: true,
    }),
    column('frames', ['帧数'], { type: 'integer', min: 1, max: 100_000 }),
    column('aspect_ratio', ['ratio', 'aspect', '画幅', '宽高比'], {
      help: 'columnHelp.videoAspectRatio',
      type: 'ratio',
      choices: ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'],
      isUsual: true,
    }),
    column('size', ['resolution', '尺寸', '分辨率'], {
      help: 'columnHelp.videoSize',
      type: 'choice',
      choices: ['480p', '720p', '1080p'],
      open: true,
      isUsual: true,
    }),
    column('mode', ['模式'], { type: 'text' }),
    column('generate_audio', ['with_audio', '生成音频'], { type: 'boolean', isUsual: true }),
    column('watermark', ['水印'], { type: 'boolean' }),
    column('image', ['image_url', 'source_image', '源图'], {
      label: 'column.sourceImage',
      help: 'columnHelp.videoImage',
      type: 'media',
      media: 'image',
    }),
    column('first_frame', ['first_frame_url', 'start_frame', '首帧'], { type: 'media', media: 'image' }),
    column('last_frame', ['last_frame_url', 'end_frame', '尾帧'], { type: 'media', media: 'image' }),
    column(
      'reference_images',
      ['reference_image', 'reference_image_url', 'reference_image_urls', '参考图', '参考图片'],
      { type: 'media_list', media: 'image' },
    ),
    column('reference_voices', ['reference_voice', '参考人声'], { type: 'media_list', media: 'audio' }),
    column('input_reference', ['输入参考图'], { type: 'media', media: 'image' }),
    column('input_reference_role', ['输入参考图的用途', '输入参考图的角色'], {
      type: 'choice',
      choices: ['reference_image', 'first_frame', 'last_frame'],
    }),
    column('video', ['video_url', 'source_video', '源视频'], {
      label: 'column.sourceVideo',
      type: 'media',
      media: 'video',
    }),
    column('reference_videos', ['reference_video', 'reference_video_url', 'reference_video_urls', '参考视频'], {
      type: 'media_list',
      media: 'video',
    }),
    column('videos', ['多个视频'], { type: 'media_list', media: 'video' }),
    column('audio', ['audio_url', 'reference_audio', '音频', '参考音频'], {
      label: 'column.referenceAudio',
      help: 'columnHelp.videoAudio',
      type: 'media',
      media: 'audio',
    }),
    column('references', ['参考素材'], {
      type: 'json',
      example: '[{"media_type": "image", "role": "reference_image", "url": "…", "alias": "hero"}]',
    }),
    column('image_source_mode', ['图片来源方式'], { type: 'choice', choices: ['asset', 'direct_url'] }),
    column('avatar_asset_ids', ['avatar_asset_id', 'avatars', '形象素材'], {
      label: 'column.avatarAssets',
      type: 'text_list',
    }),
    column('route', ['video_route', '接口'], {
      help: 'columnHelp.videoRoute',
      type: 'choice',
      choices: ['v1', 'compatible'],
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
