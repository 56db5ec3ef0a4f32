/** Values that the window keeps from visit to visit, in this browser. */
export const keep = (name: string, value: unknown): void => localStorage.setItem(keyOf(name), JSON.stringify(value));

/** The value stored under a name; null when there is none, or none that we can read. */
export function kept(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(keyOf(name)) ?? 'null');
  } catch {
    return null;
  }
}

/** Calls `listener` with what another window keeps under a name, for as long as this window is open. */
export function whenKept(name: string, listener: (stored: unknown) => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === keyOf(name)) listener(kept(name));
  });
}

const keyOf = (name: string): string => `dailies.${name}`;
