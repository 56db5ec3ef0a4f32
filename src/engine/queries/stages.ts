import type { ChainSums, NextWait, Stage } from '../../contract/batch.ts';
import type { Wait } from '../../contract/job.ts';
import type { Settings } from '../../contract/settings.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { createYielder } from '../base/slices.ts';
import { findCircles, keysIn } from '../batches/shot-graph.ts';
import { chainSums, goesAlone, shotsBeside } from '../batches/chain-sums.ts';
import type { Stores } from '../db/stores.ts';
import type { Scope } from '../db/job-store.ts';
import { shotNamed, shotReferences } from '../kinds/shot-reference.ts';
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
    beside: shotsBeside(batches, batches.get(batchId)?.projectId ?? ''),
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

type WithRows = Pick<Stores, 'batches' | 'jobs'>;

/** The stages of a batch, from its rows as they are now; none where no row refers to another. */
export const stagesOf = (stores: WithRows, batchId: string): Stage[] =>
  toStages(stores, batchId, new Map(stores.jobs.waits.naming(batchId).map(keysNamedIn(stores, batchId))));

/** The same, in short turns. */
export async function readStages(stores: WithRows, batchId: string): Promise<Stage[]> {
  const named = new Map<string, readonly string[]>();
  const toKeys = keysNamedIn(stores, batchId);
  const giveWay = createYielder();
  for (const spec of stores.jobs.waits.naming(batchId)) {
    await giveWay();
    named.set(...toKeys(spec));
  }
  await giveWay();
  return toStages(stores, batchId, named);
}

function keysNamedIn({ batches }: WithRows, batchId: string) {
  const find = keysIn(new Set(batches.currentKeys(batchId)));
  return (spec: ShotSpec): [key: string, names: readonly string[]] => [
    spec.key,
    shotReferences(spec).flatMap(({ name }) => shotNamed(name, find)?.key ?? []),
  ];
}

function toStages({ jobs }: WithRows, batchId: string, named: ReadonlyMap<string, readonly string[]>): Stage[] {
  if (named.size === 0) return [];
  const depths = depthsIn(named);
  const byDepth = Map.groupBy(jobs.waits.rows(batchId), ({ key }) => depths.get(key) ?? 0);
  return [...byDepth]
    .sort(([one], [other]) => one - other)
    .map(([, rows]) => {
      const count = (is: (row: (typeof rows)[number]) => boolean): number => rows.filter(is).length;
      return {
        kinds: [...new Set(rows.map(({ kind }) => kind))].sort(),
        shots: rows.length,
        saved: count(({ isSaved }) => isSaved),
        picked: count(({ isPicked }) => isPicked),
        underWay: count(({ isUnderWay }) => isUnderWay),
        failed: count(({ isFailed, isSaved }) => isFailed && !isSaved),
        undecided: count(({ isUndecided }) => isUndecided),
        waits: {
          pick: count(({ wait }) => wait === 'pick'),
          failed: count(({ wait }) => wait === 'failed'),
          release: count(({ wait }) => wait === 'release'),
        },
      };
    });
}

/** How many rows each row comes after. Pure. */
function depthsIn(named: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  const namedBy = (key: string): readonly string[] => named.get(key) ?? [];
  findCircles(named.keys(), namedBy, (key) => {
    depths.set(key, Math.max(0, ...namedBy(key).map((other) => 1 + (depths.get(other) ?? 0))));
  });
  return depths;
}

interface WantedWaits extends Pick<Scope, 'projectId'> {
  readonly wait?: Wait | undefined;
  readonly count: number;
}

/** The first things that a person has to do before rows go on, in the order of the lists. */
export function nextWaits(
  { jobs, sources, queries }: Pick<Stores, 'jobs' | 'sources' | 'queries'>,
  { projectId, wait, count }: WantedWaits,
): NextWait[] {
  return jobs.waits.first({ projectId }, wait ?? null, count).flatMap(({ id, batchId, state }) => {
    const { waitsFor, waitsIn = batchId } = state;
    const best = waitsFor === undefined ? null : sources.resultsOf(waitsIn, waitsFor).best;
    const newest = waitsFor === undefined ? undefined : queries.list({ batchId: waitsIn, shots: [waitsFor] }).at(-1);
    const take = queries.view(best?.takeId ?? newest?.id ?? id);
    if (!take || !state.wait) return [];
    const isSaved = take.state === 'saved';
    return {
      wait: state.wait,
      projectId: take.projectId,
      batchId: take.batchId,
      shot: take.shot,
      takeId: take.id,
      isSaved,
    };
  });
}
