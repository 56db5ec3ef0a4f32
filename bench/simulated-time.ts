/** Things to do, each at its time: a run whose time is counted, not waited for. */
export class SimulatedTime {
  readonly #turns: { readonly at: number; readonly run: () => void }[] = [];
  now = 0;

  /** Kept in order, the latest first: most new turns are near the end. What is due together is done in the order it came. */
  at(at: number, run: () => void): void {
    let low = 0;
    let high = this.#turns.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#turns[middle]?.at ?? 0) > at) low = middle + 1;
      else high = middle;
    }
    this.#turns.splice(low, 0, { at, run });
  }

  run(): void {
    while (this.#runNext());
  }

  /** The same for code that waits for promises: each turn ends before the next one begins. */
  async runAsync(): Promise<void> {
    do await new Promise(setImmediate);
    while (this.#runNext());
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.at(this.now + ms, resolve));
  }

  #runNext(): boolean {
    const next = this.#turns.pop();
    if (!next) return false;
    this.now = next.at;
    next.run();
    return true;
  }
}
