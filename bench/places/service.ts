import type { SimulatedTime } from '../simulated-time.ts';

/** How a made-up service bounds what it takes. Times are ms. */
export interface ServiceRules {
  /** Tasks of a model that may run at once, at a time; Infinity for no bound. */
  readonly places?: (model: string, now: number) => number;
  /** Tasks of all models together. */
  readonly placesInAll?: number;
  /** Submits of any `windowMs` at most. */
  readonly rate?: { readonly submits: number; readonly windowMs: number };
  /** Least of what a 429 asks for. */
  readonly retryAfterMs: number;
}

/** The takes to make, and how long the service takes for each. */
export interface Shot {
  readonly model: string;
  readonly takesMs: number;
  /** Its first submit that is taken gets no clear answer: a 5xx, or a connection that is cut. `made`: its task runs. */
  readonly fault?: 'made' | 'not_made' | undefined;
}

export interface Task {
  readonly model: string;
  readonly endsAt: number;
}

/** A task, how long a refusal asks to wait, or no clear answer. */
export type Answer = Task | { readonly retryAfterMs: number } | 'unclear';

/** The service of the simulation: it runs tasks, refuses what is too much, and counts both. */
export class SimulatedService {
  readonly #turns: SimulatedTime;
  readonly #rules: ServiceRules;
  readonly #running = new Map<string, number>();
  readonly #submits: number[] = [];
  readonly #struck = new Set<Shot>();
  /** Tasks that were made of each shot. */
  readonly #made = new Map<Shot, number>();
  #work = 0;
  throttled = 0;
  /** Submits that got no clear answer. */
  unclear = 0;
  /** When the last end of a task was seen: by a poll, or by an oracle. */
  lastSeenDone = 0;
  /** Told when a place is free again: what only an oracle knows. */
  onEnd: () => void = () => undefined;

  constructor(turns: SimulatedTime, rules: ServiceRules) {
    this.#turns = turns;
    this.#rules = rules;
  }

  /** Whether a submit would be taken now. */
  hasRoom(model: string): boolean {
    return this.#hasPlace(model) && this.nextSubmitAt() <= this.#turns.now;
  }

  #hasPlace(model: string): boolean {
    const { places, placesInAll = Infinity } = this.#rules;
    const inAll = [...this.#running.values()].reduce((sum, count) => sum + count, 0);
    return this.#runningOf(model) < (places?.(model, this.#turns.now) ?? Infinity) && inAll < placesInAll;
  }

  /** When the rate allows the next submit. */
  nextSubmitAt(): number {
    const { rate } = this.#rules;
    const oldest = rate && this.#submits.at(-rate.submits);
    return rate && oldest !== undefined ? oldest + rate.windowMs : this.#turns.now;
  }

  submit(shot: Shot): Answer {
    const { now } = this.#turns;
    if (!this.hasRoom(shot.model)) {
      this.throttled += 1;
      const { retryAfterMs } = this.#rules;
      return { retryAfterMs: Math.max(retryAfterMs, this.nextSubmitAt() - now) };
    }
    this.#submits.push(now);
    const isStruck = shot.fault !== undefined && !this.#struck.has(shot);
    if (!isStruck) return this.#start(shot);
    this.#struck.add(shot);
    this.unclear += 1;
    if (shot.fault === 'made') this.#start(shot);
    return 'unclear';
  }

  #start(shot: Shot): Task {
    const { model, takesMs } = shot;
    const endsAt = this.#turns.now + takesMs;
    this.#work += takesMs;
    this.#made.set(shot, (this.#made.get(shot) ?? 0) + 1);
    this.#running.set(model, this.#runningOf(model) + 1);
    this.#turns.at(endsAt, () => {
      this.#running.set(model, this.#runningOf(model) - 1);
      this.lastSeenDone = Math.max(this.lastSeenDone, this.#turns.now);
      this.onEnd();
    });
    return { model, endsAt };
  }

  isDone(task: Task): boolean {
    const isDone = this.#turns.now >= task.endsAt;
    if (isDone) this.lastSeenDone = this.#turns.now;
    return isDone;
  }

  /** Tasks of shots that had one already. */
  get paidTwice(): number {
    return [...this.#made.values()].reduce((sum, count) => sum + count - 1, 0);
  }

  /** Tasks that ran at once, on average over a time. */
  busy(ms: number): number {
    return this.#work / ms;
  }

  #runningOf(model: string): number {
    return this.#running.get(model) ?? 0;
  }
}
