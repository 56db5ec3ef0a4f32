import { untrack } from 'svelte';

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

export const keep = (name: string, value: unknown): void => localStorage.setItem(keyFor(name), JSON.stringify(value));

/** The value stored under a name; null when there is none, or none that we can read. */
export function kept(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(keyFor(name)) ?? 'null');
  } catch {
    return null;
  }
}

const keyFor = (name: string): string => `dailies.${name}`;

export const areTexts = (stored: unknown): stored is readonly string[] =>
  Array.isArray(stored) && stored.every((text) => typeof text === 'string');
