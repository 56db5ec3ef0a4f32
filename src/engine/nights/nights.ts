import { reasonFacts } from '../../contract/events.ts';
import type {
  NewReport,
  NightReport,
  FailureGroup,
  FirstTake,
  NextStep,
  Wait,
  WaitSpan,
} from '../../contract/night-report.ts';
import type { Settings } from '../../contract/settings.ts';
import type { Clock } from '../base/ports.ts';
import { createYielder } from '../base/slices.ts';
import { accountOn, serviceOfAccount, settingsOn } from '../../contract/accounts.ts';
import { toPriceFacts, priceFor } from '../batches/price.ts';
import type { NightBatch, NightScope, NightStore, NightTake, NightRequest } from '../db/night-store.ts';
import type { Stores } from '../db/stores.ts';
import { nightStart } from '../projects/spending.ts';
import { sumOf } from '../../contract/batch.ts';
import { standingFor, type Counts, type Standing } from '../../contract/job.ts';
import { remedyAction } from '../../contract/failure.ts';

/** The stores that a night is read from; they may be read-only. */
type NightSources = Pick<Stores, 'nights' | 'spans' | 'ledger' | 'projects'>;

export interface ReportWanted {
  readonly since: number;
  readonly until: number;
  readonly projectId?: string | undefined;
}

const NEED_A_PERSON = [...reasonFacts].flatMap(([reason, { step }]) => (step ? [reason] : []));

/** How long a night stays news, ms. */
const NEWS_MS = 7 * 24 * 3_600_000;
const KEPT_MS = 90 * 24 * 3_600_000;
/** The longest time from the start of a night to its end: the next noon may be 25 hours away. */
const MAX_NIGHT_MS = 25 * 3_600_000;

export function createNights(stores: NightSources, clock: Clock, settings: () => Settings, isRunning: () => boolean) {
  function report(wanted: ReportWanted): Promise<NightReport> {
    const now = { now: clock.now(), isRunning: isRunning() };
    return readNight({ ...stores, settings: settings() }, { ...wanted, ...now });
  }

  /** The queue has finished: the nights of these projects become news. Returns when the night began, ms. */
  function ended(projectIds: readonly string[]): number {
    const { nights } = stores;
    const at = clock.now();
    const night = nightStart(at);
    nights.forgetBefore(at - KEPT_MS);
    for (const projectId of projectIds) nights.ended(projectId, night, at);
    return night;
  }

  /** The last unseen night of each listed project, newest first: one that is over, or goes on and needs a person. */
  async function unseen(): Promise<NewReport[]> {
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
        report: await report({ since: night, until: nightEnd(night), projectId }),
      });
    }
    return reports;
  }

  function seen(projectId: string, night: number): void {
    const now = clock.now();
    stores.nights.seen(projectId, night, now, { isTonight: night === nightStart(now) });
  }

  return { report, ended, unseen, seen };
}

export type Nights = ReturnType<typeof createNights>;

/** When a night that began at `night` ends: the next noon. */
export const nightEnd = (night: number): number => nightStart(night + MAX_NIGHT_MS + 3_600_000);

export async function readNight(
  { nights, spans, ledger, projects, settings }: NightSources & { readonly settings: Settings },
  { since, until, projectId, now, isRunning }: ReportWanted & { readonly now: number; readonly isRunning: boolean },
): Promise<NightReport> {
  const scope: NightScope = { since, until, projectId: projectId ?? null, isNow: until >= now };
  const project = projectId === undefined ? null : projects.get(projectId);
  const batches = nights.batches(scope);
  const batchIds = batches.map(({ id }) => id);
  const takes = nights.takes(batchIds, scope).map((take) => ({ ...take, standing: standingAt(take, scope) }));
  const service = projectId === undefined ? null : projects.service(projectId);
  const account = settings.accounts.length > 0 ? (accountOn(settings, service)?.name ?? null) : null;
  const requests = nights.requests(scope);
  const totals = ledger.totals({ projectId, from: since, until });
  const pricesOf = new Map(
    batches.map((batch) => [batch.id, settingsOn(settings, projects.service(batch.projectId)).prices]),
  );
  const batchOf = new Map(takes.map(({ shotId, batchId }) => [shotId, batchId]));
  const pricesFor = (shotId: string) => pricesOf.get(batchOf.get(shotId) ?? '') ?? [];
  const estimate = await estimateFor(takes, nights.shots(batchIds), pricesFor, since);
  const caps = capsFor({ ledger, projects }, scope, batches);
  const waits = spans
    .within(since, until, scope.projectId)
    .map((span) => clipped(span, scope))
    .filter((span) => span !== null);
  const counts = countsFor(takes);
  const byBatch = Map.groupBy(takes, ({ batchId }) => batchId);
  const failures = toFailures(takes.filter(({ standing }) => standing === 'failed'));
  return {
    ...{ since, until, project: project && { id: project.id, name: project.name, account } },
    ...{ takes: counts, earlierDecisions: nights.earlierDecisions(scope) },
    batches: batches.flatMap(({ id, name, project: of }) => {
      const ofBatch = byBatch.get(id) ?? [];
      return ofBatch.length === 0 ? [] : [{ id, name, project: of, takes: countsFor(ofBatch) }];
    }),
    failures,
    decisions: toShots(takes.filter(({ standing }) => standing === 'unknown')),
    requests: { sent: requests.length, again: requests.filter(({ again }) => again === 1).length },
    spend: { currency: settings.currency, totals, estimate, caps },
    waits: toWaits(waits),
    awake: waits.filter(({ cause }) => NOT_AWAKE.has(cause)),
    timeline: timelineFor(takes, requests, waits),
    firstTakes: firstTakesFor(takes, batches),
    next: nextSteps(counts, failures, waits, isRunning),
  };
}

async function estimateFor(
  takes: readonly NightTake[],
  shots: ReturnType<NightStore['shots']>,
  pricesFor: (shotId: string) => Settings['prices'],
  at: number,
): Promise<NightReport['spend']['estimate']> {
  if (takes.every(({ shotId }) => pricesFor(shotId).length === 0)) return { price: null, unpriced: takes.length };
  const counts = new Map<string, number>();
  for (const { shotId } of takes) counts.set(shotId, (counts.get(shotId) ?? 0) + 1);
  const giveWay = createYielder();
  let [sum, unpriced] = [0, 0];
  // Read all rows first: the database must not stay in the middle of a query.
  for (const { id, shot } of [...shots]) {
    const count = counts.get(id) ?? 0;
    const price = count === 0 ? 0 : priceFor(toPriceFacts(shot), at, pricesFor(id));
    if (price === null) unpriced += count;
    else sum += price * count;
    await giveWay();
  }
  return { price: unpriced === takes.length && takes.length > 0 ? null : sum, unpriced };
}

function capsFor(
  { ledger, projects }: Pick<Stores, 'ledger' | 'projects'>,
  { since, isNow, projectId }: NightScope,
  batches: readonly NightBatch[],
) {
  return ledger.caps(since).filter(({ scope }) => {
    // The amount that counts against a night's cap is known only during the night.
    if (scope.scope === 'night') return isNow;
    if (scope.scope === 'account') {
      return isNow && (projectId === null || projects.service(projectId) === serviceOfAccount(scope.accountId || null));
    }
    if (scope.scope === 'batch') return batches.some(({ id }) => id === scope.batchId);
    const isWanted = projectId === null || projectId === scope.projectId;
    return isWanted && batches.some((batch) => batch.projectId === scope.projectId);
  });
}

const BUCKETS = 72;
const MAX_SHOTS = 6;
const MAX_FIRST_TAKES = 24;
/** A chart of less than this shows nothing, ms. */
const SHORTEST_MS = 60_000;

/** Causes that mean the machine was not awake and connected. */
const NOT_AWAKE: ReadonlySet<string> = new Set(['slept', 'off', 'unreachable', 'clock_changed']);

/** The state of a take at the end of the night. What happened later belongs to another night. */
function standingAt({ state, paused, overAt }: NightTake, { until }: NightScope): Standing {
  return overAt !== null && overAt >= until ? 'unfinished' : standingFor(state, paused);
}

/** With its state at the end of the night. */
type JudgedTake = NightTake & { readonly standing: Standing };

function countsFor(takes: readonly JudgedTake[]): Counts {
  const counts = sumOf([]);
  for (const { standing } of takes) counts[standing]++;
  return counts;
}

function toFailures(takes: readonly NightTake[]): FailureGroup[] {
  const groups = Map.groupBy(
    takes.filter(({ failure }) => failure !== null),
    ({ failure }) => failure?.code ?? '',
  );
  return [...groups]
    .flatMap(([code, [first, ...more]]) => {
      if (!first?.failure) return [];
      const all = [first, ...more];
      const costing = (cost: string): number => all.filter(({ failure }) => failure?.cost === cost).length;
      const { message, remedy } = first.failure;
      const takesCosting = { charged: costing('charged'), maybe: costing('maybe') };
      return [{ code, message, remedy, takes: all.length, ...takesCosting, shots: toShots(all) }];
    })
    .sort((one, other) => other.takes - one.takes || (one.code < other.code ? -1 : 1));
}

const toShots = (takes: readonly NightTake[]): string[] =>
  [...new Set(takes.map(({ shot }) => shot))].slice(0, MAX_SHOTS);

/** The part of a span inside the night; null if there is none. */
function clipped(span: WaitSpan, { since, until }: NightScope): WaitSpan | null {
  const part = { ...span, from: Math.max(since, span.from), until: Math.min(until, span.until) };
  return part.until >= part.from ? part : null;
}

/** Each moment of a cause counts once, even if several spans cover it. The longest first. */
export function toWaits(spans: readonly WaitSpan[]): Wait[] {
  const causes = Map.groupBy(
    spans.filter(({ cause }) => cause !== 'clock_changed'),
    ({ cause }) => cause,
  );
  return [...causes]
    .map(([cause, all]) => {
      const waiting = Math.max(...all.map((span) => span.waiting));
      return { cause, ms: unionOf(all), times: all.length, waiting };
    })
    .filter(({ ms }) => ms > 0)
    .sort((one, other) => other.ms - one.ms);
}

function unionOf(spans: readonly { readonly from: number; readonly until: number }[]): number {
  let [sum, reached] = [0, Number.NEGATIVE_INFINITY];
  for (const { from, until } of [...spans].sort((one, other) => one.from - other.from)) {
    sum += Math.max(0, until - Math.max(from, reached));
    reached = Math.max(reached, until);
  }
  return sum;
}

function timelineFor(
  takes: readonly JudgedTake[],
  requests: readonly NightRequest[],
  spans: readonly WaitSpan[],
): NightReport['timeline'] {
  const savedAt = takes.flatMap(({ standing, overAt }) => (standing === 'saved' && overAt !== null ? [overAt] : []));
  const sentAt = requests.map(({ at }) => at);
  const shown = spans.filter(({ cause }) => cause !== 'service_full' && cause !== 'clock_changed');
  const times = [...savedAt, ...sentAt, ...shown.flatMap(({ from, until }) => [from, until])];
  if (times.length === 0) return null;
  const sorted = times.toSorted((one, other) => one - other);
  const from = sorted[0] ?? 0;
  const until = Math.max(from + SHORTEST_MS, sorted.at(-1) ?? 0);
  const toBucket = (at: number): number => Math.min(BUCKETS - 1, Math.floor(((at - from) / (until - from)) * BUCKETS));
  const bucketed = (all: readonly number[]): number[] => {
    const buckets = Map.groupBy(all, toBucket);
    return Array.from({ length: BUCKETS }, (_, index) => buckets.get(index)?.length ?? 0);
  };
  return {
    ...{ from, until, saved: bucketed(savedAt), sent: bucketed(sentAt) },
    spans: merged(shown, (until - from) / (BUCKETS * 4)),
  };
}

function merged(spans: readonly WaitSpan[], gap: number): { cause: string; from: number; until: number }[] {
  const all: { cause: string; from: number; until: number }[] = [];
  for (const { cause, from, until } of spans) {
    const before = all.findLast((each) => each.cause === cause);
    if (before && from - before.until <= gap) before.until = Math.max(before.until, until);
    else all.push({ cause, from, until });
  }
  return all;
}

/** The first saved take of each shot. If there are many, a selection spread over the whole list. */
function firstTakesFor(takes: readonly JudgedTake[], batches: readonly NightBatch[]): FirstTake[] {
  const saved = Map.groupBy(
    takes.filter(({ standing }) => standing === 'saved'),
    ({ batchId }) => batchId,
  );
  const all = batches.flatMap(({ id: batchId, name: batch, project }) =>
    [...Map.groupBy(saved.get(batchId) ?? [], ({ shot }) => shot).values()].flatMap(([first]) =>
      first ? [{ takeId: first.id, project, batch, shot: first.shot, take: first.take, kind: first.kind }] : [],
    ),
  );
  const shown = Math.min(all.length, MAX_FIRST_TAKES);
  return Array.from({ length: shown }, (_, index) => all[Math.floor((index * all.length) / shown)] as FirstTake);
}

function nextSteps(
  counts: Counts,
  failures: readonly FailureGroup[],
  spans: readonly WaitSpan[],
  isRunning: boolean,
): NightReport['next'] {
  const waiting = spans.filter(({ isOpen }) => isOpen).map(({ cause }) => reasonFacts.get(cause)?.step);
  const ofFailures = failures.map((failure) => remedyAction(failure));
  const { unfinished, unknown, failed, saved } = counts;
  const isHeld = unfinished > 0 && waiting.some((step) => step !== undefined);
  const hasAny = (causes: readonly string[]): boolean => spans.some(({ cause }) => causes.includes(cause));
  const steps: [NextStep, boolean, number][] = [
    ['set_key', waiting.includes('set_key') || ofFailures.includes('set_key'), unfinished],
    ['add_credit', waiting.includes('add_credit') || ofFailures.includes('add_credit'), unfinished],
    ['free_disk', waiting.includes('free_disk') && unfinished > 0, unfinished],
    ['raise_cap', waiting.includes('raise_cap') && unfinished > 0, unfinished],
    ['decide', unknown > 0, unknown],
    ['fix_failed', failed > 0, failed],
    ['resume', unfinished > 0 && !isRunning && !isHeld, unfinished],
    ['stay_awake', hasAny(['slept']), 0],
    ['set_clock', hasAny(['clock_changed']), 0],
    ['review', saved > 0, saved],
  ];
  return steps.flatMap(([step, isNeeded, takes]) => (isNeeded ? [{ step, takes }] : []));
}
