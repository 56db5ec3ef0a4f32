import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../src/engine/base/ports.ts';

interface Sleeper {
  at: number;
  readonly wake: () => void;
}

/** A clock that does not move until a test moves it. A sleeper wakes when it reaches their time. */
export class FakeClock implements Clock {
  #now: number;
  readonly #sleepers = new Set<Sleeper>();
  readonly #awaited = new Map<number, () => void>();
  /** By how much it was set to another time, ms. */
  #setBy = 0;

  constructor(now = Date.UTC(2026, 0, 5, 20)) {
    this.#now = now;
  }

  readonly now = (): number => this.#now;

  readonly steady = (): number => this.#now - this.#setBy;

  readonly sleep = (ms: number, options: { signal?: AbortSignal | undefined } = {}): Promise<void> => {
    const { signal } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const onAbort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason as Error);
      };
      const sleeper: Sleeper = {
        at: this.#now + ms,
        wake: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#sleepers.add(sleeper);
      this.#awaited.get(sleeper.at)?.();
    });
  };

  /** How many wait: what is over must not leave one behind. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /** Resolves when something begins to sleep for `ms` from now. */
  whenSleepingFor(ms: number): Promise<void> {
    const at = this.#now + ms;
    if ([...this.#sleepers].some((sleeper) => sleeper.at === at)) return Promise.resolve();
    return new Promise((resolve) => this.#awaited.set(at, resolve));
  }

  /** Moves the time on and wakes everybody whose time has come, in order. */
  advance(ms: number): void {
    const target = this.#now + ms;
    for (let next = this.nextWakeAt(); next !== null && next <= target; next = this.nextWakeAt()) {
      this.#now = Math.max(this.#now, next);
      for (const sleeper of [...this.#sleepers]) {
        if (sleeper.at > this.#now) continue;
        this.#sleepers.delete(sleeper);
        sleeper.wake();
      }
    }
    this.#now = target;
  }

  /** Sets the time back, as a person or a time server does: sleepers wake after as long as they meant to. */
  setBack(ms: number): void {
    this.#now -= ms;
    this.#setBy -= ms;
    for (const sleeper of this.#sleepers) sleeper.at -= ms;
  }

  setForward(ms: number): void {
    this.setBack(-ms);
  }

  /** The machine sleeps: time passes, and nobody is woken before the next `advance`. */
  sleepThrough(ms: number): void {
    this.#now += ms;
  }

  /** When the next sleeper wakes, ms; null when nobody sleeps. */
  nextWakeAt(): number | null {
    let earliest: number | null = null;
    for (const { at } of this.#sleepers) earliest = earliest === null ? at : Math.min(earliest, at);
    return earliest;
  }
}

/** Moves the time on as a running process sees it: step by step, with turns of the event loop between. */
export async function pass(clock: { advance(ms: number): void }, ms: number): Promise<void> {
  const step = 2500;
  for (let left = ms; left > 0; left -= step) {
    clock.advance(Math.min(step, left));
    await nextTurn();
  }
}
