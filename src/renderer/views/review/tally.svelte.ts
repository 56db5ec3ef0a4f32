import type { TakeFilter } from '../../../contract/review.ts';
import { api } from '../../lib/client.ts';

interface Flagged {
  readonly pick: number;
  readonly reject: number;
  readonly none: number;
}

/** How far the review of what is shown has got, whatever flag is being filtered by. */
export class Tally {
  #flagged = $state.raw<Flagged | null>(null);

  /** Null until it was counted once. */
  get flagged(): Flagged | null {
    return this.#flagged;
  }

  async read({ flag: _, ...filter }: TakeFilter): Promise<void> {
    const count = async (flag: keyof Flagged): Promise<number> =>
      (await api.takes.list({ ...filter, flag, start: 0, count: 1 })).total;
    try {
      // One after the other: the engine gives out pictures in between.
      this.#flagged = { pick: await count('pick'), reject: await count('reject'), none: await count('none') };
    } catch {
      // The list says what is wrong; a count that is missing needs no second word.
      this.#flagged = null;
    }
  }
}
