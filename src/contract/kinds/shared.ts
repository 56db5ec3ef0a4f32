import { allKinds } from './all.ts';
import { column, type Parameter } from './spec.ts';

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

export const promptColumn: SharedColumn = column('prompt', 'common.prompt', 'columnHelp.prompt', {
  aliases: ['text', 'description', '提示词'],
  type: 'long_text',
});

/** Columns that come before a kind's own in the template. */
export const leadingColumns: readonly SharedColumn[] = [
  column('shot', 'common.shot', 'columnHelp.shot', {
    aliases: ['shot_id', 'id', 'code', 'name', '镜头', '镜号'],
    type: 'text',
  }),
  column('kind', 'common.kind', 'columnHelp.kind', {
    aliases: ['type', 'media', '类型'],
    type: 'choice',
    choices: allKinds.map(({ kind }) => kind),
    open: false,
  }),
  column('model', 'common.model', 'columnHelp.model', { aliases: ['model_id', '模型'], type: 'text', isUsual: true }),
  promptColumn,
  column('takes', 'column.takes', 'columnHelp.takes', {
    aliases: ['count', 'variations', '条数', '镜次数'],
    type: 'integer',
    min: 1,
    max: 100,
    isUsual: true,
  }),
];

/** Columns that come after a kind's own in the template. None of them decides what is made. */
export const trailingColumns: readonly SharedColumn[] = [
  column('file_name', 'column.fileName', 'columnHelp.fileName', {
    aliases: ['output', 'output_name', '文件名'],
    type: 'text',
  }),
  column('priority', 'column.priority', 'columnHelp.priority', {
    aliases: ['prio', '优先级'],
    type: 'integer',
    min: -1_000_000,
    max: 1_000_000,
  }),
  column('skip', 'column.skip', 'columnHelp.skip', { aliases: ['leave_out', 'omit', '跳过'], type: 'boolean' }),
  column('notes', 'column.notes', 'columnHelp.notes', { aliases: ['note', 'comment', '备注'], type: 'long_text' }),
  column('group', 'column.assetGroup', 'columnHelp.group', {
    aliases: ['asset_group', 'group_id', '素材组'],
    type: 'text',
  }),
  column('callback_url', 'column.callbackUrl', 'columnHelp.callbackUrl', {
    aliases: ['notify_url', '回调地址'],
    type: 'text',
  }),
];

export const sharedColumns: readonly SharedColumn[] = [...leadingColumns, ...trailingColumns];
