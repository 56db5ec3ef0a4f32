import { messageFor } from '../messages/message-for.ts';
import { column, type KindSpec } from './spec.ts';

/** Speech: service reference, "Speech, embeddings, web and music request shapes". Its path is not shown there. */
export const speechSpec: KindSpec<'speech'> = {
  kind: 'speech',
  label: messageFor('kind.speech'),
  icon: [
    ['path', { d: 'M12 19v3' }],
    ['path', { d: 'M19 10v2a7 7 0 0 1-14 0v-2' }],
    ['rect', { width: '6', height: '13', x: '9', y: '2', rx: '3' }],
  ],
  words: ['voiceover', 'narration', 'tts', '语音', '配音', '旁白'],
  modelWords: ['speech', 'tts'],
  promptAliases: ['line', 'dialogue', '台词', '对白'],
  parameters: [
    column('voice', ['speaker', '音色'], { type: 'text', isUsual: true }),
    column('response_format', ['audio_format', '音频格式'], {
      label: 'column.format',
      help: 'columnHelp.speechResponseFormat',
      type: 'choice',
      choices: ['mp3', 'opus', 'aac', 'flac'],
    }),
    column('speed', ['语速'], { type: 'number', min: 0.25, max: 4 }),
  ],
  atHand: ['voice', 'speed', 'response_format'],
  fieldsWithoutColumn: [],
  medium: 'sound',
  prompt: () => 'required',
  paths: [{ name: 'speech', label: messageFor('path.speech'), default: '/v1/audio/speech' }],
};
