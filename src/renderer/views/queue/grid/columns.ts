import { t } from '../../../../contract/messages/words.ts';
import type { GroupName } from '../rows/groups.ts';

const elapsedTitles: Readonly<Record<GroupName, string>> = {
  'under-way': t('queue.elapsed'),
  undecided: t('queue.since'),
  failed: t('queue.since'),
  waiting: t('queue.waitingSince'),
  done: t('queue.doneAt'),
};

/** The columns of a group in a list so many pixels wide: what matters less is shown from a larger width on. */
export function columnsFor(group: GroupName, width: number) {
  const isReasoned = group === 'undecided' || group === 'failed';
  const isMoving = group === 'under-way' || group === 'waiting';
  const leastShot = group === 'done' ? 156 : 88;
  const columns = [
    { name: 'state', title: t('common.state'), width: isReasoned ? '172px' : '116px', from: 0 },
    { name: 'shot', title: t('common.shot'), width: `minmax(${leastShot}px, 1.4fr)`, from: 0 },
    { name: 'take', title: t('common.take'), width: '40px', right: true, from: 0 },
    { name: 'kind', title: t('common.kind'), width: width >= 1040 ? '72px' : '40px', from: 660 },
    { name: 'model', title: t('common.model'), width: 'minmax(96px, 1fr)', from: 870 },
    {
      name: 'text',
      title: t(isReasoned ? 'queue.reason' : 'common.prompt'),
      width: `minmax(96px, ${isReasoned ? 5 : 3}fr)`,
      from: 600,
    },
    isReasoned && { name: 'cost', title: t('common.cost'), width: '104px', from: 760 },
    { name: 'elapsed', title: elapsedTitles[group], width: '100px', right: true, from: 0 },
    isMoving && { name: 'expected', title: t('queue.expected'), width: '88px', right: true, from: 690 },
    { name: 'batch', title: t('queue.projectAndBatch'), width: 'minmax(120px, 2.4fr)', from: 1040 },
  ] as const;
  return columns.filter((column) => column !== false).filter(({ from }) => width >= from);
}
