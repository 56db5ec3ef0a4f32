import type { KindSpec } from './spec.ts';

/**
 * Music: service reference, "Generic tasks" (prompt, style, title, customMode) and the music row of "Speech,
 * embeddings, web and music request shapes" (the rest).
 */
export const musicSpec: KindSpec<'music'> = {
  kind: 'music',
  label: 'Music',
  icon: [
    ['path', { d: 'M9 18V5l12-2v13' }],
    ['circle', { cx: '6', cy: '18', r: '3' }],
    ['circle', { cx: '18', cy: '16', r: '3' }],
  ],
  words: ['song', 'track', 'tune'],
  modelWords: ['music', 'song'],
  parameters: [
    {
      name: 'style',
      label: 'Style',
      help: 'Genre, mood, instruments, tempo; sent as style.',
      aliases: [],
      type: 'long_text',
      isUsual: true,
    },
    {
      name: 'title',
      label: 'Title',
      help: 'Title of the piece; sent as title.',
      aliases: ['song_title'],
      type: 'text',
    },
    {
      name: 'custom_mode',
      label: 'Custom mode',
      help: 'TRUE makes the service take the prompt as the words to sing; sent as customMode.',
      aliases: [],
      type: 'boolean',
    },
    {
      name: 'instrumental',
      label: 'Instrumental',
      help: 'TRUE asks for music without voice; sent as instrumental.',
      aliases: ['make_instrumental'],
      type: 'boolean',
      isUsual: true,
    },
    {
      name: 'tags',
      label: 'Tags',
      help: 'Tags of the piece, as one text; sent as tags.',
      aliases: ['tag'],
      type: 'text',
    },
    {
      name: 'lyrics',
      label: 'Lyrics',
      help: 'Words to sing. The service has no field for them: with custom_mode TRUE they are sent as the prompt, which stays empty then.',
      aliases: ['lyric'],
      type: 'long_text',
    },
  ],
  fieldsWithoutColumn: ['continue_at', 'sourceAudioUrl'],
  takesCallback: true,
  medium: 'sound',
  prompt: ({ lyrics, style, tags, title }) => ([lyrics, style, tags, title].some(Boolean) ? 'optional' : 'usual'),
  paths: [
    { name: 'musicSubmit', label: 'Send music', default: '/v1/tasks' },
    { name: 'musicTask', label: 'Ask for music', default: '/v1/tasks/{task_id}', holds: '{task_id}' },
  ],
};
