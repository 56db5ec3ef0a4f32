/** Runs the work of one key one after the other, in the order in which it came; that of other keys beside it. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` once all that came before it with this key has ended. */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work, work);
    this.#last.set(key, turn);
    const done = (): void => {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    };
    turn.then(done, done);
    return turn;
  }

  /** Resolves when all that came by now has ended, well or not. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#last.values()]);
  }
}
