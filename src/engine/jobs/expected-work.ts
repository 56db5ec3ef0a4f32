import { settingsOn } from '../../contract/accounts.ts';
import type { Settings } from '../../contract/settings.ts';
import { mapSpan, type TimeSpan } from '../../contract/job.ts';
import type { JobQueries, RemainingWork } from '../db/job-queries.ts';
import type { StepContext } from './step-context.ts';
import { isDatabaseTrouble } from '../db/open.ts';
import type { Account, ServiceStore } from '../db/service-store.ts';
import { expectedSpan, spanByPace, type ModelWork, type Work } from '../machine/expected-end.ts';

export interface LearnedWork {
  readonly queries: JobQueries;
  readonly service: ServiceStore;
  readonly accountOf: (service: string | null) => Account | null;
  readonly settings: Settings;
}

export type AddedWork = Pick<RemainingWork, 'service' | 'model' | 'waiting'>;

export function workLeft(
  { queries, service: learned, accountOf, settings }: LearnedWork,
  added: readonly AddedWork[] = [],
): Work {
  const left = new Map<string, RemainingWork>();
  for (const work of [...queries.workLeft(), ...added.map((each) => ({ ...each, running: 0 }))]) {
    const name = JSON.stringify([work.service, work.model]);
    left.set(name, {
      ...work,
      waiting: work.waiting + (left.get(name)?.waiting ?? 0),
      running: work.running + (left.get(name)?.running ?? 0),
    });
  }
  const models = [...left.values()].map(({ service, model, waiting, running }): ModelWork => {
    const account = accountOf(service);
    const times = account ? learned.taskSamples(account.origin, model) : [];
    const places = (account && learned.ceilings(account).get(model)?.own) ?? null;
    return { model, waiting, running, times, places };
  });
  const services = new Set([...left.values()].map(({ service }) => service));
  const rates = [...services].map((service) => {
    const account = accountOf(service);
    const most = settingsOn(settings, service).maxRate.submit;
    return Math.min((account && learned.rate(account, 'submit')?.rate) ?? most, most);
  });
  return { models, submitsPerSecond: rates.reduce((sum, rate) => sum + rate, 0) };
}

/** How long an estimate is kept, ms: counting 50,000 takes costs 50 ms. */
const HOLDS_MS = 10_000;
const LOOKED_AT_MS = 600_000;

/** When the queue will be done: from what is known of its models, else from the pace of the last minutes. */
export function createExpectedEnds(context: StepContext) {
  let known: { readonly at: number; readonly unfinished: number; readonly end: TimeSpan | null } | null = null;

  /** As times, ms; null while unknown. `opensAt`: nothing is sent before, ms. */
  function end(opensAt: number | null): TimeSpan | null {
    const now = context.ports.clock.now();
    try {
      const unfinished = context.tally.counts({}).unfinished;
      const isFresh = known !== null && now - known.at < HOLDS_MS && now >= known.at;
      // Queueing and cancelling change it immediately; a saved take does not.
      const isSame = known !== null && Math.abs(unfinished - known.unfinished) <= unfinished / 10;
      if (!known || !isFresh || !isSame) known = { at: now, unfinished, end: found(unfinished, opensAt, now) };
      return known.end;
    } catch (error) {
      if (!isDatabaseTrouble(error)) throw error;
      return null;
    }
  }

  /** How long the queue takes with these takes added, ms; null while unknown. */
  function lengthWith(added: readonly AddedWork[]): TimeSpan | null {
    return expectedSpan(workLeft(learned(), added));
  }

  function learned(): LearnedWork {
    const { queries, service, settings, clients } = context;
    return { queries, service, settings, accountOf: (name) => clients.currentIfAny(name) };
  }

  function found(unfinished: number, opensAt: number | null, now: number): TimeSpan | null {
    if (unfinished === 0) return null;
    const left = workLeft(learned());
    // Each take is on hold.
    if (left.models.length === 0) return null;
    const opensIn = Math.max(0, (opensAt ?? now) - now);
    const span =
      expectedSpan({ ...left, opensIn }) ??
      (opensIn > 0 ? null : spanByPace(unfinished, context.review.savedInRun(now - LOOKED_AT_MS), now));
    return span && mapSpan(span, (ms) => now + ms);
  }

  return { end, lengthWith };
}

export type ExpectedEnds = ReturnType<typeof createExpectedEnds>;
