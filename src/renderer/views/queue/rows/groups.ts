import { say } from '../../../../contract/messages/words.ts';
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
  { name: 'under-way', title: say('queue.groupUnderWay'), tone: 'working', empty: say('queue.groupUnderWayEmpty') },
  { name: 'undecided', title: say('state.needsDecision'), tone: 'unsure', empty: say('queue.groupUndecidedEmpty') },
  { name: 'failed', title: say('state.failed'), tone: 'bad', empty: say('queue.groupFailedEmpty') },
  { name: 'waiting', title: say('state.waiting'), tone: 'waiting', empty: say('queue.groupWaitingEmpty') },
  { name: 'done', title: say('queue.groupDone'), tone: 'good', empty: say('queue.groupDoneEmpty') },
];

export const isGroupName = (name: string | undefined): name is GroupName => groups.some((group) => group.name === name);

/** The group of a job. A held job waits, whatever happened to it before; one that was set aside is finished. */
export function groupOf(job: Pick<JobView, 'state' | 'standing' | 'paused' | 'isSetAside'>): GroupName {
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
