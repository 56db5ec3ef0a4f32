import type { GridColumn } from '../../../lib/grid/columns.ts';

export interface Column extends GridColumn {
  readonly name: 'name' | 'standing' | 'type' | 'meant' | 'group' | 'size' | 'added';
  /** Shown in lists at least this wide, pixels. */
  readonly from: number;
}

const columns: readonly Column[] = [
  { name: 'name', title: 'Name', width: 'minmax(160px, 3fr)', from: 0 },
  { name: 'standing', title: 'At the service', width: 'minmax(112px, 1.4fr)', from: 0 },
  { name: 'type', title: 'Type', width: '52px', from: 560 },
  { name: 'meant', title: 'Uploaded as', width: 'minmax(104px, 1.2fr)', from: 680 },
  { name: 'group', title: 'Group', width: 'minmax(80px, 1fr)', from: 820 },
  { name: 'size', title: 'Size', width: '72px', right: true, from: 430 },
  { name: 'added', title: 'Added', width: '84px', right: true, from: 900 },
];

/** What fits into a list `width` pixels wide. */
export const columnsFor = (width: number): readonly Column[] => columns.filter(({ from }) => width >= from);
