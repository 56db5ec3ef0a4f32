interface PendingWork<Result> {
  readonly result: Promise<Result | null>;
  waiting: number;
  /** Null once it is being worked on. */
  start: (() => void) | null;
  readonly drop: () => void;
}

/** Work for pictures in sight, a few at a time, the latest request first. One that all callers cancelled is dropped. */
export class LatestFirstQueue<Result> {
  readonly #atOnce: number;
  readonly #requests = new Map<string, PendingWork<Result>>();
  #working = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /**
   * The result of `work`, done once for all who ask while it runs; null when it failed or every caller has cancelled.
   */
  ask(key: string, work: () => Promise<Result>, signal: AbortSignal): Promise<Result | null> {
    const request = this.#requests.get(key) ?? this.#requestFor(key, work);
    request.waiting += 1;
    signal.addEventListener('abort', () => this.#leave(key, request), { once: true });
    this.#next();
    return request.result;
  }

  #requestFor(key: string, work: () => Promise<Result>): PendingWork<Result> {
    const { promise, resolve } = Promise.withResolvers<Result | null>();
    const start = (): void => {
      this.#working += 1;
      work()
        .then(resolve, () => resolve(null))
        .finally(() => {
          this.#working -= 1;
          this.#requests.delete(key);
          this.#next();
        });
    };
    const request: PendingWork<Result> = { result: promise, waiting: 0, start, drop: () => resolve(null) };
    this.#requests.set(key, request);
    return request;
  }

  #leave(key: string, request: PendingWork<Result>): void {
    request.waiting -= 1;
    if (request.waiting > 0 || request.start === null || this.#requests.get(key) !== request) return;
    this.#requests.delete(key);
    request.drop();
  }

  #next(): void {
    while (this.#working < this.#atOnce) {
      const request = [...this.#requests.values()].findLast(({ start }) => start !== null);
      if (!request?.start) return;
      const { start } = request;
      request.start = null;
      start();
    }
  }
}
