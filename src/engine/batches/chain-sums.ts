import type { ChainSum, ChainSums } from '../../contract/batch.ts';
import type { Settings } from '../../contract/settings.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { BatchStore } from '../db/batch-store.ts';
import { type FindKey, shotNamed, shotReferences } from '../kinds/shot-reference.ts';
import { estimate, type NewTakes } from './price.ts';
import { findCircles, keysIn } from './shot-graph.ts';

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
    return { find: keysIn(keys), results: new Map(batches.takes.usable(batch.id)) };
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
  const namedIn = ({ spec }: ChainRow): string[] =>
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
  const isReady = (key: string): boolean => resultOf(key) !== undefined || known.get(key) !== false;
  const read = (key: string): readonly [ChainRow | null, readonly string[]] => {
    const row = rowOf(key);
    return [row, row ? namedIn(row) : []];
  };
  const settle = (start: string): void => {
    const toSettle = (key: string): readonly string[] => {
      const [row, keys] = known.has(key) ? [null, []] : read(key);
      return !row || isOpen(row, keys) ? [] : keys.filter((each) => !resultOf(each));
    };
    findCircles([start], toSettle, (key) => {
      const [row, keys] = known.has(key) ? [null, []] : read(key);
      if (row) known.set(key, !isOpen(row, keys) && keys.every(isReady));
    });
  };
  return (row) => {
    const keys = namedIn(row);
    if (isOpen(row, keys)) return false;
    for (const key of keys) if (!resultOf(key)) settle(key);
    return keys.every(isReady);
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
