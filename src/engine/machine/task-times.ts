import type { Random } from '../base/ports.ts';

/** How long the recent tasks of a model took, ms from acceptance to result. */
export interface TaskTimes {
  readonly usual: number;
  /** One in ten took less than `early`, one in twenty more than `late`. Null while too few are known to say so. */
  readonly bulk: { readonly early: number; readonly late: number } | null;
}

/** Fewer than this tell what is usual, but not how far tasks differ. */
export const SAMPLES_OF_A_BULK = 5;

/** What the times of a model's recent tasks come to; null for none. */
export function taskTimes(samples: readonly number[]): TaskTimes | null {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number): number | undefined => sorted[Math.floor(share * sorted.length)];
  const [early, usual, late] = [at(0.1), at(0.5), at(0.95)];
  if (early === undefined || usual === undefined || late === undefined) return null;
  return { usual, bulk: sorted.length < SAMPLES_OF_A_BULK ? null : { early, late } };
}

const LONGEST_WAIT_MS = 30_000;

/** When to look at a task first, ms after it was accepted: at half of what is usual for its model. */
export function firstPollDelay(times: TaskTimes | null): number {
  if (times === null) return 3000;
  const half = times.usual / 2;
  // Not twice in a moment: where the bulk begins just after, it is early enough to look then.
  const early = times.bulk === null ? half : times.bulk.early;
  return Math.max(500, early - half <= bulkWait(times) ? early : half);
}

/** A task that is followed, at the time of a look that found it running. */
export interface Look {
  /** Since the task was accepted, ms. */
  readonly elapsed: number;
  /** Looks before this one. */
  readonly polls: number;
  /** A shot waits for the place of this task at the service. */
  readonly isAwaited?: boolean;
}

/**
 * Wait before the next look at a task, ms. Where most tasks of its model end, we look often and evenly; before that
 * hardly ever; and behind it the more rarely the longer it has taken, at most 30 s apart. What is given in polls for
 * the few that end early or late buys a short delay for the many. Steered by the time since acceptance alone, so a
 * restart goes on as it was. While too little is known: 3 s x 1.5^n, at most 30 s, ±20 %, n being the polls so far.
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
  // No jitter: polls are spaced where they are sent, and a wait that is longer by chance makes results late.
  return within(1000, close + 0.02 * Math.max(0, elapsed - late), LONGEST_WAIT_MS);
}

/** An empty place costs more than polls: at a twenty-fifth of a task's time, it is empty for a fiftieth on average. */
function longestAwaited(times: TaskTimes | null, { elapsed }: Look): number {
  if (!times?.bulk) return Math.max(1000, elapsed / 10);
  return Math.max(1000, times.usual / (elapsed < times.bulk.early ? 8 : 25));
}

/**
 * Wait between two looks within the bulk, ms: 6.3 s, but a third of what is usual where that is seconds, and a sixtieth
 * where it is many minutes. The spread does not count: when all of a batch run at once, the first to end are alike.
 */
const bulkWait = ({ usual }: TaskTimes): number =>
  within(1000, Math.max(Math.min(6300, usual / 3), usual / 60), LONGEST_WAIT_MS);

const within = (least: number, value: number, most: number): number => Math.min(most, Math.max(least, value));
