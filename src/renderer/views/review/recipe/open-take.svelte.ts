import type { TakeDetails, TakeView, Verdict } from '../../../../contract/review.ts';
import { api, troubleOf, type Trouble } from '../../../lib/client.ts';

/** A person who moves through a hundred takes wants the recipe of the one they stop at, ms. */
const REST_MS = 120;

export class OpenTake {
  #takeId: string | null = null;
  /** Of the take asked for last; those of the one before it until they have come. */
  details = $state.raw<TakeDetails | null>(null);
  trouble = $state.raw<Trouble | null>(null);
  #resting: ReturnType<typeof setTimeout> | undefined;

  look(takeId: string | null): void {
    if (takeId === this.#takeId) return;
    this.#takeId = takeId;
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => void this.read(), this.details === null ? 0 : REST_MS);
  }

  async read(): Promise<void> {
    const takeId = this.#takeId;
    if (takeId === null) {
      this.details = null;
      return;
    }
    try {
      const details = await api.takes.details({ takeId });
      if (takeId !== this.#takeId) return;
      this.details = details;
      this.trouble = null;
    } catch (error) {
      if (takeId === this.#takeId) this.trouble = troubleOf(error);
    }
  }

  showVerdicts(verdicts: ReadonlyMap<string, Verdict>): void {
    if (this.details === null) return;
    const judged = (take: TakeView): TakeView => ({ ...take, verdict: verdicts.get(take.id) ?? take.verdict });
    this.details = {
      ...this.details,
      take: judged(this.details.take),
      siblings: this.details.siblings.map(judged),
    };
  }
}
