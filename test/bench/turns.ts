/** Things to do, each at its time: a run whose time is counted, not waited for. */
export class Turns {
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
    for (let next = this.#turns.pop(); next; next = this.#turns.pop()) {
      this.now = next.at;
      next.run();
    }
  }
}
