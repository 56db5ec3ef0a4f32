import type { KindSpec } from '../../../src/contract/kinds/spec.ts';

/** What it is: `src/contract/kinds/effect.ts`, were it a kind of the product. */
export const effectSpec: KindSpec<'effect'> = {
  kind: 'effect',
  label: 'Sound effect',
  icon: [['path', { d: 'M11 5 6 9H2v6h4l5 4zM16 9a5 5 0 0 1 0 6' }]],
  words: ['sfx', 'foley'],
  modelWords: ['effect'],
  parameters: [
    {
      name: 'length',
      label: 'Length',
      help: 'Length in seconds.',
      aliases: [],
      type: 'number',
      min: 0.5,
      max: 30,
      unit: 's',
    },
    {
      name: 'surface',
      label: 'Surface',
      help: 'What is walked on.',
      aliases: ['ground'],
      type: 'choice',
      choices: ['gravel', 'wood'],
    },
  ],
  atHand: ['length', 'surface'],
  fieldsWithoutColumn: [],
  medium: 'sound',
  prompt: () => 'usual',
  // The reference shows no path, and nothing can be assumed.
  paths: [{ name: 'effectSubmit', label: 'Send sound effects', default: '' }],
  seconds: ({ length }) => (typeof length === 'number' ? length : null),
};
