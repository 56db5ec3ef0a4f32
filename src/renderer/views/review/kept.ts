/** Small preferences of the view, kept in the window from visit to visit. */
export function kept(name: string, otherwise: number): number;
export function kept(name: string, otherwise: boolean): boolean;
export function kept(name: string, otherwise: number | boolean): number | boolean {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(placeOf(name)) ?? 'null');
    // A value of another type was written by another release.
    const fits = typeof stored === 'number' || typeof stored === 'boolean';
    return fits && typeof stored === typeof otherwise ? stored : otherwise;
  } catch {
    return otherwise;
  }
}

export function keep(name: string, value: number | boolean): void {
  localStorage.setItem(placeOf(name), JSON.stringify(value));
}

const placeOf = (name: string): string => `dailies.review.${name}`;
