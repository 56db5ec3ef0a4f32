import type { QueueView } from '../../../contract/events.ts';
import { t } from '../../../contract/messages/words.ts';
import type { AttemptView } from '../../../contract/review.ts';
import type { MarkedWord } from '../../lib/words.ts';
import { groups, type GroupName } from './groups.ts';

/** The columns of a group in a list so many pixels wide: what matters less is shown from a larger width on. */
export function columnsFor(group: GroupName, width: number) {
  const isReasoned = group === 'undecided' || group === 'failed';
  const isMoving = group === 'under-way' || group === 'waiting';
  const leastShot = group === 'done' ? 156 : 88;
  const elapsed = groups.find(({ name }) => name === group)?.elapsed ?? '';
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
    { name: 'elapsed', title: elapsed, width: '100px', right: true, from: 0 },
    isMoving && { name: 'expected', title: t('queue.expected'), width: '88px', right: true, from: 690 },
    { name: 'batch', title: t('queue.projectAndBatch'), width: 'minmax(120px, 2.4fr)', from: 1040 },
  ] as const;
  return columns.filter((column) => column !== false).filter(({ from }) => width >= from);
}

/** Whether the computer stays awake while no one uses it. Null: it is not known to be kept awake. */
export function awakeWords({ keepsAwake, onBattery }: Pick<QueueView, 'keepsAwake' | 'onBattery'>) {
  const how = onBattery ? 'battery' : keepsAwake === null ? 'unknown' : keepsAwake ? 'kept' : 'idle';
  // It can stop the queue, and a person can do something about it.
  const isWarning = onBattery || keepsAwake === null;
  return { word: t('queue.awake', { how }), meaning: t('queue.awakeMeaning', { how }), isWarning };
}

const outcomes: Readonly<Record<AttemptView['outcome'], MarkedWord>> = {
  under_way: { word: t('queue.attemptUnderWay'), tone: 'working' },
  accepted: { word: t('queue.attemptAccepted'), tone: 'good' },
  answered: { word: t('queue.attemptAnswered'), tone: 'good' },
  not_accepted: { word: t('queue.attemptNotAccepted'), tone: 'waiting' },
  refused: { word: t('queue.attemptRejected'), tone: 'bad' },
  unclear: { word: t('queue.attemptUnclear'), tone: 'unsure' },
  adopted: { word: t('queue.attemptAdopted'), tone: 'off' },
};

export function attemptWords({ outcome, failure }: Pick<AttemptView, 'outcome' | 'failure'>): MarkedWord {
  return outcome === 'accepted' && failure ? { word: t('queue.attemptFailed'), tone: 'bad' } : outcomes[outcome];
}

export function requestText({ origin, request }: Pick<AttemptView, 'origin' | 'request'>): string {
  const files = request.files.map(({ field, path }) => `${field}: ${path}`);
  return [`${request.method} ${origin}${request.path}`, JSON.stringify(request.body, null, 2), ...files].join('\n');
}
