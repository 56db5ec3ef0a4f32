import { messageFor } from '../../contract/messages/message.ts';
import { type Gate, LONG_WAIT_MS } from '../../contract/events.ts';
import { toMessage, toText } from '../base/errors.ts';
import { noneClosed } from '../db/due-jobs.ts';
import type { Step } from '../db/job-store.ts';
import { mayPass } from '../db/open.ts';
import { DueProjects, Places } from './capacity.ts';
import { type ServiceQueue, ServiceQueues } from './service-queues.ts';
import type { RunningSteps } from './running-steps.ts';
import { ModelHolds } from './model-holds.ts';
import type { StepContext } from './step-context.ts';
import { closedWindows, fullDisks, reachedCaps, type Excluded, type Seen, type WaitReason } from './wait-reasons.ts';

/** How long to expect an announced sleep, ms: it may not come, and waking up may not be announced. */
const MAX_REST_MS = 60_000;

/** Everything that holds steps back: a list of reasons, and the machine's sleep, in which nothing begins at all. */
export class Holds {
  readonly #context: StepContext;
  readonly serviceQueues: ServiceQueues;
  readonly projects: DueProjects;
  readonly caps: ReturnType<typeof reachedCaps>;
  readonly windows: ReturnType<typeof closedWindows>;
  readonly models: ModelHolds;
  readonly places: Places;
  readonly #disks = fullDisks();
  /** The gate of the first one that has any counts; people see their gates in this order. */
  readonly #reasons: readonly WaitReason[];
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(context: StepContext, launched: RunningSteps, lookAgain: () => void) {
    this.#context = context;
    this.serviceQueues = new ServiceQueues(() => context.clients.names());
    this.serviceQueues.setPausedByUser(context.service.isQueuePaused());
    this.projects = new DueProjects(context, lookAgain);
    this.caps = reachedCaps(context);
    this.windows = closedWindows(context);
    this.models = new ModelHolds(context, launched);
    this.places = new Places(context, launched);
    const { serviceQueues, projects, caps, windows, models, places } = this;
    this.#reasons = [serviceQueues, this.#disks, projects, caps, windows, models, context.databaseBackoff, places];
  }

  /** False while nothing new may be sent, not even what is already being prepared. */
  maySend(): boolean {
    return !this.serviceQueues.isPausedByUser && this.#restsUntil <= this.#context.ports.clock.now();
  }

  /** The time before which nothing begins, ms; a time in the past when nothing prevents it. */
  restingUntil(): number {
    return Math.max(this.#restsUntil, this.#context.databaseBackoff.at(this.#context.ports.clock.now())?.until ?? 0);
  }

  rest(): void {
    this.#restsUntil = this.#context.ports.clock.now() + MAX_REST_MS;
  }

  wake(): void {
    this.#restsUntil = Number.NEGATIVE_INFINITY;
  }

  gate(serviceQueue: ServiceQueue, step: Step, now: number): Gate | null {
    for (const reason of this.#reasons) {
      const gate = reason.gate?.(serviceQueue, step, now);
      if (gate) return gate;
    }
    return null;
  }

  excluded(serviceQueue: ServiceQueue, step: Step, now: number): Required<Excluded> {
    const all = this.#reasons.flatMap((reason) => reason.excludes?.(serviceQueue, step, now) ?? []);
    return {
      projects: all.flatMap(({ projects = [] }) => projects),
      batches: all.flatMap(({ batches = [] }) => batches),
      models: all.flatMap(({ models = [] }) => models),
      accounts: all.flatMap(({ accounts = [] }) => accounts),
      closed: all.find(({ closed }) => closed)?.closed ?? noneClosed,
      until: Math.min(...all.map(({ until }) => until ?? Number.POSITIVE_INFINITY)),
    };
  }

  note(seen: Omit<Seen, 'now'>): void {
    const now = this.#context.ports.clock.now();
    for (const reason of this.#reasons) reason.note?.({ ...seen, now });
  }

  /** Every closed gate of this engine, to show to a person; `throttledGates` has the others. */
  closed(now: number): Gate[] {
    return this.#reasons.flatMap((reason) => reason.closed?.(now) ?? []);
  }

  onDatabaseTrouble(error: unknown): void {
    const { databaseBackoff, ports } = this.#context;
    const reason = toMessage(error);
    if (mayPass(error)) {
      ports.logger.warn('The database could not be written', { reason });
      databaseBackoff.onError(error, this.#context.ports.clock.now());
      return;
    }
    ports.logger.error('The database failed; nothing more is sent', { reason });
    this.serviceQueues.haltAll('database', messageFor('waiting.databaseFailed', { reason: toText(error) }));
  }

  setPausedByUser(paused: boolean): void {
    // On disk first: if a crash lost the pause, takes would be sent although the person paused them.
    this.#context.service.setQueuePaused(paused);
    this.serviceQueues.setPausedByUser(paused);
    if (!paused) this.#tryNow(this.#context.ports.clock.now() + LONG_WAIT_MS);
  }

  lookAtDisks(): void {
    this.#disks.tryNow?.(this.#context.ports.clock.now());
    this.#context.databaseBackoff.tryNow();
  }

  /** The clock was wrong, so its times mean nothing: tries now what waits for one, and learns the pace again. */
  clockSetBack(now: number): void {
    this.#context.jobs.due.limitDeadlines(now + this.#context.settings.deadlineHours * 3_600_000);
    this.#tryNow(now);
    this.wake();
  }

  /** Services, too, are asked again about waits beyond `beyond` (ms); one that wants us to wait says so again. */
  #tryNow(beyond: number): void {
    this.#context.clients.forgetFloors(beyond);
    this.#context.downloader.forgetFloors(beyond);
    this.#context.preparer.watch.forget();
    this.#context.jobs.due.bringForward(this.#context.ports.clock.now(), beyond);
    for (const reason of this.#reasons) reason.tryNow?.(this.#context.ports.clock.now());
  }
}
