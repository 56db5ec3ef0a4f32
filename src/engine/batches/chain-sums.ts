import type { ChainSum, ChainSums } from '../../contract/batch.ts';
import type { Settings } from '../../contract/settings.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { shotNamed, shotReferences } from '../kinds/shot-reference.ts';
import { estimate, type NewTakes } from './price.ts';

export interface ChainRow {
  readonly spec: ShotSpec;
  /** A person has released it, where it waits for that. */
  readonly isReleased: boolean;
}

interface Chain {
  /** The row of a key; null where there is none. */
  readonly rowOf: (key: string) => ChainRow | null;
  /** The key that a text means; see `keyFinder`. */
  readonly find: (text: string) => string | null;
  /** Shots with a saved take that can be used, and whether it is picked. */
  readonly results: ReadonlyMap<string, { readonly isPicked: boolean }>;
}

/** Says of rows whether they are sent without anything that a person has to do first, all that they refer to included. Pure. */
export function goesAlone({ rowOf, find, results }: Chain): (row: ChainRow) => boolean {
  const known = new Map<string, boolean>();
  const keysIn = ({ spec }: ChainRow): string[] =>
    shotReferences(spec).flatMap(({ name }) => shotNamed(name, find)?.key ?? []);
  const isOpen = (row: ChainRow, keys: readonly string[]): boolean =>
    (row.spec.waitFor === 'release' && !row.isReleased) ||
    (row.spec.waitFor === 'pick' && !keys.every((key) => results.get(key)?.isPicked === true));
  /** Not by recursion: a chain may be as long as a list. */
  const settle = (start: string): void => {
    const entered = new Set<string>();
    for (const path = [start]; path.length > 0;) {
      const key = path.at(-1) as string;
      const row = known.has(key) ? null : rowOf(key);
      const keys = row ? keysIn(row) : [];
      const missing = keys.filter((each) => !results.has(each) && !known.has(each) && !entered.has(each));
      if (row && !isOpen(row, keys) && missing.length > 0) {
        for (const each of missing) path.push(each);
        entered.add(key);
        continue;
      }
      if (row)
        known.set(key, !isOpen(row, keys) && keys.every((each) => results.has(each) || known.get(each) !== false));
      path.pop();
    }
  };
  return (row) => {
    const keys = keysIn(row);
    if (isOpen(row, keys)) return false;
    return keys.every((key) => {
      if (results.has(key)) return true;
      settle(key);
      return known.get(key) !== false;
    });
  };
}

/** What takes come to that go tonight in any case, those that follow once a person has picked or released, and all. */
export function chainSums(
  wanted: readonly (NewTakes & { readonly when: 'tonight' | 'afterPicks' | 'held' })[],
  settings: Settings,
): ChainSums {
  const sum = (takes: readonly NewTakes[]): ChainSum => {
    const { newTakes, price, unpriced } = estimate(takes, settings);
    return { takes: newTakes, price: newTakes === 0 ? 0 : price, unpriced };
  };
  const only = (wantedWhen: string) => sum(wanted.filter(({ when }) => when === wantedWhen));
  return { tonight: only('tonight'), afterPicks: only('afterPicks'), atMost: sum(wanted) };
}
