import { say } from '../../../contract/messages/words.ts';
import type { Grouping } from '../../../contract/review.ts';

/** What takes can be put together by besides columns, in the order in which it is offered. */
export const groupings = ['batch', 'shot', 'model', 'verdict', 'tag'] as const;

const OF_COLUMN = 'column:';

/** A grouping as the address has it. */
export const groupingName = (group: Grouping | undefined): string =>
  group === undefined ? '' : group.by === 'column' ? OF_COLUMN + group.column : group.by;

/** A grouping by that name; undefined for none. Pure. */
export function groupingNamed(name: string | undefined): Grouping | undefined {
  if (name?.startsWith(OF_COLUMN) && name.length > OF_COLUMN.length) {
    return { by: 'column', column: name.slice(OF_COLUMN.length) };
  }
  const by = groupings.find((each) => each === name);
  return by && { by };
}

/** Heading of a group, by what its takes have in common. */
export function groupTitle(group: Grouping, name: string): string {
  if (group.by === 'verdict') return say('review.groupOfFlag', { flag: name });
  if (name !== '') return name;
  return group.by === 'column'
    ? say('review.groupWithoutColumn', { column: group.column })
    : say('review.groupWithoutTag');
}
