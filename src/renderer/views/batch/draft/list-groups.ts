import type { DraftColumn } from '../../../../contract/batch.ts';
import type { Kind } from '../../../../contract/kinds/kind.ts';
import { kindLabel } from '../../../../contract/kinds/index.ts';
import { t, sayText } from '../../../../contract/messages/words.ts';
import { groupingName, groupingNamed, rowGroupings, type RowGrouping } from '../../../lib/grouping.ts';
import { columnKeys, columnNamed, type ColumnText } from './columns.ts';
import { columnLayouts, type ArrangedList } from './kept-layouts.svelte.ts';

interface ListToGroup {
  readonly columns: readonly DraftColumn[];
  readonly defaults: Readonly<Record<string, string>>;
  readonly text: (row: number, column: number) => string;
  readonly kindOf: (row: number) => Kind | null;
}

export function ownColumns(
  columns: readonly DraftColumn[],
): readonly { readonly column: string; readonly label: string; readonly index: number }[] {
  const keys = columnKeys(columns.map(({ header }) => header));
  return columns.flatMap(({ header, column, isExtra }, index) => {
    const isOwn = (column === null || isExtra) && header.trim() !== '';
    return isOwn ? [{ column: keys[index] ?? '', label: header, index }] : [];
  });
}

/** The stored grouping of a list; empty for none, and for a column that no longer exists. */
export function keptGrouping(list: ArrangedList, columns: readonly DraftColumn[]): string {
  const grouping = groupingNamed(columnLayouts.of(list).group, rowGroupings);
  const isGone = grouping?.by === 'column' && columnFor(grouping, columns) < 0;
  return isGone ? '' : groupingName(grouping);
}

export function keepGrouping(list: ArrangedList, name: string): void {
  columnLayouts.set(list, { ...columnLayouts.of(list), group: name });
}

export function decidingColumns(grouping: RowGrouping, columns: readonly DraftColumn[]): readonly number[] {
  const named = (name: string) => columnNamed(columns, name);
  const places = { kind: () => [named('kind'), named('model')], model: () => [named('model')] };
  return (grouping.by === 'column' ? [columnFor(grouping, columns)] : places[grouping.by]()).filter((at) => at >= 0);
}

const columnFor = (grouping: RowGrouping, columns: readonly DraftColumn[]): number =>
  ownColumns(columns).find(({ column }) => grouping.by === 'column' && column === grouping.column)?.index ?? -1;

/** Names the group of each row; empty for none. */
export function groupNames(grouping: RowGrouping, list: ListToGroup): (row: number) => string {
  if (grouping.by === 'kind') return (row) => list.kindOf(row) ?? '';
  const [column = -1] = decidingColumns(grouping, list.columns);
  const otherwise = grouping.by === 'model' ? (list.defaults['model'] ?? '') : '';
  return (row) => list.text(row, column).trim() || otherwise;
}

/** The cells that a new row needs to be in a group; none when no column of the list holds it. */
export function textsOfGroup(
  grouping: RowGrouping,
  name: string,
  columns: readonly DraftColumn[],
): readonly ColumnText[] {
  const [column] = decidingColumns(grouping, columns);
  const header = columns[column ?? -1];
  // A model in place of a kind says something else.
  if (column === undefined || header === undefined || (grouping.by === 'kind' && header.column !== 'kind')) return [];
  return [{ column, name: header.header, value: name }];
}

export function rowGroupTitle(grouping: RowGrouping, name: string, columns: readonly DraftColumn[]): string {
  if (name !== '') return grouping.by === 'kind' ? sayText(kindLabel(name)) : name;
  const labels = { kind: t('common.kind'), model: t('common.model') };
  const column = grouping.by === 'column' ? columns[columnFor(grouping, columns)]?.header : labels[grouping.by];
  return t('review.groupWithoutColumn', { column: column ?? groupingName(grouping) });
}
