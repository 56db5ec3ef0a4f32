import { messageFor } from '../messages/message-for.ts';
import { column, type KindSpec, type Params } from './spec.ts';

/** Lyrics are a text; what a task of music brings otherwise is a sound. */
export const isLyrics = ({ operation }: Params): boolean => operation === 'lyrics';

/** Parameters that say what to make without a prompt. */
const saysWhat = ['lyrics', 'style', 'tags', 'title', 'extend_take', 'audio', 'source_audio'];

/**
 * Music: service reference, "Generic tasks" (prompt, style, title, customMode) and the music row of "Speech,
 * embeddings, web and music request shapes" (the rest).
 */
export const musicSpec: KindSpec<'music'> = {
  kind: 'music',
  label: messageFor('kind.music'),
  icon: [
    ['path', { d: 'M9 18V5l12-2v13' }],
    ['circle', { cx: '6', cy: '18', r: '3' }],
    ['circle', { cx: '18', cy: '16', r: '3' }],
  ],
  words: ['song', 'track', 'tune', '音乐', '歌曲'],
  modelWords: ['music', 'song', 'lyrics'],
  fromMedia: { audio: { column: 'audio' } },
  parameters: [
    column('operation', ['操作'], { help: 'columnHelp.musicOperation', type: 'choice', choices: ['music', 'lyrics'] }),
    column('style', ['风格'], { type: 'long_text', isUsual: true }),
    column('title', ['song_title', '标题', '歌名'], { type: 'text' }),
    column('custom_mode', ['自定义模式'], { type: 'boolean' }),
    column('instrumental', ['纯音乐'], { type: 'boolean', isUsual: true }),
    column('make_instrumental', ['生成纯音乐'], { type: 'boolean' }),
    column('tags', ['tag', '标签'], { label: 'review.tags', type: 'text' }),
    column('lyrics', ['lyric', '歌词'], { type: 'long_text' }),
    column('model_version', ['mv', '模型版本'], { type: 'text' }),
    column('extend_take', ['task_id', 'extend', '接续条次', '接续镜次'], { type: 'task', at: 'continue_at' }),
    column('continue_at', ['continue_from', '接续位置'], { type: 'number', min: 0, max: 3600, unit: 's' }),
    column('audio', ['audio_url', '音频'], {
      label: 'common.audio',
      help: 'columnHelp.musicAudio',
      type: 'media',
      media: 'audio',
    }),
    column('source_audio', ['source_audio_url', '源音频'], { type: 'media', media: 'audio' }),
  ],
  atHand: ['style', 'lyrics', 'instrumental', 'audio'],
  fieldsWithoutColumn: [],
  callbackField: () => 'callback_url',
  medium: 'sound',
  isBelowPictures: true,
  mediumOf: (params) => (isLyrics(params) ? 'words' : 'sound'),
  prompt: (params) => (saysWhat.some((name) => Boolean(params[name])) ? 'optional' : 'usual'),
  paths: [
    {
      name: 'musicSubmit',
      label: messageFor('path.musicSubmit'),
      default: '/v1/tasks',
      neededBy: (params) => !isLyrics(params),
    },
    { name: 'lyricsSubmit', label: messageFor('path.lyricsSubmit'), default: '/v1/tasks', neededBy: isLyrics },
    { name: 'musicTask', label: messageFor('path.musicTask'), default: '/v1/tasks/{task_id}', holds: '{task_id}' },
  ],
};
