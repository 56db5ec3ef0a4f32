import { allKinds } from './all.ts';
import type { Parameter } from './spec.ts';

export type SharedColumnName =
  | 'shot'
  | 'kind'
  | 'model'
  | 'prompt'
  | 'takes'
  | 'file_name'
  | 'priority'
  | 'skip'
  | 'notes'
  | 'group'
  | 'callback_url';

/** A column every kind has. Described like a parameter, so that headers, checks and the template treat both alike. */
export type SharedColumn = Parameter & { readonly name: SharedColumnName };

export const promptColumn: SharedColumn = {
  name: 'prompt',
  label: 'Prompt',
  help: 'What to make, or to say. May name references by @alias.',
  aliases: ['text', 'description'],
  type: 'long_text',
};

/** Columns that come before a kind's own in the template. */
export const leadingColumns: readonly SharedColumn[] = [
  {
    name: 'shot',
    label: 'Shot',
    help: 'Key of the shot: text, unique in the list. Rows without one are numbered 0001, 0002, … by their place.',
    aliases: ['shot_id', 'id', 'code', 'name'],
    type: 'text',
  },
  {
    name: 'kind',
    label: 'Kind',
    help: 'What the row asks for; without it the model decides, else the batch.',
    aliases: ['type', 'media'],
    type: 'choice',
    choices: allKinds.map(({ kind }) => kind),
    open: false,
  },
  {
    name: 'model',
    label: 'Model',
    help: 'Model id, as the service lists it for your account. Typography needs none.',
    aliases: ['model_id'],
    type: 'text',
    isUsual: true,
  },
  promptColumn,
  {
    name: 'takes',
    label: 'Takes',
    help: 'How many takes of this row; 1 when empty. Each is a generation of its own and is paid for.',
    aliases: ['count', 'variations'],
    type: 'integer',
    min: 1,
    max: 100,
    isUsual: true,
  },
];

/** Columns that come after a kind's own in the template. None of them decides what is made. */
export const trailingColumns: readonly SharedColumn[] = [
  {
    name: 'file_name',
    label: 'File name',
    help: 'Name of the output, without its extension; by default the name template decides.',
    aliases: ['output', 'output_name'],
    type: 'text',
  },
  {
    name: 'priority',
    label: 'Priority',
    help: 'Higher goes first; 0 when empty.',
    aliases: ['prio'],
    type: 'integer',
    min: -1_000_000,
    max: 1_000_000,
  },
  {
    name: 'skip',
    label: 'Skip',
    help: 'TRUE leaves the row out.',
    aliases: ['leave_out', 'omit'],
    type: 'boolean',
  },
  {
    name: 'notes',
    label: 'Notes',
    help: 'Free text, kept with the shot.',
    aliases: ['note', 'comment'],
    type: 'long_text',
  },
  {
    name: 'group',
    label: 'Asset group',
    help: 'Asset group (id or name) that uploads of this row go to.',
    aliases: ['asset_group', 'group_id'],
    type: 'text',
  },
  {
    name: 'callback_url',
    label: 'Callback URL',
    help: 'Address that the service reports to; only for video, music and job-style images. Dailies does not wait for it.',
    aliases: ['notify_url'],
    type: 'text',
  },
];

export const sharedColumns: readonly SharedColumn[] = [...leadingColumns, ...trailingColumns];
