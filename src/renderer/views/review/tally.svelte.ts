import type { TakeFilter, TakeTally } from '../../../contract/review.ts';
import { api } from '../../lib/client.ts';

/** How far the review of what is shown has got, whatever flag is being filtered by. */
export class Tally {
  /** Null until it was counted once. */
  flagged = $state.raw<TakeTally | null>(null);

  async read({ flag: _, ...filter }: TakeFilter): Promise<void> {
    try {
      this.flagged = await api.takes.tally(filter);
    } catch {
      // The list says what is wrong; a count that is missing needs no second word.
      this.flagged = null;
    }
  }
}
