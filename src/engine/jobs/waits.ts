import { isDeepStrictEqual } from 'node:util';
import type { Wait } from '../../contract/job.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { createYielder } from '../base/slices.ts';
import type { Job } from '../db/job-store.ts';
import type { Scope } from '../db/job-sql.ts';
import { shotReferences } from '../kinds/shot-reference.ts';
import { isUnsent } from '../../contract/job.ts';
import { shotOfName, type SourceShot } from './planning.ts';
import type { StepContext } from './step-context.ts';

export interface OpenWait {
  readonly waitsFor?: string;
  readonly waitsIn?: string;
  readonly wait?: Wait;
}

type Known = Pick<StepContext, 'batches' | 'jobs' | 'sources'>;

/**
 * What the row of a take has it wait for (column `wait_for`); null where it may go on. It is derived from picks and
 * releases at each look, so a verdict that is taken back has the row wait again as long as it is not sent.
 */
export function openWait(context: Known, job: Job, spec: ShotSpec): OpenWait | null {
  const { sources, jobs } = context;
  const waitFor = jobs.waits.waitFor(job.shotId);
  if (waitFor === 'release') return jobs.waits.isReleased(job.id) ? null : { wait: 'release' };
  if (waitFor !== 'pick') return null;
  const waits = shotsNamed(context, job, spec).flatMap((named): OpenWait[] => {
    const { best, mayCome } = sources.resultsOf(named.batchId, named.key);
    const shot = { waitsFor: named.key, ...(named.batchId !== job.batchId && { waitsIn: named.batchId }) };
    if (best) return best.isPick ? [] : [{ ...shot, wait: 'pick' }];
    return [mayCome ? shot : { ...shot, wait: 'failed' }];
  });
  return waits.find(({ wait }) => wait) ?? waits[0] ?? null;
}

/** The shots that a take refers to, without those whose file a person chose for it. */
function shotsNamed(context: Known, job: Job, spec: ShotSpec): SourceShot[] {
  const references = shotReferences(spec);
  if (references.length === 0) return [];
  const chosen = context.sources.of(job.id).filter(({ how }) => how !== 'reference');
  return references
    .filter(({ parameter, cell }) => !chosen.some((each) => each.parameter === parameter && each.cell === cell))
    .flatMap(({ name }) => shotOfName(context, job, name) ?? []);
}

/** A wait ends by an event. This look is the fallback, ms. */
export const LOOK_AGAIN_MS = 3_600_000;

/** Has a take wait. What was chosen for it before is forgotten: it uses what is picked when the wait ends. */
export function holdForWait(context: StepContext, job: Job, wait: OpenWait, also?: () => void): Job {
  const { state } = job;
  const now = context.ports.clock.now();
  const since = state.state === 'needs_assets' ? state.since : now;
  return context.advance(job, { type: 'await_assets', since, nextCheckAt: now + LOOK_AGAIN_MS, ...wait }, () => {
    context.sources.forgetReferences(job.id);
    also?.();
  });
}

/**
 * Looks again at the unsent takes whose rows wait: of a project after `verdicts`, of a batch after its list changed. The
 * steps do the same when they come to a take; a closed window or a pause keeps them from it.
 */
export async function lookAtWaits(context: StepContext, scope: Scope, verdicts?: readonly Job[]): Promise<void> {
  const giveWay = createYielder();
  const judged = verdicts && new Set(verdicts.map(({ batchId, shotKey }) => `${batchId} ${shotKey}`));
  for (const { id } of context.jobs.waits.unsent(scope)) {
    await giveWay();
    if (context.stopping.aborted) return;
    const job = context.jobs.get(id);
    const spec = job && context.batches.shot(job.shotId)?.spec;
    if (!job || !spec || !isUnsent(job.state)) continue;
    if (judged && !shotsNamed(context, job, spec).some(({ batchId, key }) => judged.has(`${batchId} ${key}`))) continue;
    const wait = openWait(context, job, spec);
    const before = waitOf(job);
    if (wait) {
      if (!isDeepStrictEqual(before, wait)) holdForWait(context, job, wait);
    } else if (Object.keys(before).length > 0 || isOutOfDate(context, job)) {
      goOn(context, job);
    }
  }
}

function waitOf({ state }: Job): OpenWait {
  if (state.state !== 'needs_assets') return {};
  const { waitsFor, waitsIn, wait } = state;
  return {
    ...(waitsFor !== undefined && { waitsFor }),
    ...(waitsIn !== undefined && { waitsIn }),
    ...(wait && { wait }),
  };
}

/** Has a take looked at by the step that prepares it. */
export function goOn(context: StepContext, job: Job, also?: () => void): Job {
  const now = context.ports.clock.now();
  return context.advance(job, { type: 'await_assets', since: now, nextCheckAt: now }, () => {
    context.sources.forgetReferences(job.id);
    also?.();
  });
}

/** Whether an unsent take, of a row that waits for picks, was prepared with one that is none any more. */
function isOutOfDate({ sources, jobs }: StepContext, { id, shotId }: Job): boolean {
  if (jobs.waits.waitFor(shotId) !== 'pick') return false;
  return sources.of(id).some(({ how, takeId }) => {
    const source = how === 'reference' ? jobs.get(takeId) : null;
    return source !== null && sources.resultsOf(source.batchId, source.shotKey).best?.takeId !== takeId;
  });
}
