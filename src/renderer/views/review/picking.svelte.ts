import { SvelteSet } from 'svelte/reactivity';
import type { TakeList } from './take-list.svelte.ts';

/** The cursor of the list, and the selection around it. */
export class Picking {
  readonly #list: TakeList;
  readonly selected = new SvelteSet<string>();
  #cursorId = $state<string | null>(null);
  /** The last place of the cursor: when its take leaves the list, the next one moves up under it. */
  #cursorIndex = $state(0);
  #anchor = 0;

  constructor(list: TakeList) {
    this.#list = list;
  }

  get cursor(): number {
    const place = this.#list.indexOf(this.#cursorId);
    const last = Math.max(0, (this.#list.total ?? 1) - 1);
    return place >= 0 ? place : Math.min(this.#cursorIndex, last);
  }

  /** Goes to a take and selects nothing else. */
  go(index: number): void {
    this.selected.clear();
    this.#anchor = this.#put(index);
  }

  /** Goes to a take and leaves the selection. */
  follow(takeId: string): void {
    const index = this.#list.indexOf(takeId);
    if (index >= 0) this.#put(index);
  }

  /** Selects from where the selection began to here. */
  extend(index: number): void {
    const to = this.#put(index);
    this.selected.clear();
    const [first, last] = [Math.min(this.#anchor, to), Math.max(this.#anchor, to)];
    for (const take of this.#list.items.slice(first, last + 1)) if (take) this.selected.add(take.id);
  }

  /** Takes one more take into the selection, or out of it. */
  toggle(index: number): void {
    const before = this.#list.items[this.cursor];
    // The cursor counts as chosen: adding a second take makes two.
    if (this.selected.size === 0 && before && before.id !== this.#list.items[index]?.id) this.selected.add(before.id);
    this.#anchor = this.#put(index);
    const take = this.#list.items[index];
    if (!take) return;
    if (!this.selected.delete(take.id)) this.selected.add(take.id);
  }

  select(takeIds: readonly string[]): void {
    this.selected.clear();
    for (const id of takeIds) this.selected.add(id);
  }

  clear(): void {
    this.selected.clear();
  }

  /** Another list: to its top, unless it holds the take that the cursor is on. */
  restart(): void {
    this.selected.clear();
    this.#cursorIndex = 0;
    this.#anchor = 0;
  }

  #put(index: number): number {
    const inside = Math.max(0, Math.min(index, (this.#list.total ?? 1) - 1));
    this.#cursorIndex = inside;
    this.#cursorId = this.#list.items[inside]?.id ?? null;
    return inside;
  }
}
