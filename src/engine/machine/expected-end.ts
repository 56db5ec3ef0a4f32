import type { TimeSpan } from '../../contract/job.ts';
import type { Random } from '../base/ports.ts';

export interface ModelWork {
  readonly model: string;
  readonly waiting: number;
  readonly running: number;
  readonly times: readonly number[];
  /** How many of its tasks the service runs in parallel; null while it has refused none. */
  readonly places: number | null;
}

export interface Work {
  readonly models: readonly ModelWork[];
  readonly submitsPerSecond: number;
  /** Nothing is sent for so many ms: until a night window opens. */
  readonly opensIn?: number;
}

const RUNS = 40;
/** Takes that are simulated one by one; the rest is extrapolated. */
const MAX_TAKES = 500;

/**
 * How long the work takes, ms from now: in half of all simulations less than `usual`, in one of ten less than `early`
 * or more than `late`. Each simulation draws the times of its tasks from the learned ones, with repeats, so that few of
 * them give a wide span. Null when one of the models has too few. The same work gives the same answer. Pure.
 */
export function expectedSpan({ models, submitsPerSecond, opensIn = 0 }: Work): TimeSpan | null {
  const left = models.filter(({ waiting, running }) => waiting + running > 0);
  if (left.length === 0 || left.some(({ times }) => times.length < SAMPLES_OF_A_BULK)) return null;
  const random = seeded();
  const ends = Array.from({ length: RUNS }, () => played(left, 1000 / submitsPerSecond, random)).sort((a, b) => a - b);
  const waits = left.some(({ waiting }) => waiting > 0) ? Math.max(0, opensIn) : 0;
  const at = (share: number): number => Math.round(waits + (ends[Math.floor(share * RUNS)] ?? 0));
  return { early: at(0.1), usual: at(0.5), late: at(0.9) };
}

interface Line {
  left: number;
  readonly takes: number;
  /** When each place at the service is free, ms; null when there is no known limit. */
  readonly places: number[] | null;
  readonly draw: () => number;
}

function played(models: readonly ModelWork[], spaceMs: number, random: () => number): number {
  const waiting = models.reduce((sum, model) => sum + model.waiting, 0);
  const scale = Math.max(1, waiting / MAX_TAKES);
  let end = 0;
  const lines = models.map((model): Line => {
    const seen = model.times.map(() => pick(model.times, random));
    const draw = (): number => pick(seen, random);
    // How long they have been running is unknown: each is at a random point of its time.
    const running = Array.from({ length: model.running }, () => draw() * random());
    end = Math.max(end, ...running);
    const takes = Math.ceil(model.waiting / scale);
    return { left: takes, takes, places: model.places === null ? null : placesFor(model.places, running), draw };
  });
  let sentAt = 0;
  let lastStart = 0;
  let tail = 0;
  for (;;) {
    const next = nextLine(lines, sentAt);
    if (!next) break;
    const { line, place, at } = next;
    const took = line.draw();
    if (line.places) line.places[place] = at + took;
    line.left -= 1;
    sentAt = at + spaceMs;
    lastStart = Math.max(lastStart, at);
    tail = Math.max(tail, at + took);
  }
  // The simulated takes stand for all: starts are spread over the longer time, and the last takes end in the same way.
  return Math.max(end, lastStart * scale + (tail - lastStart));
}

/** Which take goes next, to which place and when: the soonest; of several, the line with the largest share left. */
function nextLine(lines: readonly Line[], sentAt: number) {
  let best: { readonly line: Line; readonly place: number; readonly at: number } | null = null;
  for (const line of lines) {
    if (line.left === 0) continue;
    const place = line.places ? firstFree(line.places) : 0;
    const at = Math.max(sentAt, line.places?.[place] ?? 0);
    const isSooner = best === null || at < best.at;
    const isDue = best !== null && at === best.at && line.left / line.takes > best.line.left / best.line.takes;
    if (isSooner || isDue) best = { line, place, at };
  }
  return best;
}

function placesFor(count: number, running: readonly number[]): number[] {
  const places = new Array<number>(Math.max(1, count)).fill(0);
  const taken = running.toSorted((a, b) => a - b);
  // More run than there are known places: the first ones to end free no place.
  return places.map((free, index) => taken.at(-1 - index) ?? free);
}

function firstFree(places: readonly number[]): number {
  let first = 0;
  places.forEach((at, index) => {
    if (at < (places[first] ?? 0)) first = index;
  });
  return first;
}

const pick = (values: readonly number[], random: () => number): number =>
  values[Math.floor(random() * values.length)] ?? 0;

/** The same draws for the same work, so that an estimate does not flicker. */
function seeded(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The takes of the last minutes: how many were saved, and when the first of them was, ms. */
export interface Pace {
  readonly takes: number;
  readonly since: number;
}

/** Fewer takes than this say nothing about the pace. */
const ENOUGH = 3;
/** In a normal spread, one in ten is below so many deviations less, and one in ten above so many more. */
const ONE_IN_TEN = 1.28;

/** How long the unfinished takes need at the last minutes' pace, ms; null while too few were saved to say. */
export function spanByPace(unfinished: number, saved: Pace, now: number): TimeSpan | null {
  if (unfinished === 0 || saved.takes < ENOUGH) return null;
  // What came before the first of them is unknown: it marks the beginning, and the others came after it.
  const count = saved.takes - 1;
  const usual = (unfinished * (now - saved.since)) / count;
  const spread = 1 + ONE_IN_TEN / Math.sqrt(count);
  return { early: usual / spread, usual, late: usual * spread };
}

export interface TaskTimes {
  readonly usual: number;
  /** One in ten took less than `early`, one in twenty more than `late`. Null while too few are known. */
  readonly bulk: { readonly early: number; readonly late: number } | null;
}

/** Fewer times than this show what is usual, but not how far tasks differ. */
const SAMPLES_OF_A_BULK = 5;

export function taskTimes(samples: readonly number[]): TaskTimes | null {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number): number | undefined => sorted[Math.floor(share * sorted.length)];
  const [early, usual, late] = [at(0.1), at(0.5), at(0.95)];
  if (early === undefined || usual === undefined || late === undefined) return null;
  return { usual, bulk: sorted.length < SAMPLES_OF_A_BULK ? null : { early, late } };
}

const MAX_WAIT_MS = 30_000;

/** When to look at a task first, ms after it was accepted: after half of the usual time of its model. */
export function firstPollDelay(times: TaskTimes | null): number {
  if (times === null) return 3000;
  const half = times.usual / 2;
  // Not twice within a moment: when most tasks end shortly after, look then.
  const early = times.bulk === null ? half : times.bulk.early;
  return Math.max(500, early - half <= bulkWait(times) ? early : half);
}

interface Look {
  /** Since the task was accepted, ms. */
  readonly elapsed: number;
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
  if (!times?.bulk) return Math.min(MAX_WAIT_MS, 3000 * 1.5 ** polls) * (0.8 + 0.4 * random());
  const { early, late } = times.bulk;
  const close = bulkWait(times);
  if (elapsed < early) return within(close, early - elapsed, MAX_WAIT_MS);
  // No jitter: polls are spaced when they are sent, and random extra waits would delay results.
  return within(1000, close + 0.02 * Math.max(0, elapsed - late), MAX_WAIT_MS);
}

/** An empty place costs more than polls: with looks each twenty-fifth of a task's time it is empty for a fiftieth. */
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
  within(1000, Math.max(Math.min(6300, usual / 3), usual / 60), MAX_WAIT_MS);

const within = (least: number, value: number, most: number): number => Math.min(most, Math.max(least, value));
