import { t } from '../../../../contract/messages/words.ts';
import type { QueueView } from '../../../../contract/events.ts';
import { isUnsent, type JobView } from '../../../../contract/job.ts';
import type { Tone } from '../../../lib/words.ts';

/** The groups of the queue, one for each question of a person. */
export type GroupName = 'under-way' | 'undecided' | 'failed' | 'waiting' | 'done';

interface GroupWords {
  readonly name: GroupName;
  readonly title: string;
  readonly tone: Tone;
  readonly empty: string;
}

/** In the order of the tabs. */
export const groups: readonly GroupWords[] = [
  { name: 'under-way', title: t('queue.groupUnderWay'), tone: 'working', empty: t('queue.groupUnderWayEmpty') },
  { name: 'undecided', title: t('state.needsDecision'), tone: 'unsure', empty: t('queue.groupUndecidedEmpty') },
  { name: 'failed', title: t('state.failed'), tone: 'bad', empty: t('queue.groupFailedEmpty') },
  { name: 'waiting', title: t('state.waiting'), tone: 'waiting', empty: t('queue.groupWaitingEmpty') },
  { name: 'done', title: t('queue.groupDone'), tone: 'good', empty: t('queue.groupDoneEmpty') },
];

export const isGroupName = (name: string | undefined): name is GroupName => groups.some((group) => group.name === name);

/** When a take at the service is probably done, by the usual time of its model, ms; null when that is not known. */
export function expectedAt(job: JobView, times: QueueView['taskTimes'] = []): number | null {
  const usual = times.find(({ model }) => model === job.model)?.ms;
  return usual === undefined || job.sentAt === undefined || toGroup(job) !== 'under-way' ? null : job.sentAt + usual;
}

/** The group of a job. A held job waits, whatever happened to it before; one that was set aside is finished. */
export function toGroup(job: Pick<JobView, 'state' | 'standing' | 'paused' | 'isSetAside'>): GroupName {
  if (job.isSetAside) return 'done';
  switch (job.standing) {
    case 'unknown':
      return 'undecided';
    case 'failed':
      return 'failed';
    case 'saved':
    case 'cancelled':
      return 'done';
    case 'unfinished':
      return isUnsent(job) || job.paused !== null ? 'waiting' : 'under-way';
  }
}
