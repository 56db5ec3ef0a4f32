import type { KindSpec, Params, PromptNeed } from './spec.ts';

/** What a row asks for: as its cell says, else what its media suggest. */
export const imageOperation = ({ operation, image }: Params): string =>
  typeof operation === 'string' ? operation : image === undefined ? 'generate' : 'edit';

/** The typography family needs no model: prices and filters know it by this name. */
export const TYPOGRAPHY = 'typo';

export const isTypography = (params: Params): boolean => imageOperation(params).startsWith(`${TYPOGRAPHY}_`);

/** The job-style family. */
export const isJobStyle = (params: Params): boolean => ['imagine', 'blend', 'action'].includes(imageOperation(params));

const promptNeeds: Readonly<Record<string, PromptNeed>> = {
  edit: 'required',
  generate: 'usual',
  typo_generate: 'usual',
  typo_remix: 'usual',
  imagine: 'required',
};

/** Image generation, editing, variation, typography and the job-style family: service reference, "Images". */
export const imageSpec: KindSpec<'image'> = {
  kind: 'image',
  label: 'Image',
  icon: [
    ['rect', { width: '18', height: '18', x: '3', y: '3', rx: '2', ry: '2' }],
    ['circle', { cx: '9', cy: '9', r: '2' }],
    ['path', { d: 'm21 15-3.086-3.086a2 2 0 0 0-2.828 0L6 21' }],
  ],
  words: ['images', 'picture', 'photo', 'still'],
  modelWords: ['image', 'img', 'photo', 'typo', 'jobimg'],
  ownModel: (params) => (isTypography(params) ? TYPOGRAPHY : null),
  parameters: [
    {
      name: 'operation',
      label: 'Operation',
      help: 'generate, edit, variation, typo_generate, typo_remix, typo_upscale, imagine, blend or action. When empty: edit for a row with an image, generate for any other.',
      aliases: [],
      type: 'choice',
      choices: [
        'generate',
        'edit',
        'variation',
        'typo_generate',
        'typo_remix',
        'typo_upscale',
        'imagine',
        'blend',
        'action',
      ],
      open: false,
    },
    {
      name: 'entry',
      label: 'Entry',
      help: 'Entry of the service: images (default), content (generateContent) or messages. Which one a model has depends on the model.',
      aliases: [],
      type: 'choice',
      choices: ['images', 'content', 'messages'],
      open: false,
    },
    {
      name: 'image',
      label: 'Source image',
      help: 'Image to start from. An edit and a variation of the entry images send it with the request, so there it is a local file; anything else takes a URL or an asset too.',
      aliases: ['image_url', 'source_image'],
      type: 'media',
      media: 'image',
    },
    {
      name: 'mask',
      label: 'Mask',
      help: 'Local file that marks what an edit may change.',
      aliases: ['mask_image'],
      type: 'media',
      media: 'image',
    },
    {
      name: 'blend_images',
      label: 'Blend images',
      help: 'Two or more local images that a blend makes one of, 10 MB each at most; sent as base64Array. Only for blend.',
      aliases: [],
      sentAs: 'base64Array',
      type: 'media_list',
      media: 'image',
    },
    {
      name: 'action_task',
      label: 'Task of the button',
      help: 'Take whose button is pressed: Shot://KEY, or the id of a task; sent as taskId. Only for action.',
      aliases: ['from_task'],
      sentAs: 'taskId',
      type: 'task',
    },
    {
      name: 'button',
      label: 'Button',
      help: 'Label of the button, such as U1; beside the id of a task, the id of the button. Sent as customId. Only for action.',
      aliases: [],
      sentAs: 'customId',
      type: 'text',
    },
    {
      name: 'n',
      label: 'Images',
      help: 'Images a take; 1 when empty. An edit and a variation take 1 to 4, a generation what its model makes.',
      aliases: ['images', 'number_of_images'],
      type: 'integer',
      min: 1,
      isUsual: true,
    },
    {
      name: 'size',
      label: 'Size',
      help: 'Pixels as WIDTHxHEIGHT, for example 1024x1024. Allowed values depend on the model.',
      aliases: ['pixels', 'dimensions'],
      type: 'pixels',
      isUsual: true,
    },
    {
      name: 'aspect_ratio',
      label: 'Aspect ratio',
      help: 'Width to height, for example 1:1, 16:9 or 9:16. Only for generate, typo_generate and typo_remix.',
      aliases: ['ratio', 'aspect'],
      type: 'ratio',
      choices: ['1:1', '16:9', '9:16', '4:3', '3:4'],
      isUsual: true,
    },
    {
      name: 'resolution',
      label: 'Resolution',
      help: 'Resolution class, for example 2K. Only for generate, and only where the account has the asynchronous entry.',
      aliases: [],
      type: 'text',
    },
    {
      name: 'response_format',
      label: 'Response format',
      help: 'url or b64_json, where the model offers a choice. Only for generate.',
      aliases: [],
      type: 'choice',
      choices: ['url', 'b64_json'],
      open: true,
    },
    {
      name: 'rendering_speed',
      label: 'Rendering speed',
      help: 'How fast and how carefully to draw, in the words of the service. Only for typo_generate and typo_remix.',
      aliases: [],
      type: 'text',
    },
    {
      name: 'style_type',
      label: 'Style type',
      help: 'Style, in the words of the service. Only for typo_generate and typo_remix.',
      aliases: [],
      type: 'text',
    },
    {
      name: 'system',
      label: 'System',
      help: 'Instructions beside the prompt. Only for the entry content.',
      aliases: ['system_prompt', 'instructions'],
      type: 'long_text',
    },
    {
      name: 'generation_config',
      label: 'Generation config',
      help: 'JSON object, sent as generationConfig. Only for the entry content.',
      aliases: [],
      type: 'json',
      example: '{"temperature": 0.4}',
    },
    {
      name: 'messages',
      label: 'Messages',
      help: 'JSON list of {"role", "content"}, sent as input.messages in place of prompt and image. Only for the entry messages.',
      aliases: [],
      type: 'json',
      example: '[{"role": "user", "content": "…"}]',
    },
  ],
  fieldsWithoutColumn: ['notifyHook'],
  callbackField: (params) => (isJobStyle(params) ? 'notifyHook' : undefined),
  medium: 'still',
  prompt: (params) => (params.messages === undefined ? promptNeeds[imageOperation(params)] : undefined) ?? 'optional',
  paths: [
    { name: 'imageTask', label: 'Ask for an image', default: '/v1/images/tasks/{task_id}', holds: '{task_id}' },
    {
      name: 'jobSubmit',
      label: 'Send a job-style image',
      default: '/jobimg/submit/{action}',
      holds: '{action}',
      neededBy: isJobStyle,
    },
    {
      name: 'jobTask',
      label: 'Ask for a job-style image',
      default: '/jobimg/task/{task_id}/fetch',
      holds: '{task_id}',
      neededBy: isJobStyle,
    },
    {
      name: 'jobList',
      label: 'Find a job-style image by its state',
      default: '/jobimg/task/list-by-condition?state={state}',
      neededBy: () => false,
    },
  ],
  press: {
    task: 'action_task',
    button: 'button',
    cells: (customId) => ({ operation: 'action', button: customId, blend_images: '' }),
    fromWords: { operation: 'imagine', action_task: '', button: '', blend_images: '' },
  },
  outputs: ({ n }) => (typeof n === 'number' ? n : 1),
};
