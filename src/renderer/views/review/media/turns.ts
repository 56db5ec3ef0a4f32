/**
 * Work done for pictures in sight, a few at a time and the latest wish first: what was asked for long ago has most
 * likely been scrolled away. A wish that is taken back before its turn is never worked on.
 */
export class Turns<Result> {
  readonly #atOnce: number;
  readonly #waiting: { readonly key: string; readonly start: () => void }[] = [];
  readonly #wishes = new Map<string, Promise<Result | null>>();
  #working = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** The result of `work`, done once for all who ask while it is under way; null when it failed or nobody waits. */
  ask(key: string, work: () => Promise<Result>, signal: AbortSignal): Promise<Result | null> {
    const known = this.#wishes.get(key);
    if (known) return known;
    const wish = new Promise<Result | null>((resolve) => {
      const start = (): void => {
        this.#working += 1;
        work()
          .then(resolve, () => resolve(null))
          .finally(() => this.#done(key));
      };
      signal.addEventListener('abort', () => {
        const place = this.#waiting.findIndex((each) => each.key === key);
        if (place < 0) return;
        this.#waiting.splice(place, 1);
        this.#wishes.delete(key);
        resolve(null);
      });
      this.#waiting.push({ key, start });
    });
    this.#wishes.set(key, wish);
    this.#next();
    return wish;
  }

  #done(key: string): void {
    this.#working -= 1;
    this.#wishes.delete(key);
    this.#next();
  }

  #next(): void {
    if (this.#working < this.#atOnce) this.#waiting.pop()?.start();
  }
}
