import type { JobView } from '../../../../contract/job.ts';
import { keepPlaces } from './grouped-jobs.ts';

/** A pointer that rests for so long, ms, belongs to a person who has gone. */
const GONE_AFTER_MS = 10_000;

/**
 * The rows as they are shown. While the pointer is over them none changes its place: what leaves stays as a memory of
 * where it was, what is new goes below.
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

  /** The pointer moves over the rows. */
  hold(): void {
    this.#places ??= this.rows;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.letGo(), GONE_AFTER_MS);
  }

  letGo(): void {
    clearTimeout(this.#timer);
    this.#places = null;
  }
}
