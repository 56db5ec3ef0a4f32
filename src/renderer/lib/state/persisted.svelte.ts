import { untrack } from 'svelte';
import { keep, kept, whenKept } from './stored.ts';

/** A preference that the window keeps from visit to visit. */
export class Persisted<T> {
  readonly #name: string;
  readonly #fits: (stored: unknown) => stored is T;
  #current: T;

  /** `fits` checks the stored value: another release may have written it. */
  constructor(name: string, otherwise: T, fits: (stored: unknown) => stored is T = isOfType(otherwise)) {
    this.#name = name;
    this.#fits = fits;
    const stored = kept(name);
    this.#current = $state.raw(fits(stored) ? stored : otherwise);
  }

  get current(): T {
    return this.#current;
  }

  set current(value: T) {
    this.#current = value;
    keep(this.#name, value);
  }

  /** Takes over what another window keeps, as soon as it does. */
  followOthers(): this {
    whenKept(this.#name, (stored) => {
      if (this.#fits(stored)) this.#current = stored;
    });
    return this;
  }

  /** Changes the stored value, which another window may have changed since this one read it. */
  change(changed: (now: T) => T): void {
    const stored = kept(this.#name);
    this.current = changed(this.#fits(stored) ? stored : untrack(() => this.#current));
  }
}

const isOfType =
  <T>(otherwise: T) =>
  (stored: unknown): stored is T =>
    typeof stored === typeof otherwise && stored !== null;
