import type { Random } from '../base/ports.ts';

/** How long the recent tasks of a model took, ms from acceptance to result. */
export interface TaskTimes {
  readonly usual: number;
  /** One in ten took less than `early`, one in twenty more than `late`. Null while too few are known. */
  readonly bulk: { readonly early: number; readonly late: number } | null;
}

/** Fewer times than this show what is usual, but not how far tasks differ. */
export const SAMPLES_OF_A_BULK = 5;

/** Summary of the times of a model's recent tasks; null for none. */
export function taskTimes(samples: readonly number[]): TaskTimes | null {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number): number | undefined => sorted[Math.floor(share * sorted.length)];
  const [early, usual, late] = [at(0.1), at(0.5), at(0.95)];
  if (early === undefined || usual === undefined || late === undefined) return null;
  return { usual, bulk: sorted.length < SAMPLES_OF_A_BULK ? null : { early, late } };
}

const LONGEST_WAIT_MS = 30_000;

/** When to look at a task first, ms after it was accepted: after half of the usual time of its model. */
export function firstPollDelay(times: TaskTimes | null): number {
  if (times === null) return 3000;
  const half = times.usual / 2;
  // Not twice within a moment: when most tasks end shortly after, look then.
  const early = times.bulk === null ? half : times.bulk.early;
  return Math.max(500, early - half <= bulkWait(times) ? early : half);
}

/** A task that is followed, at the time of a look that found it still running. */
export interface Look {
  /** Since the task was accepted, ms. */
  readonly elapsed: number;
  /** Looks before this one. */
  readonly polls: number;
  /** A shot waits for the place of this task at the service. */
  readonly isAwaited?: boolean;
}

/**
 * Wait before the next look at a task, ms. Looks are frequent and even where most tasks of its model end, rare before
 * that, and rarer and rarer after it, at most 30 s apart. This spends few polls on the tasks that end early or late,
 * for a short delay of the many. It depends only on the time since acceptance, so a restart changes nothing. While too
 * little is known: 3 s x 1.5^n, at most 30 s, ±20 %, n being the polls so far.
 */
export function nextPollDelay(times: TaskTimes | null, look: Look, random: Random): number {
  const wait = usualWait(times, look, random);
  return look.isAwaited === true ? Math.min(wait, longestAwaited(times, look)) : wait;
}

function usualWait(times: TaskTimes | null, { elapsed, polls }: Look, random: Random): number {
  if (!times?.bulk) return Math.min(LONGEST_WAIT_MS, 3000 * 1.5 ** polls) * (0.8 + 0.4 * random());
  const { early, late } = times.bulk;
  const close = bulkWait(times);
  if (elapsed < early) return within(close, early - elapsed, LONGEST_WAIT_MS);
  // No jitter: polls are spaced when they are sent, and random extra waits would delay results.
  return within(1000, close + 0.02 * Math.max(0, elapsed - late), LONGEST_WAIT_MS);
}

/**
 * An empty place costs more than polls: with looks each twenty-fifth of a task's time, a place is empty for a fiftieth
 * on average.
 */
function longestAwaited(times: TaskTimes | null, { elapsed }: Look): number {
  if (!times?.bulk) return Math.max(1000, elapsed / 10);
  return Math.max(1000, times.usual / (elapsed < times.bulk.early ? 8 : 25));
}

/**
 * Wait between two looks while most tasks end, ms: 6.3 s, but a third of the usual time when that is seconds, and a
 * sixtieth when it is many minutes. The spread does not count: when a whole batch runs in parallel, the first tasks to
 * end are alike.
 */
const bulkWait = ({ usual }: TaskTimes): number =>
  within(1000, Math.max(Math.min(6300, usual / 3), usual / 60), LONGEST_WAIT_MS);

const within = (least: number, value: number, most: number): number => Math.min(most, Math.max(least, value));
