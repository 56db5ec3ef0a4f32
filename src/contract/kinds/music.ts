import type { KindSpec } from './spec.ts';

/** Parameters that say what to make without a prompt. */
const saysWhat = ['lyrics', 'style', 'tags', 'title', 'extend_take', 'audio', 'source_audio'];

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
      aliases: [],
      type: 'boolean',
      isUsual: true,
    },
    {
      name: 'make_instrumental',
      label: 'Make instrumental',
      help: 'The same wish under its other name, for models that use it; sent as make_instrumental.',
      aliases: [],
      type: 'boolean',
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
    {
      name: 'model_version',
      label: 'Model version',
      help: 'Version of the music model; sent as mv.',
      aliases: ['mv'],
      type: 'text',
    },
    {
      name: 'extend_take',
      label: 'Extend take',
      help: 'Piece to continue: Shot://KEY for the take of another music shot, or the id of a task; sent as task_id.',
      aliases: ['task_id', 'extend'],
      type: 'task',
      at: 'continue_at',
    },
    {
      name: 'continue_at',
      label: 'Continue at',
      help: 'Where in that piece to continue, in seconds; the model decides when empty.',
      aliases: ['continue_from'],
      type: 'number',
      min: 0,
      max: 3600,
      unit: 's',
    },
    {
      name: 'audio',
      label: 'Audio',
      help: 'Audio to begin with; sent as audioUrl.',
      aliases: ['audio_url'],
      type: 'media',
      media: 'audio',
    },
    {
      name: 'source_audio',
      label: 'Source audio',
      help: 'Audio to make the piece from; sent as sourceAudioUrl.',
      aliases: ['source_audio_url'],
      type: 'media',
      media: 'audio',
    },
  ],
  fieldsWithoutColumn: [],
  callbackField: () => 'callback_url',
  medium: 'sound',
  prompt: (params) => (saysWhat.some((name) => Boolean(params[name])) ? 'optional' : 'usual'),
  paths: [
    { name: 'musicSubmit', label: 'Send music', default: '/v1/tasks' },
    { name: 'musicTask', label: 'Ask for music', default: '/v1/tasks/{task_id}', holds: '{task_id}' },
  ],
};
