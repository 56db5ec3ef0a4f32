interface Wish<Result> {
  readonly result: Promise<Result | null>;
  /** How many still wait for it. */
  waiting: number;
  /** Null once it is being worked on. */
  start: (() => void) | null;
  readonly drop: () => void;
}

/**
 * Work done for pictures in sight, a few at a time and the latest wish first: what was asked for long ago has most
 * likely been scrolled away. A wish that all have taken back before its turn is never worked on.
 */
export class Turns<Result> {
  readonly #atOnce: number;
  /** In the order they were made. */
  readonly #wishes = new Map<string, Wish<Result>>();
  #working = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** The result of `work`, done once for all who ask while it is under way; null when it failed or nobody waits. */
  ask(key: string, work: () => Promise<Result>, signal: AbortSignal): Promise<Result | null> {
    const wish = this.#wishes.get(key) ?? this.#wishFor(key, work);
    wish.waiting += 1;
    signal.addEventListener('abort', () => this.#leave(key, wish), { once: true });
    this.#next();
    return wish.result;
  }

  #wishFor(key: string, work: () => Promise<Result>): Wish<Result> {
    const { promise, resolve } = Promise.withResolvers<Result | null>();
    const start = (): void => {
      this.#working += 1;
      work()
        .then(resolve, () => resolve(null))
        .finally(() => {
          this.#working -= 1;
          this.#wishes.delete(key);
          this.#next();
        });
    };
    const wish: Wish<Result> = { result: promise, waiting: 0, start, drop: () => resolve(null) };
    this.#wishes.set(key, wish);
    return wish;
  }

  #leave(key: string, wish: Wish<Result>): void {
    wish.waiting -= 1;
    if (wish.waiting > 0 || wish.start === null || this.#wishes.get(key) !== wish) return;
    this.#wishes.delete(key);
    wish.drop();
  }

  #next(): void {
    while (this.#working < this.#atOnce) {
      const wish = [...this.#wishes.values()].findLast(({ start }) => start !== null);
      if (!wish?.start) return;
      const { start } = wish;
      wish.start = null;
      start();
    }
  }
}
