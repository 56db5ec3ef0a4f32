import type { TakeView, Verdict } from '../../../contract/review.ts';

export class PageCache {
  /** Counts readings from scratch: an answer to an older one comes too late. */
  generation = 0;
  #fresh = new Set<number>();
  #asked = new Set<number>();

  get idle(): boolean {
    return this.#asked.size === 0;
  }

  /** All pages may have changed. */
  restart(): void {
    this.generation += 1;
    this.#fresh = new Set();
    this.#asked = new Set();
  }

  needs(page: number): boolean {
    return !this.#fresh.has(page) && !this.#asked.has(page);
  }

  ask(page: number): void {
    this.#asked.add(page);
  }

  /** An answer to a reading of `generation` has come, or a failure. False when it comes too late to count. */
  answered(page: number, generation: number, ok: boolean): boolean {
    if (generation !== this.generation) return false;
    this.#asked.delete(page);
    if (ok) this.#fresh.add(page);
    return true;
  }
}

/** The place of each take that has been read. */
export function placesOf(takes: readonly (TakeView | undefined)[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [index, take] of takes.entries()) if (take) places.set(take.id, index);
  return places;
}

interface Judged {
  readonly takeId: string;
  readonly verdict: Verdict;
}

export const verdictsByTake = (judged: readonly Judged[]): ReadonlyMap<string, Verdict> =>
  new Map(judged.map(({ takeId, verdict }) => [takeId, verdict]));
