import type { ChainSums } from '../../contract/batch.ts';
import type { Settings } from '../../contract/settings.ts';
import { chainSums, goesAlone } from '../batches/chain-sums.ts';
import type { Stores } from '../db/stores.ts';
import { keysFor } from '../jobs/planning.ts';

/** What the unsent takes of a batch come to, by who has to act first. */
export function sumsLeft(
  { batches, jobs }: Pick<Stores, 'batches' | 'jobs'>,
  batchId: string,
  settings: Settings,
): ChainSums {
  const left = jobs.waits.left(batchId);
  const rows = new Map(left.map((row) => [row.spec.key, row]));
  const hasWaits = left.some(({ spec }) => spec.waitFor !== undefined);
  const goes = goesAlone({
    rowOf: (key) => rows.get(key) ?? null,
    find: keysFor({ batches }, batchId),
    results: new Map(hasWaits ? batches.takes.usable(batchId) : []),
  });
  return chainSums(
    left.map((row) => ({
      ...{ shot: row.spec, takes: 1 },
      when: row.isHeld ? 'held' : !hasWaits || goes(row) ? 'tonight' : 'afterPicks',
    })),
    settings,
  );
}

/** Sums of several batches; null where none has a price. */
export const addSums = (all: readonly ChainSums[]): ChainSums => {
  const add = (which: keyof ChainSums) => {
    const sums = all.map((each) => each[which]);
    const priced = sums.flatMap(({ price }) => price ?? []);
    return {
      takes: sums.reduce((total, { takes }) => total + takes, 0),
      price: priced.length === 0 ? null : priced.reduce((total, price) => total + price, 0),
      unpriced: sums.reduce((total, { unpriced }) => total + unpriced, 0),
    };
  };
  return { tonight: add('tonight'), afterPicks: add('afterPicks'), atMost: add('atMost') };
};
