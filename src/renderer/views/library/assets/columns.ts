import { say } from '../../../../contract/messages/words.ts';
import type { GridColumn } from '../../../lib/grid/columns.ts';

export interface Column extends GridColumn {
  readonly name: 'name' | 'standing' | 'type' | 'meant' | 'group' | 'size' | 'added';
  /** Shown in lists at least this wide, pixels. */
  readonly from: number;
}

const columns: readonly Column[] = [
  { name: 'name', title: say('common.name'), width: 'minmax(160px, 3fr)', from: 0 },
  { name: 'standing', title: say('library.atService'), width: 'minmax(112px, 1.4fr)', from: 0 },
  { name: 'type', title: say('library.type'), width: '52px', from: 560 },
  { name: 'meant', title: say('library.uploadedAs'), width: 'minmax(104px, 1.2fr)', from: 680 },
  { name: 'group', title: say('library.group'), width: 'minmax(80px, 1fr)', from: 820 },
  { name: 'size', title: say('common.size'), width: '72px', right: true, from: 430 },
  { name: 'added', title: say('library.added'), width: '84px', right: true, from: 900 },
];

/** What fits into a list `width` pixels wide. */
export const columnsFor = (width: number): readonly Column[] => columns.filter(({ from }) => width >= from);
