import { messageFor } from '../messages/message-for.ts';
import { column, type KindSpec, type Params, type PromptNeed } from './spec.ts';

/** The operation of a row: as its cell says, else as its media suggest. */
export const imageOperation = ({ operation, image }: Params): string =>
  typeof operation === 'string' ? operation : image === undefined ? 'generate' : 'edit';

/** The typography family needs no model: prices and filters know it by this name. */
export const TYPOGRAPHY = 'typo';

export const isTypography = (params: Params): boolean => imageOperation(params).startsWith(`${TYPOGRAPHY}_`);

/** The job-style family needs no model either, but takes one: this is the name of its rows without. */
export const JOB_STYLE = 'jobimg';

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
  label: messageFor('common.image'),
  icon: [
    ['rect', { width: '18', height: '18', x: '3', y: '3', rx: '2', ry: '2' }],
    ['circle', { cx: '9', cy: '9', r: '2' }],
    ['path', { d: 'm21 15-3.086-3.086a2 2 0 0 0-2.828 0L6 21' }],
  ],
  words: ['images', 'picture', 'photo', 'still', '图片', '图像', '照片'],
  modelWords: ['image', 'img', 'photo', TYPOGRAPHY, JOB_STYLE],
  ownModel: (params, written) => (isTypography(params) ? TYPOGRAPHY : isJobStyle(params) ? written || JOB_STYLE : null),
  fromMedia: { image: { column: 'image' } },
  parameters: [
    column('operation', ['操作'], {
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
    }),
    column('entry', ['接口', '入口'], { type: 'choice', choices: ['images', 'content', 'messages'] }),
    column('image', ['image_url', 'source_image', '源图'], {
      label: 'column.sourceImage',
      help: 'columnHelp.imageImage',
      type: 'media',
      media: 'image',
    }),
    column('mask', ['mask_image', '蒙版'], { type: 'media', media: 'image' }),
    column('blend_images', ['prompt_images', '混合图片'], {
      sentAs: 'base64Array',
      type: 'media_list',
      media: 'image',
    }),
    column('action_task', ['from_task', '按钮所属任务'], { sentAs: 'taskId', type: 'task' }),
    column('button', ['按钮'], { sentAs: 'customId', type: 'text' }),
    column('n', ['images', 'number_of_images', '张数', '图片数'], {
      label: 'column.images',
      type: 'integer',
      min: 1,
      isUsual: true,
    }),
    column('size', ['pixels', 'dimensions', '尺寸'], { help: 'columnHelp.imageSize', type: 'pixels', isUsual: true }),
    column('aspect_ratio', ['ratio', 'aspect', '画幅', '宽高比'], {
      help: 'columnHelp.imageAspectRatio',
      type: 'ratio',
      choices: ['1:1', '16:9', '9:16', '4:3', '3:4'],
      isUsual: true,
    }),
    column('resolution', ['分辨率'], { type: 'text' }),
    column('response_format', ['返回格式'], {
      help: 'columnHelp.imageResponseFormat',
      type: 'choice',
      choices: ['url', 'b64_json'],
      open: true,
    }),
    column('rendering_speed', ['渲染速度'], { type: 'text' }),
    column('style_type', ['风格类型'], { type: 'text' }),
    column('system', ['system_prompt', 'instructions', '系统提示词'], {
      help: 'columnHelp.imageSystem',
      type: 'long_text',
    }),
    column('generation_config', ['生成配置'], { type: 'json', example: '{"temperature": 0.4}' }),
    column('messages', ['消息'], {
      label: 'settings.messages',
      type: 'json',
      example: '[{"role": "user", "content": "…"}]',
    }),
  ],
  atHand: ['aspect_ratio', 'size', 'n', 'image'],
  fieldsWithoutColumn: ['notifyHook'],
  callbackField: (params) => (isJobStyle(params) ? 'notifyHook' : undefined),
  medium: 'still',
  prompt: (params) => (params.messages === undefined ? promptNeeds[imageOperation(params)] : undefined) ?? 'optional',
  paths: [
    {
      name: 'imageTask',
      label: messageFor('path.imageTask'),
      default: '/v1/images/tasks/{task_id}',
      holds: '{task_id}',
    },
    {
      name: 'jobSubmit',
      label: messageFor('path.jobSubmit'),
      default: '/jobimg/submit/{action}',
      holds: '{action}',
      neededBy: isJobStyle,
    },
    {
      name: 'jobTask',
      label: messageFor('path.jobTask'),
      default: '/jobimg/task/{task_id}/fetch',
      holds: '{task_id}',
      neededBy: isJobStyle,
    },
    {
      name: 'jobList',
      label: messageFor('path.jobList'),
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
