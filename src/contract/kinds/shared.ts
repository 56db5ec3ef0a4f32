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
  | 'wait_for'
  | 'notes'
  | 'group'
  | 'callback_url';

/** A column every kind has. Described like a parameter, so that headers, checks and the template treat both alike. */
export type SharedColumn = Parameter & { readonly name: SharedColumnName };

/** What a row may wait for: a pick of each shot that it names, or a person's release. */
export const WAITS = ['pick', 'release'] as const;

export const promptColumn: SharedColumn = column('prompt', ['text', 'description', '提示词'], {
  label: 'common.prompt',
  type: 'long_text',
});

/** Columns that come before a kind's own in the template. */
export const leadingColumns: readonly SharedColumn[] = [
  column('shot', ['shot_id', 'id', 'code', 'name', '镜头', '镜号'], { label: 'common.shot', type: 'text' }),
  column('kind', ['type', 'media', '类型'], {
    label: 'common.kind',
    type: 'choice',
    choices: allKinds.map(({ kind }) => kind),
  }),
  column('model', ['model_id', '模型'], { label: 'common.model', type: 'text', isUsual: true }),
  promptColumn,
  column('takes', ['count', 'variations', '条数', '镜次数'], { type: 'integer', min: 1, max: 100, isUsual: true }),
];

/** Columns that come after a kind's own in the template. None of them decides what is made. */
export const trailingColumns: readonly SharedColumn[] = [
  column('file_name', ['output', 'output_name', '文件名'], { type: 'text' }),
  column('priority', ['prio', '优先级'], { type: 'integer', min: -1_000_000, max: 1_000_000 }),
  column('skip', ['leave_out', 'omit', '跳过'], { type: 'boolean' }),
  column('wait_for', ['等待'], { type: 'choice', choices: WAITS, isUsual: true }),
  column('notes', ['note', 'comment', '备注'], { type: 'long_text' }),
  column('group', ['asset_group', 'group_id', '素材组'], { label: 'column.assetGroup', type: 'text' }),
  column('callback_url', ['notify_url', '回调地址'], { type: 'text' }),
];

export const sharedColumns: readonly SharedColumn[] = [...leadingColumns, ...trailingColumns];
