import type { JobView } from '../../../../contract/job.ts';
import { keepPlaces } from './grouped-jobs.ts';

/** A pointer that rests for so long, ms, does not count. */
const GONE_AFTER_MS = 10_000;

/**
 * The rows on screen. While the pointer is over them, none moves: one that leaves stays in place as a ghost, and new
 * ones go below.
 */
export class ShownRows {
  readonly #current: () => readonly JobView[];
  readonly #latest: (id: string) => JobView | undefined;
  #places = $state.raw<readonly JobView[] | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;

  readonly rows = $derived.by(() => {
    const current = this.#current();
    return this.#places === null ? current : keepPlaces(this.#places, current, this.#latest);
  });

  constructor(current: () => readonly JobView[], latest: (id: string) => JobView | undefined) {
    this.#current = current;
    this.#latest = latest;
  }

  get isHeld(): boolean {
    return this.#places !== null;
  }

  hold(): void {
    this.#places ??= this.rows;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.unfreeze(), GONE_AFTER_MS);
  }

  unfreeze(): void {
    clearTimeout(this.#timer);
    this.#places = null;
  }
}
