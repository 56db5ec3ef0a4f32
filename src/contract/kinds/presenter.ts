import { messageFor } from '../messages/message-for.ts';
import type { KindSpec } from './spec.ts';

/** Digital human video: service reference, "Generic tasks" and "Digital human records". */
export const presenterSpec: KindSpec<'presenter'> = {
  kind: 'presenter',
  label: messageFor('kind.presenter'),
  icon: [
    ['path', { d: 'M19 21v-2a4 4 0 0 0-4-4H9a4 4 0 0 0-4 4v2' }],
    ['circle', { cx: '12', cy: '7', r: '4' }],
  ],
  words: ['presenters', 'digital human', 'talking head', '数字人'],
  modelWords: ['presenter', 'digital-human', 'avatar'],
  parameters: [
    {
      name: 'avatar',
      label: messageFor('column.avatar'),
      help: messageFor('columnHelp.avatar'),
      aliases: ['avatar_asset_id', '形象'],
      type: 'media',
      media: 'any',
    },
    {
      name: 'audio',
      label: messageFor('column.audio'),
      help: messageFor('columnHelp.presenterAudio'),
      aliases: ['audio_url', '音频'],
      type: 'media',
      media: 'audio',
    },
    {
      name: 'presenter_name',
      label: messageFor('column.presenterName'),
      help: messageFor('columnHelp.presenterName'),
      aliases: ['数字人名称'],
      sentAs: 'name',
      type: 'text',
    },
    {
      name: 'authorization',
      label: messageFor('column.authorization'),
      help: messageFor('columnHelp.authorization'),
      aliases: ['authorization_asset_id', 'consent', '授权'],
      type: 'media',
      media: 'any',
    },
  ],
  fieldsWithoutColumn: [],
  medium: 'moving',
  prompt: () => 'optional',
  paths: [],
};
