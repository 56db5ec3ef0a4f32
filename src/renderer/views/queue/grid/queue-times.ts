import { createContext } from 'svelte';
import type { JobView } from '../../../../contract/job.ts';
import type { Start } from '../rows/pace.ts';

/** What rows need to know about time beyond their own job. */
export interface QueueTimes {
  startOf(job: JobView): Start | undefined;
  /** When it is probably done, ms; null when nothing tells. */
  expectedAt(job: JobView): number | null;
}

/** Handed down by the view, so that no list in between has to pass it on. */
export const [queueTimes, provideQueueTimes] = createContext<QueueTimes>();
