import { untrack } from 'svelte';
import type { Changes } from '../../../contract/events.ts';
import { toTrouble, type Trouble } from '../client.ts';
import { atMostEvery } from '../throttle.ts';
import { changeStream } from './changes.svelte.ts';

interface Source<Of, T> {
  /** What to read, as plain data. Read again whenever its content changes. */
  readonly of: () => Of;
  readonly read: (of: Of) => Promise<T>;
  readonly changedBy?: (changes: Changes, of: Of) => boolean;
  readonly everyMs?: number;
  /** How long `of` has to rest before it is read, for example while a person types, ms. */
  readonly restMs?: number;
  /** The value of the previous `of` stays until the next has been read. */
  readonly staysShown?: boolean;
}

export class Resource<Of, T> {
  readonly #source: Source<Of, T>;
  #current = $state.raw<T>();
  trouble = $state.raw<Trouble | null>(null);
  /** Readings are numbered in the order in which they were asked for. */
  #newest = 0;
  #shown = 0;
  readonly #about = $derived.by(() => JSON.stringify(this.#source.of()));

  constructor(source: Source<Of, T>) {
    this.#source = source;
  }

  /** Undefined until it was read. A failed read leaves it as it was. */
  get current(): T | undefined {
    return this.#current;
  }

  set current(value: T | undefined) {
    this.#dropRunning();
    this.#current = value;
    this.trouble = null;
  }

  adapt(change: (shown: T) => T): void {
    if (this.#current !== undefined) this.#current = change(this.#current);
  }

  /** Reads it now. Never rejects. */
  refresh(): Promise<void> {
    return untrack(() => this.#read(this.#source.of()));
  }

  /** Keeps it up to date until the returned function is called. For `$effect`. */
  follow(): () => void {
    const { changedBy, everyMs = 0, restMs, staysShown = false } = this.#source;
    void this.#about;
    const of = untrack(this.#source.of);
    let isOver = false;
    const readSoon = atMostEvery(everyMs, async () => {
      if (!isOver) await this.#read(of);
    });
    let resting: ReturnType<typeof setTimeout> | undefined;
    untrack(() => {
      if (!staysShown) this.current = undefined;
      if (restMs === undefined) readSoon();
      else resting = setTimeout(readSoon, restMs);
    });
    const stop =
      changedBy &&
      changeStream.listen((changes) => {
        if (changes.resync || changedBy(changes, of)) readSoon();
      });
    return () => {
      isOver = true;
      this.#dropRunning();
      clearTimeout(resting);
      stop?.();
    };
  }

  async #read(of: Of): Promise<void> {
    this.#newest += 1;
    const asked = this.#newest;
    try {
      const value = await this.#source.read(of);
      if (asked < this.#shown) return;
      this.#shown = asked;
      this.#current = value;
      this.trouble = null;
    } catch (error) {
      if (asked < this.#shown) return;
      this.#shown = asked;
      this.trouble = toTrouble(error);
    }
  }

  #dropRunning(): void {
    this.#newest += 1;
    this.#shown = this.#newest;
  }
}

export function resource<Of, T>(source: Source<Of, T>): Resource<Of, T> {
  const made = new Resource(source);
  $effect(() => made.follow());
  return made;
}
