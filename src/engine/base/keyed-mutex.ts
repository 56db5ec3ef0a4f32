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

  /** Resolves when all work started so far has ended, whether it succeeded or not. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#last.values()]);
  }
}
