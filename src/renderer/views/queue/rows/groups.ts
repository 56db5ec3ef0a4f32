import { isUnsent, type JobView } from '../../../../contract/job.ts';
import type { Tone } from '../../../lib/words.ts';

/** What a person asks of the queue, one answer each. */
export type GroupName = 'under-way' | 'undecided' | 'failed' | 'waiting' | 'done';

interface GroupWords {
  readonly name: GroupName;
  readonly title: string;
  readonly tone: Tone;
  /** Said when there is nothing in it. */
  readonly empty: string;
}

/** In the order of the tabs. */
export const groups: readonly GroupWords[] = [
  { name: 'under-way', title: 'Under way', tone: 'working', empty: 'Nothing is under way.' },
  { name: 'undecided', title: 'Needs a decision', tone: 'unsure', empty: 'Nothing needs a decision.' },
  { name: 'failed', title: 'Failed', tone: 'bad', empty: 'Nothing has failed.' },
  { name: 'waiting', title: 'Waiting', tone: 'waiting', empty: 'Nothing waits.' },
  { name: 'done', title: 'Done', tone: 'good', empty: 'Nothing is done yet.' },
];

export const isGroupName = (name: string | undefined): name is GroupName => groups.some((group) => group.name === name);

/** Where a job is found. What is held back waits, whatever it had come to before; what was set aside is done with. */
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
