import { messageFor } from '../messages/message-for.ts';
import { column, type KindSpec } from './spec.ts';

/** Text: service reference, "Text generation". */
export const textSpec: KindSpec<'text'> = {
  kind: 'text',
  label: messageFor('common.text'),
  icon: [['path', { d: 'M17 6.1H3M21 12.1H3M15.1 18H3' }]],
  words: ['texts', 'script', 'caption', 'tagline', '文本', '文案'],
  // Not the word text: models that make a video from a text have it too.
  modelWords: ['chat', 'llm'],
  fromMedia: { image: { column: 'image' } },
  parameters: [
    column('route', ['接口'], {
      help: 'columnHelp.textRoute',
      type: 'choice',
      choices: ['chat', 'generate_content', 'responses', 'messages'],
    }),
    column('system', ['system_prompt', 'instructions', '系统提示词'], {
      help: 'columnHelp.textSystem',
      type: 'long_text',
      isUsual: true,
    }),
    column('image', ['image_url', 'source_image', '源图'], {
      label: 'column.sourceImage',
      help: 'columnHelp.textImage',
      type: 'media',
      media: 'image',
    }),
    column('references', ['reference_images', '参考素材'], {
      help: 'columnHelp.textReferences',
      type: 'media_list',
      media: 'image',
    }),
    column('messages', ['消息'], {
      label: 'settings.messages',
      help: 'columnHelp.textMessages',
      type: 'json',
      example: '[{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}]',
    }),
    column('output_format', ['输出格式'], { type: 'choice', choices: ['md', 'json'] }),
    column('max_tokens', ['max_output_tokens', 'max_completion_tokens', '最大 token 数'], { type: 'integer', min: 1 }),
  ],
  atHand: ['system', 'max_tokens', 'output_format', 'image', 'references'],
  fieldsWithoutColumn: [],
  medium: 'words',
  prompt: ({ messages }) => (messages === undefined ? 'required' : 'optional'),
  paths: [
    {
      name: 'responses',
      label: messageFor('path.responses'),
      default: '/v1/responses',
      neededBy: ({ route }) => route === 'responses',
    },
    {
      name: 'messages',
      label: messageFor('path.messages'),
      default: '/v1/messages',
      neededBy: ({ route }) => route === 'messages',
    },
  ],
};
