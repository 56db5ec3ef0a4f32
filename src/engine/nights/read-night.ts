import type { NightReport } from '../../contract/night-report.ts';
import type { Settings } from '../../contract/settings.ts';
import { givingWay } from '../base/slices.ts';
import { priceFactsOf, priceOf, pricesOn } from '../batches/price.ts';
import type { LedgerStore } from '../db/ledger-store.ts';
import type { NightBatch, NightScope, NightSpans, NightStore, NightTake } from '../db/night-store.ts';
import type { ProjectStore } from '../db/project-store.ts';
import { nightReport } from './night-report.ts';

/** The stores that a night is read from; they may be read-only. */
export interface NightSources {
  readonly nights: NightStore;
  readonly spans: NightSpans;
  readonly ledger: LedgerStore;
  readonly projects: ProjectStore;
  readonly settings: Pick<Settings, 'prices' | 'currency'>;
}

export interface WantedNight {
  readonly since: number;
  readonly until: number;
  readonly projectId?: string | undefined;
  readonly now: number;
  readonly isRunning: boolean;
}

export async function readNight(
  { nights, spans, ledger, projects, settings }: NightSources,
  { since, until, projectId, now, isRunning }: WantedNight,
): Promise<NightReport> {
  const scope: NightScope = { since, until, projectId: projectId ?? null, isNow: until >= now };
  const project = projectId === undefined ? null : projects.get(projectId);
  const batches = nights.batches(scope);
  const batchIds = batches.map(({ id }) => id);
  const takes = nights.takes(batchIds, scope);
  const service = projectId === undefined ? null : projects.service(projectId);
  const prices = pricesOn(service, settings.prices);
  return nightReport({
    ...{ scope, batches, takes, isRunning, currency: settings.currency },
    project: project && { id: project.id, name: project.name },
    earlierDecisions: nights.earlierDecisions(scope),
    requests: nights.requests(scope),
    totals: ledger.totals({ projectId, from: since, until }),
    estimate: await estimateOf(takes, nights.shots(batchIds), prices, since),
    caps: capsOf(ledger, scope, batches),
    spans: spans.within(since, until, scope.projectId),
  });
}

/** What the takes cost if each is sent once, at the prices of that night. */
async function estimateOf(
  takes: readonly NightTake[],
  shots: ReturnType<NightStore['shots']>,
  prices: NightSources['settings']['prices'],
  at: number,
): Promise<NightReport['spend']['estimate']> {
  if (prices.length === 0) return { price: null, unpriced: takes.length };
  const counts = new Map<string, number>();
  for (const { shotId } of takes) counts.set(shotId, (counts.get(shotId) ?? 0) + 1);
  const giveWay = givingWay();
  let [sum, unpriced] = [0, 0];
  // Read all rows first: the database must not stay in the middle of a query.
  for (const { id, shot } of [...shots]) {
    const count = counts.get(id) ?? 0;
    const price = count === 0 ? 0 : priceOf(priceFactsOf(shot), at, prices);
    if (price === null) unpriced += count;
    else sum += price * count;
    await giveWay();
  }
  return { price: unpriced === takes.length && takes.length > 0 ? null : sum, unpriced };
}

function capsOf(ledger: LedgerStore, { since, isNow, projectId }: NightScope, batches: readonly NightBatch[]) {
  return ledger.caps(since).flatMap((state) => {
    const { scope } = state;
    // The amount that counts against a night's cap is known only during the night.
    if (scope.scope === 'night') return isNow ? [{ ...state, name: '' }] : [];
    if (scope.scope === 'batch') {
      const batch = batches.find(({ id }) => id === scope.batchId);
      return batch ? [{ ...state, name: batch.name }] : [];
    }
    const batch = batches.find((each) => each.projectId === scope.projectId);
    const isWanted = projectId === null || projectId === scope.projectId;
    return batch && isWanted ? [{ ...state, name: batch.project }] : [];
  });
}
