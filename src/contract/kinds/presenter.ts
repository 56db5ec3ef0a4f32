import type { KindSpec } from './spec.ts';

/** Digital human video: service reference, "Generic tasks" and "Digital human records". */
export const presenterSpec: KindSpec<'presenter'> = {
  kind: 'presenter',
  label: 'Presenter',
  icon: [
    ['path', { d: 'M19 21v-2a4 4 0 0 0-4-4H9a4 4 0 0 0-4 4v2' }],
    ['circle', { cx: '12', cy: '7', r: '4' }],
  ],
  words: ['presenters', 'digital human', 'talking head'],
  modelWords: ['presenter', 'digital-human', 'avatar'],
  parameters: [
    {
      name: 'avatar',
      label: 'Avatar',
      help: 'Who speaks: a local picture or film, or an asset that was uploaded as an avatar; required.',
      aliases: ['avatar_asset_id'],
      type: 'media',
      media: 'any',
    },
    {
      name: 'audio',
      label: 'Audio',
      help: 'What is said: a local file, an asset or a URL; required. Sent as audio_url.',
      aliases: ['audio_url'],
      type: 'media',
      media: 'audio',
    },
    {
      name: 'presenter_name',
      label: 'Presenter name',
      help: 'Name of the presenter; sent as name.',
      aliases: [],
      sentAs: 'name',
      type: 'text',
    },
    {
      name: 'authorization',
      label: 'Authorization',
      help: 'Picture, film or sound in which the person agrees: a local file, or an asset that was uploaded as an authorization.',
      aliases: ['authorization_asset_id', 'consent'],
      type: 'media',
      media: 'any',
    },
  ],
  fieldsWithoutColumn: [],
  medium: 'moving',
  prompt: () => 'optional',
  paths: [],
};
