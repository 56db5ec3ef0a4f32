import { isDeepStrictEqual } from 'node:util';
import type { Wait } from '../../contract/job.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { createYielder } from '../base/slices.ts';
import type { Job } from '../db/job-store.ts';
import { shotNamed, shotReferences } from '../kinds/shot-reference.ts';
import { isUnsent } from '../../contract/job.ts';
import { keysFor } from './planning.ts';
import type { StepContext } from './step-context.ts';

export interface OpenWait {
  readonly waitsFor?: string;
  readonly wait?: Wait;
}

type Known = Pick<StepContext, 'batches' | 'jobs' | 'sources'>;

/**
 * What the row of a take has it wait for (column `wait_for`); null where it may go on. It is derived from picks and
 * releases at each look, so a verdict that is taken back has the row wait again as long as it is not sent.
 */
export function openWait(context: Known, { id, batchId, shotId }: Job, spec: ShotSpec): OpenWait | null {
  const { sources, jobs } = context;
  const waitFor = jobs.waits.waitFor(shotId);
  if (waitFor === 'release') return jobs.waits.isReleased(id) ? null : { wait: 'release' };
  if (waitFor !== 'pick') return null;
  const waits = shotsNamed(context, { id, batchId }, spec).flatMap((waitsFor): OpenWait[] => {
    const { best, mayCome } = sources.resultsOf(batchId, waitsFor);
    if (best) return best.isPick ? [] : [{ waitsFor, wait: 'pick' }];
    return [mayCome ? { waitsFor } : { waitsFor, wait: 'failed' }];
  });
  return waits.find(({ wait }) => wait) ?? waits[0] ?? null;
}

/** Keys of the shots that a take refers to, without those whose file a person chose for it. */
function shotsNamed(
  { batches, sources }: Known,
  { id, batchId }: Pick<Job, 'id' | 'batchId'>,
  spec: ShotSpec,
): string[] {
  const references = shotReferences(spec);
  if (references.length === 0) return [];
  const chosen = sources.of(id).filter(({ how }) => how !== 'reference');
  const find = keysFor({ batches }, batchId);
  const keys = references
    .filter(({ parameter, cell }) => !chosen.some((each) => each.parameter === parameter && each.cell === cell))
    .flatMap(({ name }) => shotNamed(name, find)?.key ?? []);
  return [...new Set(keys)];
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
 * Looks again at the unsent takes of a batch whose rows wait: after verdicts about takes of `keys`, or after its list
 * changed. The steps do the same when they come to a take; a closed window or a pause keeps them from it.
 */
export async function lookAtWaits(context: StepContext, batchId: string, keys?: ReadonlySet<string>): Promise<void> {
  const giveWay = createYielder();
  for (const { id } of context.jobs.waits.unsent(batchId)) {
    await giveWay();
    if (context.stopping.aborted) return;
    const job = context.jobs.get(id);
    const spec = job && context.batches.shot(job.shotId)?.spec;
    if (!job || !spec || !isUnsent(job.state)) continue;
    if (keys && !shotsNamed(context, job, spec).some((key) => keys.has(key))) continue;
    const wait = openWait(context, job, spec);
    const { state } = job;
    const before = state.state === 'needs_assets' && { waitsFor: state.waitsFor, wait: state.wait };
    if (wait) {
      if (!isDeepStrictEqual(before, { waitsFor: undefined, wait: undefined, ...wait }))
        holdForWait(context, job, wait);
    } else if ((before && (before.wait ?? before.waitsFor)) || isOutOfDate(context, job)) {
      goOn(context, job);
    }
  }
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
function isOutOfDate({ sources, jobs }: StepContext, { id, batchId, shotId }: Job): boolean {
  if (jobs.waits.waitFor(shotId) !== 'pick') return false;
  return sources.of(id).some(({ how, takeId }) => {
    const source = how === 'reference' ? jobs.get(takeId) : null;
    return source !== null && sources.resultsOf(batchId, source.shotKey).best?.takeId !== takeId;
  });
}
