import type { Text } from '../../contract/messages/message.ts';
import PQueue from 'p-queue';
import type { Gate } from '../../contract/events.ts';
import type { Step } from '../db/job-store.ts';
import { Gates, type Halt } from './gates.ts';

/** How many shots of one service are prepared together. Fewer upload together: the queue of uploads limits that. */
const PREPARED_AT_ONCE = 16;

export interface ServiceQueue {
  /** Null for the service of the settings; else the name under which some projects use it. */
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
