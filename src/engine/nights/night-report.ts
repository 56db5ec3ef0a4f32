import { sumOf } from '../../contract/batch.ts';
import { standingFor, type Counts, type Standing } from '../../contract/job.ts';
import type { CapState, LedgerTotals } from '../../contract/ledger.ts';
import type { FailureGroup, FirstTake, NextStep, NightReport, Wait, WaitSpan } from '../../contract/night-report.ts';
import { reasonFacts } from '../../contract/events.ts';
import { remedyAction } from '../../contract/failure.ts';
import type { NightBatch, NightRequest, NightScope, NightTake } from '../db/night-store.ts';

export interface NightFacts {
  readonly scope: NightScope;
  readonly project: NightReport['project'];
  readonly batches: readonly NightBatch[];
  /** In list order. */
  readonly takes: readonly NightTake[];
  readonly earlierDecisions: number;
  readonly requests: readonly NightRequest[];
  readonly currency: string;
  readonly totals: LedgerTotals;
  readonly estimate: NightReport['spend']['estimate'];
  readonly caps: readonly CapState[];
  readonly spans: readonly WaitSpan[];
  readonly isRunning: boolean;
}

const BUCKETS = 72;
const MAX_SHOTS = 6;
const MAX_FIRST_TAKES = 24;
/** A chart of less than this shows nothing, ms. */
const SHORTEST_MS = 60_000;

/** Causes that mean the machine was not awake and connected. */
const NOT_AWAKE: ReadonlySet<string> = new Set(['slept', 'off', 'unreachable', 'clock_changed']);

export function nightReport(facts: NightFacts): NightReport {
  const { scope, project, batches, takes, requests, currency, totals, estimate, caps, isRunning } = facts;
  const spans = facts.spans.map((span) => clipped(span, scope)).filter((span) => span !== null);
  const standing = new Map(takes.map((take) => [take.id, standingAt(take, scope)] as const));
  const counts = countsFor(takes, standing);
  const byBatch = Map.groupBy(takes, ({ batchId }) => batchId);
  const failures = toFailures(takes.filter(({ id }) => standing.get(id) === 'failed'));
  return {
    ...{ since: scope.since, until: scope.until, project },
    takes: counts,
    earlierDecisions: facts.earlierDecisions,
    batches: batches.flatMap(({ id, name, project: of }) => {
      const ofBatch = byBatch.get(id) ?? [];
      return ofBatch.length === 0 ? [] : [{ id, name, project: of, takes: countsFor(ofBatch, standing) }];
    }),
    failures,
    decisions: toShots(takes.filter(({ id }) => standing.get(id) === 'unknown')),
    requests: { sent: requests.length, again: requests.filter(({ again }) => again === 1).length },
    spend: { currency, totals, estimate, caps: [...caps] },
    waits: toWaits(spans),
    awake: spans.filter(({ cause }) => NOT_AWAKE.has(cause)),
    timeline: timelineFor(takes, standing, requests, spans),
    firstTakes: firstTakesFor(takes, standing, batches),
    next: nextSteps({ counts, failures, spans, isRunning }),
  };
}

/** The state of a take at the end of the night. What happened later belongs to another night. */
function standingAt({ state, paused, overAt }: NightTake, { until }: NightScope): Standing {
  return overAt !== null && overAt >= until ? 'unfinished' : standingFor(state, paused);
}

function countsFor(takes: readonly NightTake[], standing: ReadonlyMap<string, Standing>): Counts {
  const counts = sumOf([]);
  for (const { id } of takes) counts[standing.get(id) ?? 'unfinished']++;
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
  takes: readonly NightTake[],
  standing: ReadonlyMap<string, Standing>,
  requests: readonly NightRequest[],
  spans: readonly WaitSpan[],
): NightReport['timeline'] {
  const savedAt = takes.flatMap(({ id, overAt }) => (standing.get(id) === 'saved' && overAt !== null ? [overAt] : []));
  const sentAt = requests.map(({ at }) => at);
  const shown = spans.filter(({ cause }) => cause !== 'service_full' && cause !== 'clock_changed');
  const times = [...savedAt, ...sentAt, ...shown.flatMap(({ from, until }) => [from, until])];
  if (times.length === 0) return null;
  const from = times.reduce((least, at) => Math.min(least, at));
  const until = Math.max(
    from + SHORTEST_MS,
    times.reduce((most, at) => Math.max(most, at)),
  );
  const bucketed = (all: readonly number[]): number[] => {
    const buckets = Array.from({ length: BUCKETS }, () => 0);
    for (const at of all) {
      const index = Math.min(BUCKETS - 1, Math.floor(((at - from) / (until - from)) * BUCKETS));
      buckets[index] = (buckets[index] ?? 0) + 1;
    }
    return buckets;
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
function firstTakesFor(
  takes: readonly NightTake[],
  standing: ReadonlyMap<string, Standing>,
  batches: readonly NightBatch[],
): FirstTake[] {
  const first = new Map<string, FirstTake>();
  const byBatch = Map.groupBy(takes, ({ batchId }) => batchId);
  for (const { id: batchId, name: batch, project } of batches) {
    for (const { id, shot, take, kind } of byBatch.get(batchId) ?? []) {
      const key = `${batchId} ${shot}`;
      if (standing.get(id) === 'saved' && !first.has(key)) {
        first.set(key, { takeId: id, project, batch, shot, take, kind });
      }
    }
  }
  const all = [...first.values()];
  if (all.length <= MAX_FIRST_TAKES) return all;
  return Array.from(
    { length: MAX_FIRST_TAKES },
    (_, index) => all.slice(Math.floor((index * all.length) / MAX_FIRST_TAKES))[0],
  ).filter((each) => each !== undefined);
}

function nextSteps({
  counts,
  failures,
  spans,
  isRunning,
}: {
  readonly counts: Counts;
  readonly failures: readonly FailureGroup[];
  readonly spans: readonly WaitSpan[];
  readonly isRunning: boolean;
}): NightReport['next'] {
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
