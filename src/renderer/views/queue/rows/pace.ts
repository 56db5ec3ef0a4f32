import { createContext } from 'svelte';
import { isUnsent, type JobView } from '../../../../contract/job.ts';
import type { Gate } from '../../../../contract/events.ts';
import { isHeldBy } from '../../../lib/queued-words.ts';
import type { Grouped } from './grouped-jobs.ts';
import { toGroup } from './groups.ts';

const COUNT_EVERY_MS = 1000;

export interface Start {
  readonly at: number;
  /** False when it ran before the window saw it: then it began earlier. */
  readonly exact: boolean;
}

/**
 * When takes were begun, as far as this window has seen it. Not reactive: it changes only together with the lists.
 */
export class Pace {
  readonly #starts = new Map<string, Start>();
  #places: ReadonlyMap<string, number> = new Map();
  #countedAt = Number.NEGATIVE_INFINITY;

  /** Jobs that run already when they are first seen. */
  watch(jobs: readonly JobView[], now: number): void {
    for (const job of jobs) if (!this.#starts.has(job.id)) this.#starts.set(job.id, firstSeen(job, now));
  }

  note(before: JobView | undefined, job: JobView, now: number): void {
    const isUnderWay = toGroup(job) === 'under-way';
    const start = this.#starts.get(job.id);
    if (isUnderWay && start === undefined) {
      const seenWaiting = before !== undefined && toGroup(before) === 'waiting' && isUnsent(before);
      this.#starts.set(job.id, seenWaiting ? { at: job.updatedAt, exact: true } : firstSeen(job, now));
    }
    if (isUnderWay || start === undefined) return;
    this.#starts.delete(job.id);
  }

  startOf(jobId: string): Start | undefined {
    return this.#starts.get(jobId);
  }

  /** How many wait before the job, at most a second old: counting a long line at every frame costs too much. */
  placeInLine(job: JobView, waiting: readonly JobView[], now: number): number {
    if (now - this.#countedAt >= COUNT_EVERY_MS) {
      this.#places = new Map(waiting.map(({ id }, place) => [id, place]));
      this.#countedAt = now;
    }
    return this.#places.get(job.id) ?? -1;
  }
}

function firstSeen(job: JobView, now: number): Start {
  // The times of the first step and of acceptance are exact; of later ones only the last change is known.
  if (job.sentAt !== undefined) return { at: Math.min(job.sentAt, now), exact: true };
  return { at: Math.min(job.updatedAt, now), exact: job.state === 'submitting' };
}

interface Line {
  readonly lists: Grouped;
  readonly pace: Pace;
  /** How long the service takes for a take of a model, ms, as the engine has learned it; null when it has not. */
  readonly taskTime?: (model: string) => number | null;
  readonly gates?: readonly Gate[];
}

/**
 * When a job is probably done, ms: a running one by the usual length of its model, as the engine has learned it; a waiting one by its place in the line and the end of the queue. Null without such facts.
 */
export function expectedAt(job: JobView, line: Line, expectedEnd: number | null): number | null {
  const { lists, pace, taskTime, gates = [] } = line;
  if (toGroup(job) === 'under-way') {
    const usual = taskTime?.(job.model) ?? null;
    return expectedFinish(pace.startOf(job.id), usual);
  }
  if (!isUnsent(job) || job.paused !== null) return null;
  const now = Date.now();
  const begins = Math.max(now, ...gates.filter((gate) => isHeldBy(job, gate)).flatMap(({ until }) => until ?? []));
  return expectedInLine(pace.placeInLine(job, lists.waiting, now), lists, expectedEnd, begins);
}

function expectedFinish(start: Start | undefined, usual: number | null): number | null {
  return start?.exact === true && usual !== null ? start.at + usual : null;
}

/** By its share of the line, which moves from `begins` to `expectedEnd`. */
function expectedInLine(place: number, lists: Grouped, expectedEnd: number | null, begins: number): number | null {
  if (expectedEnd === null || place < 0) return null;
  const underWay = lists['under-way'].length;
  const share = (underWay + place + 1) / (underWay + lists.waiting.length);
  return begins + Math.max(0, expectedEnd - begins) * share;
}

export interface QueueTimes {
  startOf(job: JobView): Start | undefined;
  /** When it is probably done, ms; null when unknown. */
  expectedAt(job: JobView): number | null;
}

/** Handed down by the view, so that no list in between has to pass it on. */
export const [queueTimes, provideQueueTimes] = createContext<QueueTimes>();
