import type { KindSpec } from './spec.ts';

/** Text: service reference, "Text generation". */
export const textSpec: KindSpec<'text'> = {
  kind: 'text',
  label: 'Text',
  icon: [['path', { d: 'M17 6.1H3M21 12.1H3M15.1 18H3' }]],
  words: ['texts', 'script', 'caption', 'tagline'],
  // Not the word text: models that make a video from a text have it too.
  modelWords: ['chat', 'llm'],
  parameters: [
    {
      name: 'route',
      label: 'Route',
      help: 'Entry of the service: chat (default), generate_content, responses or messages. Which one a model has depends on the model.',
      aliases: [],
      type: 'choice',
      choices: ['chat', 'generate_content', 'responses', 'messages'],
      open: false,
    },
    {
      name: 'system',
      label: 'System',
      help: 'Instructions that hold for the whole text: voice, length, what to avoid.',
      aliases: ['system_prompt', 'instructions'],
      type: 'long_text',
      isUsual: true,
    },
    {
      name: 'output_format',
      label: 'Output format',
      help: 'md (default) or json. json asks the model for JSON; on the route messages the prompt has to ask for it.',
      aliases: [],
      type: 'choice',
      choices: ['md', 'json'],
      open: false,
    },
    {
      name: 'max_tokens',
      label: 'Max tokens',
      help: 'Longest answer, in tokens of the model. The route messages demands one: 4096 when empty.',
      aliases: ['max_output_tokens', 'max_completion_tokens'],
      type: 'integer',
      min: 1,
    },
  ],
  fieldsWithoutColumn: [],
  medium: 'words',
  prompt: () => 'required',
  paths: [
    {
      name: 'responses',
      label: 'Send a text by responses',
      default: '/v1/responses',
      neededBy: ({ route }) => route === 'responses',
    },
    {
      name: 'messages',
      label: 'Send a text by messages',
      default: '/v1/messages',
      neededBy: ({ route }) => route === 'messages',
    },
  ],
};
