import { t } from '../../../../contract/messages/words.ts';
import type { GroupName } from '../rows/groups.ts';

type ColumnName =
  | 'state'
  | 'track'
  | 'shot'
  | 'take'
  | 'kind'
  | 'model'
  | 'text'
  | 'elapsed'
  | 'expected'
  | 'cost'
  | 'batch';

export interface Column {
  readonly name: ColumnName;
  readonly title: string;
  /** For `grid-template-columns`. */
  readonly width: string;
  readonly right?: boolean;
}

/** From these on some columns are given more room. Pixels. */
const roomy = 760;
const wide = 1040;
/** From this on the name of a shot has room for episode, scene and number: EP101_SC004_SH0010. Pixels. */
const ample = 1200;

/** The space of a row beside its columns: its padding and the scroll bar, and the gap between two columns. Pixels. */
const AROUND = 42;
const BETWEEN = 12;
/** The picture of a take that is done, before its shot, and the gap after it. Pixels. */
const PICTURE = 68;

/** Those that are left out where there is no room, the first of them first; all others always are there. */
const leastOfAll: readonly ColumnName[] = ['batch', 'track', 'model', 'cost', 'expected', 'kind', 'text'];

/** The columns of a group in a list so many pixels wide: as many as fit, and what matters least goes first. */
export function columnsFor(group: GroupName, width: number): readonly Column[] {
  const all = allColumns(group, width);
  const isThere = (name: ColumnName) => all.some((column) => column.name === name);
  const inTheWay = leastOfAll.filter(isThere);
  for (let left = 0; left <= inTheWay.length; left += 1) {
    const columns = all.filter(({ name }) => !inTheWay.slice(0, left).includes(name));
    if (leastWidth(columns) <= width) return columns;
  }
  return all.filter(({ name }) => !inTheWay.includes(name));
}

function allColumns(group: GroupName, width: number): Column[] {
  const reasoned = group === 'undecided' || group === 'failed';
  const moving = group === 'under-way' || group === 'waiting';
  const leastShot = (width >= ample ? 136 : reasoned ? 72 : 88) + (group === 'done' ? PICTURE : 0);
  const columns: (Column | false)[] = [
    { name: 'state', title: t('common.state'), width: reasoned ? '172px' : '116px' },
    group !== 'waiting' && group !== 'done' && { name: 'track', title: t('queue.stage'), width: '72px' },
    { name: 'shot', title: t('common.shot'), width: `minmax(${leastShot}px, ${group === 'done' ? 2.4 : 1.2}fr)` },
    { name: 'take', title: t('common.take'), width: '40px', right: true },
    { name: 'kind', title: t('common.kind'), width: width >= wide ? '72px' : '40px' },
    { name: 'model', title: t('common.model'), width: 'minmax(96px, 1fr)' },
    {
      name: 'text',
      title: reasoned ? t('queue.reason') : t('common.prompt'),
      width: reasoned ? 'minmax(96px, 5fr)' : 'minmax(96px, 3fr)',
    },
    reasoned && { name: 'cost', title: t('common.cost'), width: '104px' },
    { name: 'elapsed', title: elapsedTitles[group], width: width >= roomy ? '100px' : '80px', right: true },
    moving && { name: 'expected', title: t('queue.expected'), width: '88px', right: true },
    width >= wide && { name: 'batch', title: t('queue.projectAndBatch'), width: 'minmax(120px, 2.4fr)' },
  ];
  return columns.filter((column) => column !== false);
}

/** The first number of a width is the least it can be. */
const leastWidth = (columns: readonly Column[]): number =>
  columns.reduce((sum, { width }) => sum + Number.parseFloat(width.replace('minmax(', '')), 0) +
  BETWEEN * (columns.length - 1) +
  AROUND;

const elapsedTitles: Readonly<Record<GroupName, string>> = {
  'under-way': t('queue.elapsed'),
  undecided: t('queue.since'),
  failed: t('queue.since'),
  waiting: t('queue.waitingSince'),
  done: t('queue.doneAt'),
};
