import type { QueueView } from '../contract/events.ts';
import type { JobQueries } from './db/job-queries.ts';
import type { ReviewStore } from './db/review-store.ts';
import type { Scheduler } from './jobs/scheduler.ts';
import type { StepContext } from './jobs/step-context.ts';

/** The end is foretold from the takes of so many minutes. */
const LOOKED_AT_MINUTES = 10;

export interface QueueParts {
  readonly steps: StepContext;
  readonly queries: JobQueries;
  readonly store: ReviewStore;
  readonly scheduler: Scheduler;
}

/** The queue as its view shows it; whether the machine is kept awake, the host knows. */
export async function queueView({
  steps,
  queries,
  store,
  scheduler,
}: QueueParts): Promise<Omit<QueueView, 'keepsAwake'>> {
  const now = steps.ports.clock.now();
  const counts = queries.counts({});
  const savedPerMinute = store.savedPerMinute(now);
  return {
    status: scheduler.status(),
    running: scheduler.isRunning,
    pausedByUser: scheduler.isPausedByUser,
    goesOn: scheduler.goesOn,
    counts,
    rates: steps.pacing.rates(steps.clients.currentIfAny()),
    savedPerMinute,
    expectedEnd: expectedEnd(counts.unfinished, savedPerMinute, now),
    freeBytes: await freeBytes(steps),
  };
}

/** When the unfinished takes are done if it goes on as in the last minutes; null when nothing came in. Pure. */
export function expectedEnd(unfinished: number, savedPerMinute: readonly number[], now: number): number | null {
  const recent = savedPerMinute.slice(-LOOKED_AT_MINUTES);
  const saved = recent.reduce((total, takes) => total + takes, 0);
  if (unfinished === 0 || saved === 0) return null;
  // A run that began a minute ago is judged by that minute.
  const minutes = recent.length - recent.findIndex((takes) => takes > 0);
  return now + (unfinished / (saved / minutes)) * 60_000;
}

/** Bytes free where the project that was opened last lies; null when that cannot be told. */
async function freeBytes({ projects, ports }: StepContext): Promise<number | null> {
  const [project] = projects.list();
  if (!project) return null;
  return ports.disk.freeBytes(project.path).catch(() => null);
}
