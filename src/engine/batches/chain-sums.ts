import type { ChainSum, ChainSums } from '../../contract/batch.ts';
import type { Settings } from '../../contract/settings.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { BatchStore } from '../db/batch-store.ts';
import { type FindKey, shotNamed, shotReferences } from '../kinds/shot-reference.ts';
import { estimate, type NewTakes } from './price.ts';
import { keyFinder } from './shot-graph.ts';

export interface ChainRow {
  readonly spec: ShotSpec;
  /** A person has released it, where it waits for that. */
  readonly isReleased: boolean;
}

/** The shots of other batches of the project, as references name them. */
interface Beside {
  elsewhere(batch: string): FindKey | null;
  resultOf(batch: string, key: string): Result | undefined;
}

type Result = { readonly isPicked: boolean };

/** No key has it. */
const BETWEEN = '\0';

interface Chain {
  readonly beside: Beside;
  /** The row of a key; null where there is none. */
  readonly rowOf: (key: string) => ChainRow | null;
  /** The key that a text means; see `keyFinder`. */
  readonly find: FindKey;
  /** Shots with a saved take that can be used, and whether it is picked. */
  readonly results: ReadonlyMap<string, Result>;
}

/** Each batch is read once, when a row first refers to it. */
export function shotsBeside(batches: BatchStore, projectId: string): Beside {
  const known = new Map<string, { readonly find: FindKey; readonly results: ReadonlyMap<string, Result> } | null>();
  const read = (name: string) => {
    const batch = batches.named(projectId, name);
    if (!batch) return null;
    const keys = new Set(batches.currentKeys(batch.id));
    return {
      find: keyFinder(
        (text) => keys.has(text),
        () => keys,
      ),
      results: new Map(batches.takes.usable(batch.id)),
    };
  };
  const batch = (name: string) => {
    if (!known.has(name)) known.set(name, read(name));
    return known.get(name) ?? null;
  };
  return {
    elsewhere: (name) => batch(name)?.find ?? null,
    resultOf: (name, key) => batch(name)?.results.get(key),
  };
}

/** Says of rows whether they are sent without anything that a person has to do first, all that they refer to included. Pure. */
export function goesAlone({ rowOf, find, results, beside }: Chain): (row: ChainRow) => boolean {
  const known = new Map<string, boolean>();
  const keysIn = ({ spec }: ChainRow): string[] =>
    shotReferences(spec).flatMap(({ name }) => {
      const shot = shotNamed(name, find, beside.elsewhere);
      return shot === null ? [] : shot.batch === null ? shot.key : shot.batch + BETWEEN + shot.key;
    });
  const resultOf = (key: string): Result | undefined => {
    const [batch = '', shot] = key.split(BETWEEN);
    return shot === undefined ? results.get(key) : beside.resultOf(batch, shot);
  };
  const isOpen = (row: ChainRow, keys: readonly string[]): boolean =>
    (row.spec.waitFor === 'release' && !row.isReleased) ||
    (row.spec.waitFor === 'pick' && !keys.every((key) => resultOf(key)?.isPicked === true));
  /** Not by recursion: a chain may be as long as a list. */
  const settle = (start: string): void => {
    const entered = new Set<string>();
    for (const path = [start]; path.length > 0;) {
      const key = path.at(-1) as string;
      const row = known.has(key) ? null : rowOf(key);
      const keys = row ? keysIn(row) : [];
      const missing = keys.filter((each) => !resultOf(each) && !known.has(each) && !entered.has(each));
      if (row && !isOpen(row, keys) && missing.length > 0) {
        for (const each of missing) path.push(each);
        entered.add(key);
        continue;
      }
      if (row)
        known.set(
          key,
          !isOpen(row, keys) && keys.every((each) => resultOf(each) !== undefined || known.get(each) !== false),
        );
      path.pop();
    }
  };
  return (row) => {
    const keys = keysIn(row);
    if (isOpen(row, keys)) return false;
    return keys.every((key) => {
      if (resultOf(key)) return true;
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
