import { SvelteMap } from 'svelte/reactivity';
import type { TakeView, Verdict } from '../../../contract/review.ts';
import { api } from '../../lib/client.ts';
import { toastError } from '../../lib/toasts.ts';
import { reviewPlace } from './review-place.svelte.ts';
import type { TakeList } from './take-list.svelte.ts';

/** The takes that are open in the player or side by side; a verdict or another filter may take them off the list. */
export class OpenTakes {
  readonly #list: TakeList;
  readonly #read = new SvelteMap<string, TakeView>();
  #pane = $state(0);
  /** In their order, as far as they are known. */
  readonly takes = $derived.by(() => reviewPlace.open.flatMap((id) => this.takeOf(id) ?? []));

  constructor(list: TakeList) {
    this.#list = list;
  }

  /** Which of the takes side by side the keys are about. */
  get pane(): number {
    return Math.min(this.#pane, Math.max(0, this.takes.length - 1));
  }

  set pane(pane: number) {
    this.#pane = (pane + this.takes.length) % Math.max(1, this.takes.length);
  }

  get focus(): TakeView | null {
    return this.takes[this.pane] ?? null;
  }

  takeOf(takeId: string): TakeView | undefined {
    return this.#list.byId(takeId) ?? this.#read.get(takeId);
  }

  show(takes: readonly TakeView[]): void {
    const ids = takes.map(({ id }) => id);
    for (const take of takes) this.#read.set(take.id, take);
    reviewPlace.show(ids);
    for (const id of [...this.#read.keys()]) if (!ids.includes(id)) this.#read.delete(id);
  }

  showVerdicts(verdicts: ReadonlyMap<string, Verdict>): void {
    for (const [id, verdict] of verdicts) {
      const take = this.#read.get(id);
      if (take) this.#read.set(id, { ...take, verdict });
    }
  }

  readMissing(): void {
    for (const id of reviewPlace.open) if (!this.takeOf(id)) void this.#readOne(id);
  }

  /** Reads those again that the list does not keep up to date. */
  refresh(): void {
    for (const id of reviewPlace.open) if (!this.#list.byId(id)) void this.#readOne(id);
  }

  async #readOne(takeId: string): Promise<void> {
    try {
      const { take } = await api.takes.details({ takeId });
      this.#read.set(takeId, take);
    } catch (error) {
      this.#read.delete(takeId);
      if (!reviewPlace.open.includes(takeId)) return;
      reviewPlace.show(reviewPlace.open.filter((id) => id !== takeId));
      toastError(error);
    }
  }
}
