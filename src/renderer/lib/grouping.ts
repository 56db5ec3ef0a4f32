import { nameOrder, t } from '../../contract/messages/words.ts';
import type { Grouping } from '../../contract/review.ts';

export const takeGroupings = ['batch', 'shot', 'model', 'verdict', 'tag'] as const;

export type GroupBy = (typeof takeGroupings)[number];
type GroupedBy<By extends GroupBy> = { readonly by: By } | Extract<Grouping, { by: 'column' }>;

const OF_COLUMN = 'column:';

export const groupingName = (group: GroupedBy<GroupBy> | undefined): string =>
  group === undefined ? '' : group.by === 'column' ? OF_COLUMN + group.column : group.by;

export function groupingNamed<By extends GroupBy>(
  name: string | undefined,
  known: readonly By[],
): GroupedBy<By> | undefined {
  if (name?.startsWith(OF_COLUMN) && name.length > OF_COLUMN.length) {
    return { by: 'column', column: name.slice(OF_COLUMN.length) };
  }
  const by = known.find((each) => each === name);
  return by && { by };
}

export function groupTitle(group: Grouping, name: string): string {
  if (group.by === 'verdict') return t('review.groupOfFlag', { flag: name });
  if (name !== '') return name;
  return group.by === 'column' ? t('review.groupWithoutColumn', { column: group.column }) : t('review.groupWithoutTag');
}

/** The order of groups: by name, what has none last. */
export function groupOrder(): (one: string, other: string) => number {
  const names = nameOrder();
  return (one, other) => Number(one === '') - Number(other === '') || names.compare(one, other);
}
