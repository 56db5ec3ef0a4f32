import { messageFor } from '../../contract/messages/message.ts';
import { type Gate, LONG_WAIT_MS } from '../../contract/events.ts';
import { toMessage, toText } from '../base/errors.ts';
import { noneClosed } from '../db/due-jobs.ts';
import type { Step } from '../db/job-store.ts';
import { mayPass } from '../db/open.ts';
import { type RunningSteps, type ServiceQueue, ServiceQueues } from './service-queues.ts';
import type { StepContext } from './step-context.ts';
import {
  closedWindows,
  createDueProjects,
  createModelHolds,
  createPlaces,
  fullDisks,
  reachedCaps,
  type Excluded,
  type Seen,
  type WaitReason,
} from './wait-reasons.ts';

/** How long to expect an announced sleep, ms: it may not come, and waking up may not be announced. */
const MAX_REST_MS = 60_000;

/** Everything that holds steps back: a list of reasons, and the machine's sleep, in which nothing begins at all. */
export function createHolds(context: StepContext, launched: RunningSteps, lookAgain: () => void) {
  const { clients, jobs, ports, service, databaseBackoff } = context;
  const { clock } = ports;
  const serviceQueues = new ServiceQueues(() => clients.names());
  serviceQueues.setPausedByUser(service.isQueuePaused());
  const projects = createDueProjects(context, lookAgain);
  const caps = reachedCaps(context);
  const windows = closedWindows(context);
  const models = createModelHolds(context, launched);
  const places = createPlaces(context, launched);
  const disks = fullDisks();
  /** The gate of the first one that has any counts; people see their gates in this order. */
  const reasons: readonly WaitReason[] = [
    gatesOf(serviceQueues),
    disks,
    projects,
    caps,
    windows,
    models,
    databaseBackoff,
    places,
    ofStudio(context),
  ];
  let restsUntil = Number.NEGATIVE_INFINITY;

  /** False while nothing new may be sent, not even what is already being prepared. */
  function maySend(): boolean {
    return !serviceQueues.isPausedByUser && restsUntil <= clock.now();
  }

  /** The time before which nothing begins, ms; a time in the past when nothing prevents it. */
  function restingUntil(): number {
    return Math.max(restsUntil, databaseBackoff.at(clock.now())?.until ?? 0);
  }

  function rest(): void {
    restsUntil = clock.now() + MAX_REST_MS;
  }

  function wake(): void {
    restsUntil = Number.NEGATIVE_INFINITY;
  }

  function gate(serviceQueue: ServiceQueue, step: Step, now: number): Gate | null {
    for (const reason of reasons) {
      const closedGate = reason.gate?.(serviceQueue, step, now);
      if (closedGate) return closedGate;
    }
    return null;
  }

  function excluded(serviceQueue: ServiceQueue, step: Step, now: number): Required<Excluded> {
    const all = reasons.flatMap((reason) => reason.excludes?.(serviceQueue, step, now) ?? []);
    return {
      projects: all.flatMap((each) => each.projects ?? []),
      batches: all.flatMap(({ batches = [] }) => batches),
      models: all.flatMap(({ models = [] }) => models),
      accounts: all.flatMap(({ accounts = [] }) => accounts),
      closed: all.find((each) => each.closed)?.closed ?? noneClosed,
      until: Math.min(...all.map(({ until }) => until ?? Number.POSITIVE_INFINITY)),
    };
  }

  function note(seen: Omit<Seen, 'now'>): void {
    const now = clock.now();
    for (const reason of reasons) reason.note?.({ ...seen, now });
  }

  /** Every closed gate of this engine, to show to a person; `throttledGates` has the others. */
  function closed(now: number): Gate[] {
    return reasons.flatMap((reason) => reason.closed?.(now) ?? []);
  }

  function onDatabaseTrouble(error: unknown): void {
    const facts = { reason: toMessage(error) };
    if (mayPass(error)) {
      ports.logger.warn('The database could not be written', facts);
      databaseBackoff.onError(error, clock.now());
      return;
    }
    ports.logger.error('The database failed; nothing more is sent', facts);
    serviceQueues.haltAll('database', messageFor('waiting.databaseFailed', { reason: toText(error) }));
  }

  function setPausedByUser(paused: boolean): void {
    // On disk first: if a crash lost the pause, takes would be sent although the person paused them.
    service.setQueuePaused(paused);
    serviceQueues.setPausedByUser(paused);
    if (!paused) tryNow(clock.now() + LONG_WAIT_MS);
  }

  function lookAtDisks(): void {
    disks.tryNow?.(clock.now());
    databaseBackoff.tryNow();
  }

  /** The clock was wrong, so its times mean nothing: tries now what waits for one, and learns the pace again. */
  function clockSetBack(now: number): void {
    jobs.due.limitDeadlines(now + context.settings.deadlineHours * 3_600_000);
    tryNow(now);
    wake();
  }

  /** Services, too, are asked again about waits beyond `beyond` (ms); one that wants us to wait says so again. */
  function tryNow(beyond: number): void {
    clients.forgetFloors(beyond);
    context.downloader.forgetFloors(beyond);
    context.preparer.watch.forget();
    jobs.due.bringForward(clock.now(), beyond);
    for (const reason of reasons) reason.tryNow?.(clock.now());
  }

  return {
    ...{ serviceQueues, projects, caps, windows, models, places, maySend, restingUntil, rest, wake, gate, excluded },
    ...{ note, closed, onDatabaseTrouble, setPausedByUser, lookAtDisks, clockSetBack },
  };
}

export type Holds = ReturnType<typeof createHolds>;

/** An engine joins its studio after its start. */
const ofStudio = (context: Pick<StepContext, 'studio'>): WaitReason => ({
  excludes: (_serviceQueue, step, now) => context.studio.holds.excludes?.(step, now) ?? {},
  closed: (now) => context.studio.holds.closed?.(now) ?? [],
});

const gatesOf = (queues: ServiceQueues): WaitReason => ({
  gate: ({ gates }, step, now) => gates.before(step, now),
  note: ({ serviceQueue, step, report, now }) => serviceQueue.gates.note(step, report, now),
  closed: (now) => {
    const all = queues.all().flatMap(({ gates }) => gates.closed(now));
    return all.filter((gate, index) => all.findIndex((other) => other.reason === gate.reason) === index);
  },
  tryNow: (now) => queues.all().forEach(({ gates }) => gates.tryNow(now)),
});
