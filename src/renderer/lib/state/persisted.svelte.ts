/** A preference that the window keeps from visit to visit. */
export class Persisted<T> {
  readonly #key: string;
  #current: T;

  /** `fits` says whether what is stored can be used: another release may have written it. */
  constructor(name: string, otherwise: T, fits: (stored: unknown) => stored is T = isOfType(otherwise)) {
    this.#key = `dailies.${name}`;
    const stored = parsed(localStorage.getItem(this.#key));
    this.#current = $state.raw(fits(stored) ? stored : otherwise);
  }

  get current(): T {
    return this.#current;
  }

  set current(value: T) {
    this.#current = value;
    localStorage.setItem(this.#key, JSON.stringify(value));
  }
}

const isOfType =
  <T>(otherwise: T) =>
  (stored: unknown): stored is T =>
    typeof stored === typeof otherwise && stored !== null;

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}
