import type { TakeFilter, TakeGroup, TakeView, Verdict } from '../../../contract/review.ts';
import { api, toTrouble, type Trouble } from '../../lib/client.ts';
import { toPlaces } from './grid/tile-rows.ts';

/** Takes read at once: the first screen comes immediately, and a page is small enough to read again at any change. */
const PAGE = 100;

/** The takes that match the filter, read page by page in sight. They stay until newer ones come: nothing jumps. */
export class TakeList {
  /** In their order; undefined where they have not been read yet. */
  items = $state.raw<readonly (TakeView | undefined)[]>([]);
  /** Number of matching takes; null until counted. */
  total = $state<number | null>(null);
  /** In their order; null without groups. */
  groups = $state.raw<readonly TakeGroup[] | null>(null);
  trouble = $state.raw<Trouble | null>(null);
  readonly #places = $derived(toPlaces(this.items));

  #filter: TakeFilter | null = null;
  /** Pages that were asked for and did not fail. Another record is another reading: answers to the one before are late. */
  #pages: Record<number, boolean> = {};
  #asked: { readonly of: unknown; readonly groups: Promise<readonly TakeGroup[]> } | null = null;
  outdated = $state(false);
  #sight = { first: 0, last: 0 };

  indexOf(takeId: string | null): number {
    return (takeId === null ? undefined : this.#places.get(takeId)) ?? -1;
  }

  byId(takeId: string): TakeView | undefined {
    return this.items[this.indexOf(takeId)];
  }

  show(filter: TakeFilter): Promise<void> {
    this.outdated ||= JSON.stringify(filter) !== JSON.stringify(this.#filter);
    if (this.outdated) this.#sight = { first: 0, last: PAGE - 1 };
    this.#filter = filter;
    return this.refresh();
  }

  /** Reads the visible takes again, and the rest when it comes into sight. Resolves when the visible ones were read. */
  refresh(): Promise<void> {
    this.#pages = {};
    return this.#read();
  }

  see(first: number, last: number): void {
    this.#sight = { first, last };
    void this.#read();
  }

  async allIds(): Promise<string[]> {
    return this.#filter === null ? [] : api.takes.ids(this.#filter);
  }

  showVerdicts(verdicts: ReadonlyMap<string, Verdict>): void {
    const items = [...this.items];
    for (const [id, verdict] of verdicts) {
      const place = this.indexOf(id);
      const take = items[place];
      if (take) items[place] = { ...take, verdict };
    }
    this.items = items;
  }

  async #read(): Promise<void> {
    if (this.#filter === null) return;
    const filter = this.#filter;
    const first = Math.floor(this.#sight.first / PAGE);
    const last = Math.floor(Math.max(this.#sight.first, this.#sight.last) / PAGE);
    const pages = Array.from({ length: last - first + 1 }, (_none, index) => this.#readPage(first + index, filter));
    await Promise.all(pages);
  }

  async #readPage(page: number, filter: TakeFilter): Promise<void> {
    const start = page * PAGE;
    const isBeyond = this.total !== null && start >= this.total && start > 0 && !this.outdated;
    const pages = this.#pages;
    if (pages[page] || isBeyond) return;
    pages[page] = true;
    try {
      const [{ total, takes }, groups] = await Promise.all([
        api.takes.list({ ...filter, start, count: PAGE }),
        this.#groupsOf(filter),
      ]);
      if (pages !== this.#pages) return;
      this.groups = groups;
      this.#take(start, total, takes);
      this.trouble = null;
      void this.#read();
    } catch (error) {
      if (pages !== this.#pages) return;
      pages[page] = false;
      this.trouble = toTrouble(error);
    }
  }

  #groupsOf(filter: TakeFilter): Promise<readonly TakeGroup[]> | null {
    if (filter.group === undefined) return null;
    const of = this.#pages;
    if (this.#asked?.of !== of) this.#asked = { of, groups: api.takes.groups(filter) };
    return this.#asked.groups;
  }

  #take(start: number, total: number, takes: readonly TakeView[]): void {
    const items = this.outdated ? [] : [...this.items];
    this.outdated = false;
    items.length = total;
    for (const [index, take] of takes.entries()) items[start + index] = take;
    this.items = items;
    this.total = total;
  }
}
