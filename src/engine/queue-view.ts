import { REQUEST_CLASSES } from '../contract/settings.ts';
import type { QueueView } from '../contract/events.ts';
import type { ReviewStore, SavedInRun } from './db/review-store.ts';
import type { TakeTally } from './db/take-tally.ts';
import type { Scheduler } from './jobs/scheduler.ts';
import { limitsOf } from './api/service-clients.ts';
import type { StepContext } from './jobs/step-context.ts';

/** The end is foretold from the takes of so long a time, ms. */
const LOOKED_AT_MS = 600_000;
/** Fewer takes than this tell nothing of the pace. */
const ENOUGH = 3;

export interface QueueParts {
  readonly steps: StepContext;
  readonly tally: TakeTally;
  readonly store: ReviewStore;
  readonly scheduler: Scheduler;
}

/** The queue as its view shows it; whether the machine is kept awake, the host knows. */
export async function queueView({
  steps,
  tally,
  store,
  scheduler,
}: QueueParts): Promise<Omit<QueueView, 'keepsAwake'>> {
  const now = steps.ports.clock.now();
  const counts = tally.counts({});
  return {
    status: scheduler.status(),
    running: scheduler.isRunning,
    pausedByUser: scheduler.isPausedByUser,
    goesOn: scheduler.goesOn,
    counts,
    rates: ratesOf(steps),
    savedPerMinute: store.savedPerMinute(now),
    expectedEnd: expectedEnd(counts.unfinished, store.savedInRun(now - LOOKED_AT_MS), now),
    taskTimes: steps.service.usualTaskTimes(),
    freeBytes: await freeBytes(steps),
  };
}

/**
 * When the unfinished takes are done if it goes on as in the last minutes, ms; null while too little came in to tell.
 * `saved` are takes of the present run, `since` when the first of them was saved. Pure.
 */
export function expectedEnd(unfinished: number, saved: SavedInRun, now: number): number | null {
  if (unfinished === 0 || saved.takes < ENOUGH) return null;
  // What went before the first of them is not known: it marks the beginning, and the others came after it.
  return now + (unfinished * (now - saved.since)) / (saved.takes - 1);
}

/** Requests a second allowed now, by class, beside the limits of the settings. */
function ratesOf({ clients, settings }: StepContext): QueueView['rates'] {
  const account = clients.currentIfAny();
  return REQUEST_CLASSES.map((requests) => {
    const limit = limitsOf(settings, requests).maxRate;
    return { requests, now: account ? clients.queues(account)[requests].rate : limit, limit };
  });
}

/** Bytes free where the project that was opened last lies; null when that cannot be told. */
async function freeBytes({ projects, ports }: StepContext): Promise<number | null> {
  const [project] = projects.list();
  if (!project) return null;
  return ports.disk.freeBytes(project.path).catch(() => null);
}
