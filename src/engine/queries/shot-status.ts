import type { JobView, Standing } from '../../contract/job.ts';
import type { Output } from '../../contract/take.ts';
import type { Stores } from '../db/stores.ts';

/** What became of one shot, as a list in a spreadsheet shows it. */
export interface ShotStatus {
  /** Of the take that is shown; null before the first take. */
  readonly standing: Standing | null;
  /** Its number: the pick, else the newest saved take, else the newest. */
  readonly take: number | null;
  readonly pick: number | null;
  /** Stars of that take; null where it has none. */
  readonly rating: number | null;
  /** How many takes are saved. */
  readonly takes: number;
  /** Its first file, relative to the project folder. */
  readonly file: string | null;
  /** Of all requests of the shot, in the currency of the price table; null where one has no price, or none was sent. */
  readonly cost: number | null;
}

type Seen = Pick<JobView, 'id' | 'shot' | 'take' | 'standing' | 'flag'> & { readonly outputs: readonly Output[] };

/** The status of each shot of a batch that has one, by its key. What is in the trash, or no longer asked for, is left out. */
export function shotStatuses(
  { batches, queries, review, ledger }: Pick<Stores, 'batches' | 'queries' | 'review' | 'ledger'>,
  batchId: string,
): Map<string, ShotStatus> {
  const takes: Seen[] = [];
  for (const { job, outputs } of queries.ofBatch(batchId)) {
    const { id, shot, take, standing, flag } = job;
    if (!job.trash && !job.isSetAside) takes.push({ id, shot, take, standing, ...(flag && { flag }), outputs });
  }
  const byShot = Map.groupBy(takes, ({ shot }) => shot);
  const costs = ledger.ofShots(batchId);
  const keys = new Set([...batches.currentShots(batchId).map(({ key }) => key), ...byShot.keys()]);
  return new Map(
    [...keys].map((key) => {
      const status = statusOf(byShot.get(key) ?? [], (takeId) => review.verdict(takeId)?.rating ?? 0);
      return [key, { ...status, cost: costs.get(key) ?? null }];
    }),
  );
}

function statusOf(takes: readonly Seen[], ratingOf: (takeId: string) => number): Omit<ShotStatus, 'cost'> {
  const newestFirst = takes.toSorted((one, other) => other.take - one.take);
  const saved = newestFirst.filter(({ standing }) => standing === 'saved');
  const pick = saved.find(({ flag }) => flag === 'pick');
  const shown = pick ?? saved.find(({ flag }) => flag !== 'reject') ?? saved[0] ?? newestFirst[0];
  return {
    standing: shown?.standing ?? null,
    take: shown?.take ?? null,
    pick: pick?.take ?? null,
    rating: (shown && ratingOf(shown.id)) || null,
    takes: saved.length,
    file: shown?.outputs[0]?.file ?? null,
  };
}
