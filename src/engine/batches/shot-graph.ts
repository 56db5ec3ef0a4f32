import type { ShotSpec } from '../../contract/shot.ts';
import { createYielder } from '../base/slices.ts';
import { shotNamed, shotReferences, type ShotReference } from '../kinds/shot-reference.ts';
import { savedForm } from './plan-import.ts';

/** A row that would have to wait for itself: `at` names `to`, which needs `at`. */
interface Circle {
  readonly at: string;
  readonly to: string;
  /** The shots of the circle from `to` to `at`, each needing the next; a long circle in part. */
  readonly path: readonly string[];
}

export interface ShotOrder {
  /** The shots, each after those it needs, as far as there is no circle. */
  readonly order: readonly string[];
  /** At least one for each circle. */
  readonly circles: readonly Circle[];
}

/** Keys of a circle to name at each of its ends. */
const TOLD = 3;

/** Sorts shots so that each comes after those it names. Linear in the number of names. Pure. */
export function orderShots(keys: Iterable<string>, namedBy: (key: string) => readonly string[]): ShotOrder {
  const order: string[] = [];
  const circles: Circle[] = [];
  const places = new Map<string, number | 'done'>();
  for (const start of keys) {
    if (places.has(start)) continue;
    const path: { readonly key: string; readonly rest: Iterator<string> }[] = [];
    const enter = (key: string): void => {
      places.set(key, path.length);
      path.push({ key, rest: namedBy(key)[Symbol.iterator]() });
    };
    enter(start);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const { done, value: next } = top.rest.next();
      if (done === true) {
        places.set(top.key, 'done');
        order.push(top.key);
        path.pop();
        continue;
      }
      const place = places.get(next);
      if (place === undefined) enter(next);
      else if (place !== 'done') circles.push({ at: top.key, to: next, path: pathFrom(path, place) });
    }
  }
  return { order, circles };
}

function pathFrom(path: readonly { readonly key: string }[], place: number): string[] {
  if (path.length - place <= 2 * TOLD) return path.slice(place).map(({ key }) => key);
  const [begin, end] = [path.slice(place, place + TOLD), path.slice(-TOLD)];
  return [...begin.map(({ key }) => key), '…', ...end.map(({ key }) => key)];
}

/**
 * Finds the key that a text means: itself, or the one key that a spreadsheet program has made of it or made it of. `isKey`
 * is asked first; `keys` are read only when it says no.
 */
export function keyFinder(
  isKey: (text: string) => boolean,
  keys: () => Iterable<string>,
): (text: string) => string | null {
  let bySavedForm: Map<string, string | null> | undefined;
  return (text) => {
    if (isKey(text)) return text;
    bySavedForm ??= uniqueSavedForms(keys());
    return bySavedForm.get(savedForm(text)) ?? null;
  };
}

/** Null where several keys have the same saved form. */
function uniqueSavedForms(keys: Iterable<string>): Map<string, string | null> {
  const found = new Map<string, string | null>();
  for (const key of keys) found.set(savedForm(key), found.has(savedForm(key)) ? null : key);
  return found;
}

/**
 * Priorities of the shots that others wait for, by key: they go before all that do not wait for them but have the same
 * priority, and before those that wait for them.
 */
export async function prioritiesOfNamed(shots: readonly ShotSpec[]): Promise<ReadonlyMap<string, number>> {
  const naming: { readonly key: string; readonly references: readonly ShotReference[] }[] = [];
  const giveWay = createYielder();
  for (const spec of shots) {
    const turn = giveWay();
    if (turn) await turn;
    const references = shotReferences(spec);
    if (references.length > 0) naming.push({ key: spec.key, references });
  }
  if (naming.length === 0) return new Map();
  const specs = new Map(shots.map((spec) => [spec.key, spec]));
  const find = keyFinder(
    (text) => specs.has(text),
    () => specs.keys(),
  );
  const named = new Map<string, string[]>();
  for (const { key, references } of naming) {
    const turn = giveWay();
    if (turn) await turn;
    const keys = references.flatMap(({ name }) => shotNamed(name, find)?.key ?? []);
    if (keys.length > 0) named.set(key, keys);
  }
  const wanted = new Map<string, number>();
  const { order } = orderShots(named.keys(), (key) => named.get(key) ?? []);
  for (const key of [...order].reverse()) {
    const own = Math.max(specs.get(key)?.priority ?? 0, wanted.get(key) ?? Number.NEGATIVE_INFINITY);
    for (const source of named.get(key) ?? []) wanted.set(source, Math.max(wanted.get(source) ?? own, own));
  }
  return new Map([...wanted].map(([key, priority]) => [key, Math.max(specs.get(key)?.priority ?? 0, priority + 1)]));
}
