import type { Settled } from '../engine-api.ts';

/** Those who wait for the queue to come to rest. */
export class Settling {
  #waiting: ((settled: Settled) => void)[] = [];

  get isAwaited(): boolean {
    return this.#waiting.length > 0;
  }

  wait(): Promise<Settled> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  tell(settled: Settled): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve(settled);
  }
}
