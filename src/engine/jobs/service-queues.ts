import type { Text } from '../../contract/messages/message.ts';
import PQueue from 'p-queue';
import type { Gate, QueueStatus } from '../../contract/events.ts';
import type { Step } from '../db/job-store.ts';
import { Gates, type Halt } from './gates.ts';
import type { InFlight } from '../machine/ceiling.ts';
import type { RequestQueue } from '../api/request-queue.ts';

/** How many shots of one service are prepared together. Fewer upload together: the queue of uploads limits that. */
const PREPARED_AT_ONCE = 16;

export interface ServiceQueue {
  /** Null for the first account; see `contract/accounts.ts`. */
  readonly service: string | null;
  readonly gates: Gates;
  /** Steps that need no slot: their requests wait in the queues of the account. */
  readonly preparing: PQueue;
  isProbing: boolean;
  /** When to look at each kind of step next, ms; immediately for those that are not named. */
  readonly nextLookAt: Map<Step, number>;
  /** When each kind was last searched past jobs that have to wait, ms. */
  readonly searchedAt: Map<Step, number>;
}

const newServiceQueue = (service: string | null): ServiceQueue => ({
  service,
  gates: new Gates(),
  preparing: new PQueue({ concurrency: PREPARED_AT_ONCE }),
  isProbing: false,
  nextLookAt: new Map(),
  searchedAt: new Map(),
});

export class ServiceQueues {
  readonly #services: () => readonly string[];
  readonly main: ServiceQueue = newServiceQueue(null);
  readonly #others = new Map<string, ServiceQueue>();

  constructor(services: () => readonly string[]) {
    this.#services = services;
  }

  all(): readonly ServiceQueue[] {
    for (const service of this.#services()) {
      if (this.#others.has(service)) continue;
      const serviceQueue = newServiceQueue(service);
      serviceQueue.gates.setPausedByUser(this.isPausedByUser);
      this.#others.set(service, serviceQueue);
    }
    return [this.main, ...this.#others.values()];
  }

  get isPausedByUser(): boolean {
    return this.main.gates.isPausedByUser;
  }

  setPausedByUser(paused: boolean): void {
    for (const { gates } of this.all()) gates.setPausedByUser(paused);
  }

  haltAll(reason: 'database', message: Text): void {
    for (const { gates } of this.all()) gates.halt(reason, message);
  }

  halts(): (Gate & { readonly reason: Halt })[] {
    return this.all().flatMap(({ gates }) => gates.halted() ?? []);
  }
}

/** Results are fetched before anything new is requested. */
export const STEPS: readonly Step[] = ['download', 'poll', 'submit', 'prepare'];

/** Slow downloads that run beside the others: each keeps a connection and a file open. */
const MAX_SLOW = 60;

export interface LaunchedStep {
  readonly jobId: string;
  readonly projectId: string;
  readonly model: string;
  readonly serviceQueue: ServiceQueue;
  readonly step: Step;
  readonly queue: RequestQueue | null;
  isRunning: boolean;
  isSlow: boolean;
}

/** The steps that were claimed and have not ended. A claim writes nothing, so only this prevents a second claim. */
export class RunningSteps extends Set<LaunchedStep> {
  #ended: PromiseWithResolvers<void> = Promise.withResolvers();

  end(launched: LaunchedStep): void {
    this.delete(launched);
    if (launched.isSlow) this.#setApart(launched.queue);
    this.#ended.resolve();
    this.#ended = Promise.withResolvers();
  }

  runningIn(projectId: string): number {
    return [...this].filter((launched) => launched.projectId === projectId && launched.isRunning).length;
  }

  nextEnd(): Promise<void> {
    return this.#ended.promise;
  }

  /** In any queue: the project of a job may have got another account in the meantime. */
  jobsIn(step: Step): ReadonlySet<string> {
    return new Set([...this].filter((launched) => launched.step === step).map(({ jobId }) => jobId));
  }

  /** Places they take, of one account given its queue: one held up or full takes no place from another. */
  places(serviceQueue: ServiceQueue, step: Step, queue?: RequestQueue): number {
    const found = this.#of(serviceQueue, step).filter((launched) => queue === undefined || launched.queue === queue);
    return found.length - Math.min(found.filter(({ isSlow }) => isSlow).length, MAX_SLOW);
  }

  submits(serviceQueue: ServiceQueue, model: string): InFlight {
    const found = this.#of(serviceQueue, 'submit');
    return { own: found.filter((launched) => launched.model === model).length, all: found.length };
  }

  isRunning(jobId: string): boolean {
    return [...this].some((launched) => launched.jobId === jobId && launched.isRunning);
  }

  get counts(): QueueStatus['underWay'] {
    const counts = { prepare: 0, submit: 0, poll: 0, download: 0 };
    for (const { step, isRunning } of this) if (isRunning) counts[step] += 1;
    return counts;
  }

  setSlow(jobId: string, isSlow: boolean): void {
    const download = [...this].find((launched) => launched.jobId === jobId && launched.step === 'download');
    if (!download) return;
    download.isSlow = isSlow;
    this.#setApart(download.queue);
  }

  #of(serviceQueue: ServiceQueue, step: Step): LaunchedStep[] {
    return [...this].filter((launched) => launched.serviceQueue === serviceQueue && launched.step === step);
  }

  #setApart(queue: RequestQueue | null): void {
    const slow = [...this].filter((launched) => launched.queue === queue && launched.isSlow).length;
    queue?.setApart(Math.min(slow, MAX_SLOW));
  }
}
