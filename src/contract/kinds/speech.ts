import type { KindSpec } from './spec.ts';

/** Speech: service reference, "Speech, embeddings, web and music request shapes". Its path is not shown there. */
export const speechSpec: KindSpec<'speech'> = {
  kind: 'speech',
  label: 'Speech',
  icon: [
    ['path', { d: 'M12 19v3' }],
    ['path', { d: 'M19 10v2a7 7 0 0 1-14 0v-2' }],
    ['rect', { width: '6', height: '13', x: '9', y: '2', rx: '3' }],
  ],
  words: ['voiceover', 'narration', 'tts'],
  modelWords: ['speech', 'tts'],
  promptAliases: ['line', 'dialogue'],
  parameters: [
    {
      name: 'voice',
      label: 'Voice',
      help: 'Name of the voice that speaks, as the model knows it; required.',
      aliases: ['speaker'],
      type: 'text',
      isUsual: true,
    },
    {
      name: 'response_format',
      label: 'Format',
      help: 'mp3 (the default), opus, aac or flac.',
      aliases: ['audio_format'],
      type: 'choice',
      choices: ['mp3', 'opus', 'aac', 'flac'],
      open: false,
    },
    {
      name: 'speed',
      label: 'Speed',
      help: 'How fast it is said, from 0.25 to 4; 1 when empty.',
      aliases: [],
      type: 'number',
      min: 0.25,
      max: 4,
    },
  ],
  fieldsWithoutColumn: [],
  medium: 'sound',
  prompt: () => 'required',
  paths: [{ name: 'speech', label: 'Send speech', default: '/v1/audio/speech' }],
};
