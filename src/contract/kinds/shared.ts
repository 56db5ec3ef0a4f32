import { messageFor } from '../messages/message-for.ts';
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
  label: messageFor('column.prompt'),
  help: messageFor('columnHelp.prompt'),
  aliases: ['text', 'description', '提示词'],
  type: 'long_text',
};

/** Columns that come before a kind's own in the template. */
export const leadingColumns: readonly SharedColumn[] = [
  {
    name: 'shot',
    label: messageFor('column.shot'),
    help: messageFor('columnHelp.shot'),
    aliases: ['shot_id', 'id', 'code', 'name', '镜头', '镜号'],
    type: 'text',
  },
  {
    name: 'kind',
    label: messageFor('column.kind'),
    help: messageFor('columnHelp.kind'),
    aliases: ['type', 'media', '类型'],
    type: 'choice',
    choices: allKinds.map(({ kind }) => kind),
    open: false,
  },
  {
    name: 'model',
    label: messageFor('column.model'),
    help: messageFor('columnHelp.model'),
    aliases: ['model_id', '模型'],
    type: 'text',
    isUsual: true,
  },
  promptColumn,
  {
    name: 'takes',
    label: messageFor('column.takes'),
    help: messageFor('columnHelp.takes'),
    aliases: ['count', 'variations', '条数', '镜次数'],
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
    label: messageFor('column.fileName'),
    help: messageFor('columnHelp.fileName'),
    aliases: ['output', 'output_name', '文件名'],
    type: 'text',
  },
  {
    name: 'priority',
    label: messageFor('column.priority'),
    help: messageFor('columnHelp.priority'),
    aliases: ['prio', '优先级'],
    type: 'integer',
    min: -1_000_000,
    max: 1_000_000,
  },
  {
    name: 'skip',
    label: messageFor('column.skip'),
    help: messageFor('columnHelp.skip'),
    aliases: ['leave_out', 'omit', '跳过'],
    type: 'boolean',
  },
  {
    name: 'notes',
    label: messageFor('column.notes'),
    help: messageFor('columnHelp.notes'),
    aliases: ['note', 'comment', '备注'],
    type: 'long_text',
  },
  {
    name: 'group',
    label: messageFor('column.assetGroup'),
    help: messageFor('columnHelp.group'),
    aliases: ['asset_group', 'group_id', '素材组'],
    type: 'text',
  },
  {
    name: 'callback_url',
    label: messageFor('column.callbackUrl'),
    help: messageFor('columnHelp.callbackUrl'),
    aliases: ['notify_url', '回调地址'],
    type: 'text',
  },
];

export const sharedColumns: readonly SharedColumn[] = [...leadingColumns, ...trailingColumns];
