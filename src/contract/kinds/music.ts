import { messageFor } from '../messages/message-for.ts';
import type { KindSpec, Params } from './spec.ts';

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
  parameters: [
    {
      name: 'operation',
      label: messageFor('column.operation'),
      help: messageFor('columnHelp.musicOperation'),
      aliases: ['操作'],
      type: 'choice',
      choices: ['music', 'lyrics'],
      open: false,
    },
    {
      name: 'style',
      label: messageFor('column.style'),
      help: messageFor('columnHelp.style'),
      aliases: ['风格'],
      type: 'long_text',
      isUsual: true,
    },
    {
      name: 'title',
      label: messageFor('column.title'),
      help: messageFor('columnHelp.title'),
      aliases: ['song_title', '标题', '歌名'],
      type: 'text',
    },
    {
      name: 'custom_mode',
      label: messageFor('column.customMode'),
      help: messageFor('columnHelp.customMode'),
      aliases: ['自定义模式'],
      type: 'boolean',
    },
    {
      name: 'instrumental',
      label: messageFor('column.instrumental'),
      help: messageFor('columnHelp.instrumental'),
      aliases: ['纯音乐'],
      type: 'boolean',
      isUsual: true,
    },
    {
      name: 'make_instrumental',
      label: messageFor('column.makeInstrumental'),
      help: messageFor('columnHelp.makeInstrumental'),
      aliases: ['生成纯音乐'],
      type: 'boolean',
    },
    {
      name: 'tags',
      label: messageFor('column.tags'),
      help: messageFor('columnHelp.tags'),
      aliases: ['tag', '标签'],
      type: 'text',
    },
    {
      name: 'lyrics',
      label: messageFor('column.lyrics'),
      help: messageFor('columnHelp.lyrics'),
      aliases: ['lyric', '歌词'],
      type: 'long_text',
    },
    {
      name: 'model_version',
      label: messageFor('column.modelVersion'),
      help: messageFor('columnHelp.modelVersion'),
      aliases: ['mv', '模型版本'],
      type: 'text',
    },
    {
      name: 'extend_take',
      label: messageFor('column.extendTake'),
      help: messageFor('columnHelp.extendTake'),
      aliases: ['task_id', 'extend', '接续镜次'],
      type: 'task',
      at: 'continue_at',
    },
    {
      name: 'continue_at',
      label: messageFor('column.continueAt'),
      help: messageFor('columnHelp.continueAt'),
      aliases: ['continue_from', '接续位置'],
      type: 'number',
      min: 0,
      max: 3600,
      unit: 's',
    },
    {
      name: 'audio',
      label: messageFor('column.audio'),
      help: messageFor('columnHelp.musicAudio'),
      aliases: ['audio_url', '音频'],
      type: 'media',
      media: 'audio',
    },
    {
      name: 'source_audio',
      label: messageFor('column.sourceAudio'),
      help: messageFor('columnHelp.sourceAudio'),
      aliases: ['source_audio_url', '源音频'],
      type: 'media',
      media: 'audio',
    },
  ],
  fieldsWithoutColumn: [],
  callbackField: () => 'callback_url',
  medium: 'sound',
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
