import { finish } from './write-down.ts';
import { nothingUnusual, type StepReport } from '../machine/step-report.ts';
import type { JobStateOf } from '../../contract/job.ts';
import type { Job } from '../db/job-store.ts';
import type { Account } from '../db/service-store.ts';
import { needsOf } from '../library/needs.ts';
import type { Prepared } from '../library/prepare.ts';
import { failureOfShot } from '../library/words.ts';
import { agreedIn, projectOf, shotOf } from './planning.ts';
import { type StepContext } from './step-context.ts';

/** True when a job's media have to be uploaded, or looked at, before it can be sent. Asks nobody. */
export function needsPreparing(context: StepContext, account: Account, job: Job): boolean {
  const shot = context.batches.shot(job.shotId);
  const batch = context.batches.get(job.batchId);
  // A job without its shot is for the submit to complain about: it can say which one it is.
  if (!shot || !batch) return false;
  const needs = needsOf(shot.spec, batch.listFolder);
  if (needs.local.length + needs.named.length === 0) return false;
  return !context.preparer.isPrepared(account, shot.spec.model, needs, context.uses.preparedFor(account, job.id));
}

/** A job that is due to be sent, and whose media are not usable after all, goes over to the step that gets them ready. */
export function sendToPreparation(context: StepContext, job: Job): void {
  const now = context.ports.clock.now();
  const { lastFailure } = job.state as JobStateOf<'ready'>;
  // Whatever a file failed of before a person asked for the shot (again) is tried anew; what failed since is not.
  const since = lastFailure ? now : job.createdAt;
  context.advance(job, { type: 'await_assets', since, nextCheckAt: now });
}

/**
 * One look at everything a shot needs of the library: uploads what is missing, asks whether it is usable. Nothing
 * billable is sent from here; a shot whose media cannot be had fails, and the others go on.
 */
export async function prepareJob(context: StepContext, account: Account, job: Job): Promise<StepReport> {
  const { spec, listFolder } = shotOf(context, job);
  const { since } = job.state as JobStateOf<'needs_assets'>;
  try {
    const prepared = await context.preparer.prepare({
      account,
      model: spec.model,
      needs: needsOf(spec, listFolder),
      agreed: await agreedIn(context, projectOf(context, job)),
      group: spec.group,
      kept: context.uses.preparedFor(account, job.id),
      since,
    });
    return await settle(context, account, job, since, prepared);
  } catch (error) {
    // Stopped in the middle: the next start begins with what arrived.
    if (context.stopping.aborted) return nothingUnusual;
    throw error;
  }
}

async function settle(
  context: StepContext,
  account: Account,
  job: Job,
  since: number,
  prepared: Prepared,
): Promise<StepReport> {
  const now = context.ports.clock.now();
  switch (prepared.type) {
    case 'ready':
      context.advance(job, { type: 'assets_ready' }, () => context.uses.save(account, job.id, prepared.uses));
      return { saw: 'answer' };
    case 'waiting':
      context.advance(job, { type: 'await_assets', since, nextCheckAt: prepared.until });
      return nothingUnusual;
    case 'held':
      context.advance(job, { type: 'await_assets', since, nextCheckAt: prepared.until });
      return prepared.report;
    case 'failed': {
      const failure = failureOfShot(prepared.trouble, prepared.what, now);
      context.ports.logger.warn('A shot could not be prepared', {
        job: job.id,
        shot: job.shotKey,
        reason: failure.message,
      });
      await finish(context, context.advance(job, { type: 'unprepared', failure }));
      return nothingUnusual;
    }
  }
}
