import { reasonFacts } from '../../contract/events.ts';
import type { NewReport, NightReport } from '../../contract/night-report.ts';
import type { Settings } from '../../contract/settings.ts';
import type { Clock } from '../base/ports.ts';
import { createYielder } from '../base/slices.ts';
import { toPriceFacts, priceFor, pricesOn } from '../batches/price.ts';
import type { NightBatch, NightScope, NightStore, NightTake } from '../db/night-store.ts';
import type { Stores } from '../db/stores.ts';
import { nightStart } from '../projects/spending.ts';
import { nightReport } from './night-report.ts';
import type { WaitRecorder } from './wait-recorder.ts';

/** The stores that a night is read from; they may be read-only. */
type NightSources = Pick<Stores, 'nights' | 'spans' | 'ledger' | 'projects'>;

export interface ReportWanted {
  readonly since: number;
  readonly until: number;
  readonly projectId?: string | undefined;
}

export interface NightsParts {
  readonly stores: NightSources;
  readonly settings: () => Pick<Settings, 'prices' | 'currency'>;
  readonly waitRecorder: WaitRecorder;
  readonly clock: Clock;
  readonly isRunning: () => boolean;
  /** Called with each beat, for what no event announces: a clock that was set back, settings that another program wrote. */
  readonly onBeat: () => void;
}

const NEED_A_PERSON = [...reasonFacts].flatMap(([reason, { step }]) => (step ? [reason] : []));

/** How long a night stays news, ms. */
const NEWS_MS = 7 * 24 * 3_600_000;
const KEPT_MS = 90 * 24 * 3_600_000;
/** The longest time from the start of a night to its end: the next noon may be 25 hours away. */
const MAX_NIGHT_MS = 25 * 3_600_000;

export class Nights {
  readonly #parts: NightsParts;

  constructor(parts: NightsParts) {
    this.#parts = parts;
  }

  report(wanted: ReportWanted): Promise<NightReport> {
    const { stores, settings, clock, isRunning } = this.#parts;
    return readNight({ ...stores, settings: settings() }, { ...wanted, now: clock.now(), isRunning: isRunning() });
  }

  /** Call this about once a minute: also notices a clock that was set back. `isAtWork`: something progresses automatically. */
  beat(isAtWork: boolean): void {
    this.#parts.onBeat();
    this.#parts.waitRecorder.beat(isAtWork);
  }

  /** The queue has finished: the nights of these projects become news. Returns when the night began, ms. */
  ended(projectIds: readonly string[]): number {
    const { nights } = this.#parts.stores;
    const at = this.#parts.clock.now();
    const night = nightStart(at);
    nights.forgetBefore(at - KEPT_MS);
    for (const projectId of projectIds) nights.ended(projectId, night, at);
    return night;
  }

  /** The last unseen night of each listed project, newest first: one that is over, or goes on and needs a person. */
  async unseen(): Promise<NewReport[]> {
    const { stores, clock } = this.#parts;
    const { nights, projects } = stores;
    const listed = new Map(projects.list().map(({ id, name }) => [id, name] as const));
    const tonight = nightStart(clock.now());
    const needing = nights.needing(tonight, NEED_A_PERSON);
    const found = [
      ...needing.map((projectId) => ({ projectId, night: tonight, isOver: false })),
      ...nights
        .unseen(clock.now() - NEWS_MS)
        .filter(({ projectId }) => !needing.includes(projectId))
        .map((night) => ({ ...night, isOver: true })),
    ];
    const reports: NewReport[] = [];
    for (const { projectId, night, isOver } of found) {
      const project = listed.get(projectId);
      if (project === undefined) continue;
      reports.push({
        projectId,
        project,
        isOver,
        night,
        report: await this.report({ since: night, until: nightEnd(night), projectId }),
      });
    }
    return reports;
  }

  seen(projectId: string, night: number): void {
    const now = this.#parts.clock.now();
    this.#parts.stores.nights.seen(projectId, night, now, { isTonight: night === nightStart(now) });
  }
}

/** When a night that began at `night` ends: the next noon. */
export const nightEnd = (night: number): number => nightStart(night + MAX_NIGHT_MS + 3_600_000);

export async function readNight(
  {
    nights,
    spans,
    ledger,
    projects,
    settings,
  }: NightSources & { readonly settings: Pick<Settings, 'prices' | 'currency'> },
  { since, until, projectId, now, isRunning }: ReportWanted & { readonly now: number; readonly isRunning: boolean },
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
    estimate: await estimateFor(takes, nights.shots(batchIds), prices, since),
    caps: capsFor(ledger, scope, batches),
    spans: spans.within(since, until, scope.projectId),
  });
}

async function estimateFor(
  takes: readonly NightTake[],
  shots: ReturnType<NightStore['shots']>,
  prices: Settings['prices'],
  at: number,
): Promise<NightReport['spend']['estimate']> {
  if (prices.length === 0) return { price: null, unpriced: takes.length };
  const counts = new Map<string, number>();
  for (const { shotId } of takes) counts.set(shotId, (counts.get(shotId) ?? 0) + 1);
  const giveWay = createYielder();
  let [sum, unpriced] = [0, 0];
  // Read all rows first: the database must not stay in the middle of a query.
  for (const { id, shot } of [...shots]) {
    const count = counts.get(id) ?? 0;
    const price = count === 0 ? 0 : priceFor(toPriceFacts(shot), at, prices);
    if (price === null) unpriced += count;
    else sum += price * count;
    await giveWay();
  }
  return { price: unpriced === takes.length && takes.length > 0 ? null : sum, unpriced };
}

function capsFor(ledger: Stores['ledger'], { since, isNow, projectId }: NightScope, batches: readonly NightBatch[]) {
  return ledger.caps(since).filter(({ scope }) => {
    // The amount that counts against a night's cap is known only during the night.
    if (scope.scope === 'night') return isNow;
    if (scope.scope === 'batch') return batches.some(({ id }) => id === scope.batchId);
    const isWanted = projectId === null || projectId === scope.projectId;
    return isWanted && batches.some((batch) => batch.projectId === scope.projectId);
  });
}
