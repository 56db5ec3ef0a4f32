import type { FindKey } from '../kinds/shot-reference.ts';
import { savedForm } from './plan-import.ts';

/** A row that would have to wait for itself: `at` names `to`, which needs `at`. */
interface Circle {
  readonly at: string;
  readonly to: string;
  /** The shots of the circle from `to` to `at`, each needing the next; a long circle in part. */
  readonly path: readonly string[];
}

/** Keys of a circle to name at each of its ends. */
const TOLD = 3;

/**
 * The circles in which shots name each other, each at least once. Linear in the number of names. `whenDone` is called with
 * each shot, after those that it names unless they are in a circle with it.
 */
export function findCircles(
  keys: Iterable<string>,
  namedBy: (key: string) => readonly string[],
  whenDone: (key: string) => void = () => undefined,
): Circle[] {
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
        whenDone(top.key);
        path.pop();
        continue;
      }
      const place = places.get(next);
      if (place === undefined) enter(next);
      else if (place !== 'done') circles.push({ at: top.key, to: next, path: pathFrom(path, place) });
    }
  }
  return circles;
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
export function keyFinder(isKey: (text: string) => boolean, keys: () => Iterable<string>): FindKey {
  let bySavedForm: Map<string, string | null> | undefined;
  return (text) => {
    if (isKey(text)) return text;
    bySavedForm ??= uniqueSavedForms(keys());
    return bySavedForm.get(savedForm(text)) ?? null;
  };
}

/** The same among keys that are all known. */
export const keysIn = (keys: ReadonlySet<string>): FindKey =>
  keyFinder(
    (text) => keys.has(text),
    () => keys,
  );

/** Null where several keys have the same saved form. */
function uniqueSavedForms(keys: Iterable<string>): Map<string, string | null> {
  const found = new Map<string, string | null>();
  for (const key of keys) found.set(savedForm(key), found.has(savedForm(key)) ? null : key);
  return found;
}
