/** Runs the work of one key one after the other, in order of arrival. The work of different keys runs concurrently. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` after all earlier work with this key has ended. */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work, work);
    this.#last.set(key, turn);
    const done = (): void => {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    };
    turn.then(done, done);
    return turn;
  }

  /** Resolves when the turn of this key has come; it lasts until it is disposed of. */
  async turn(key: string): Promise<Disposable> {
    let end = (): void => undefined;
    await new Promise<void>((begin) => {
      void this.run(key, () => {
        begin();
        return new Promise<void>((resolve) => (end = resolve));
      });
    });
    return { [Symbol.dispose]: end };
  }

  /** Resolves when all work started so far has ended, whether it succeeded or not. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#last.values()]);
  }
}

/** Runs the work of a key once at a time. Callers with the same key share the result while it runs. */
export class SingleFlight<Result> {
  readonly #underWay = new Map<string, Promise<Result>>();

  run(key: string, work: () => Promise<Result>): Promise<Result> {
    const underWay = this.#underWay.get(key) ?? work().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, underWay);
    return underWay;
  }
}
