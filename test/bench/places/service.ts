import type { Turns } from '../turns.ts';

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

export interface Task {
  readonly model: string;
  readonly endsAt: number;
}

/** A task, or how long a refusal asks to wait. */
export type Answer = Task | { readonly retryAfterMs: number };

/** The service of the simulation: it runs tasks, refuses what is too much, and counts both. */
export class SimulatedService {
  readonly #turns: Turns;
  readonly #rules: ServiceRules;
  readonly #taskTime: (model: string) => number;
  readonly #running = new Map<string, number>();
  readonly #submits: number[] = [];
  #work = 0;
  throttled = 0;
  /** When the last end of a task was seen: by a poll, or by an oracle. */
  lastSeenDone = 0;
  /** Told when a place is free again: what only an oracle knows. */
  onEnd: () => void = () => undefined;

  constructor(turns: Turns, rules: ServiceRules, taskTime: (model: string) => number) {
    this.#turns = turns;
    this.#rules = rules;
    this.#taskTime = taskTime;
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

  submit(model: string): Answer {
    const { now } = this.#turns;
    if (!this.hasRoom(model)) {
      this.throttled += 1;
      const { retryAfterMs } = this.#rules;
      return { retryAfterMs: Math.max(retryAfterMs, this.nextSubmitAt() - now) };
    }
    this.#submits.push(now);
    const takes = this.#taskTime(model);
    this.#work += takes;
    this.#running.set(model, this.#runningOf(model) + 1);
    this.#turns.at(now + takes, () => {
      this.#running.set(model, this.#runningOf(model) - 1);
      this.lastSeenDone = Math.max(this.lastSeenDone, this.#turns.now);
      this.onEnd();
    });
    return { model, endsAt: now + takes };
  }

  isDone(task: Task): boolean {
    const isDone = this.#turns.now >= task.endsAt;
    if (isDone) this.lastSeenDone = this.#turns.now;
    return isDone;
  }

  /** Tasks that ran at once, on average over a time. */
  busy(ms: number): number {
    return this.#work / ms;
  }

  #runningOf(model: string): number {
    return this.#running.get(model) ?? 0;
  }
}
