import type { Medium } from '../formats.ts';
import { messageFor } from '../messages/message-for.ts';
import { column, type KindSpec, type Params } from './spec.ts';

export const presenterOperation = ({ operation }: Params): string =>
  typeof operation === 'string' ? operation : 'video';

/** Voices and avatars are records: what the service shows of one is the take, as a text. */
const media: Readonly<Record<string, Medium>> = { video: 'moving', audio: 'sound', voice: 'words', avatar: 'words' };

/** Purposes of assets (reference, "Assets and groups"): what files are uploaded for, and what tasks make. */
const AVATAR = 'digital_human_avatar';
const VOICE = 'digital_human_voice';
const made: Readonly<Record<string, string>> = { voice: VOICE, avatar: AVATAR };

/** Digital humans: service reference, "Generic tasks" and "Digital human records". */
export const presenterSpec: KindSpec<'presenter'> = {
  kind: 'presenter',
  label: messageFor('kind.presenter'),
  icon: [
    ['path', { d: 'M19 21v-2a4 4 0 0 0-4-4H9a4 4 0 0 0-4 4v2' }],
    ['circle', { cx: '12', cy: '7', r: '4' }],
  ],
  words: ['presenters', 'digital human', 'talking head', '数字人'],
  modelWords: ['presenter', 'digital-human', 'avatar'],
  fromMedia: {
    image: { column: 'avatar' },
    video: { column: 'avatar' },
    audio: { column: 'audio', isUsual: true },
  },
  parameters: [
    column('operation', ['操作'], {
      help: 'columnHelp.presenterOperation',
      type: 'choice',
      choices: ['video', 'audio', 'voice', 'avatar'],
    }),
    column('avatar', ['avatar_asset_id', '形象'], { type: 'media', media: 'any', purpose: AVATAR }),
    column('voice_asset', ['voice_asset_id', '音色素材'], { type: 'media', media: 'audio', purpose: VOICE }),
    column('audio', ['audio_url', '音频'], {
      label: 'common.audio',
      help: 'columnHelp.presenterAudio',
      type: 'media',
      media: 'audio',
    }),
    column('presenter_name', ['数字人名称'], { sentAs: 'name', type: 'text' }),
    column('authorization', ['authorization_asset_id', 'consent', '授权'], {
      type: 'media',
      media: 'any',
      purpose: 'digital_human_authorization',
    }),
  ],
  atHand: ['operation', 'presenter_name', 'avatar', 'voice_asset', 'audio'],
  fieldsWithoutColumn: [],
  medium: 'moving',
  mediumOf: (params) => media[presenterOperation(params)] ?? 'moving',
  assetOf: (params) => made[presenterOperation(params)],
  prompt: () => 'optional',
  paths: [],
};
