import { REQUEST_CLASSES } from '../contract/settings.ts';
import type { PowerState } from '../contract/desktop.ts';
import type { QueueView } from '../contract/events.ts';
import type { ReviewStore } from './db/review-store.ts';
import type { TakeTally } from './db/take-tally.ts';
import type { Scheduler } from './jobs/scheduler.ts';
import { limitsOf } from './api/request-queue.ts';
import type { StepContext } from './jobs/step-context.ts';

export interface QueueParts {
  readonly steps: StepContext;
  readonly tally: TakeTally;
  readonly store: ReviewStore;
  readonly scheduler: Scheduler;
}

/** The queue as its view shows it; the state of the computer's power, the host knows. */
export async function queueView({
  steps,
  tally,
  store,
  scheduler,
}: QueueParts): Promise<Omit<QueueView, keyof PowerState>> {
  const now = steps.ports.clock.now();
  const counts = tally.counts({});
  return {
    status: scheduler.status(),
    running: scheduler.isRunning,
    pausedByUser: scheduler.isPausedByUser,
    goesOn: scheduler.goesOn,
    awaitsWindow: scheduler.awaitsWindow,
    counts,
    rates: ratesOf(steps),
    savedPerMinute: store.savedPerMinute(now),
    taskTimes: steps.service.usualTaskTimes(),
    freeBytes: await freeBytes(steps),
  };
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
