import { textForLog } from '../../contract/messages/message.ts';
import { finish } from './persist-event.ts';
import { NO_INCIDENT, type StepReport } from '../machine/job-facts.ts';
import type { JobStateOf } from '../../contract/job.ts';
import type { Job } from '../db/job-store.ts';
import type { Account } from '../db/service-store.ts';
import { LocalFileError } from '../library/identity.ts';
import { needsAssets, needsFor } from '../library/needs.ts';
import type { Prepared } from '../library/prepare.ts';
import { failureOfShot } from '../library/library-parts.ts';
import {
  agreedIn,
  findSources,
  goneFile,
  preparedMedia,
  projectFor,
  rowFor,
  shotFor,
  shotsToFind,
  sourceOfOtherAccount,
  unknownButton,
  unreadFrame,
  type SourceSearch,
  type UsedFile,
} from './planning.ts';
import { type StepContext } from './step-context.ts';
import { holdForWait, LOOK_AGAIN_MS, openWait } from './waits.ts';

/** True when a job's media have to be uploaded or checked before it can be sent. Sends no request. */
export function needsPreparing(context: StepContext, account: Account, job: Job): boolean {
  const shot = context.batches.shot(job.shotId);
  const batch = context.batches.get(job.batchId);
  // The submit reports a job without its shot: it can name the shot.
  if (!shot || !batch) return false;
  if (openWait(context, job, shot.spec)) return true;
  if (!needsAssets(shot.spec, batch.listFolder)) return false;
  if (shotsToFind(context, job, shot.spec).length > 0) return true;
  if (sourceOfOtherAccount(context, account, job) ?? unknownButton(context, job, shot.spec)) return true;
  try {
    const { spec, files } = shotFor(context, job);
    const prepared = preparedMedia(context, account, job, files);
    return !context.preparer.isPrepared(account, spec.model, needsFor(spec, batch.listFolder), prepared);
  } catch (error) {
    // Also when a file that was chosen for it is gone.
    if (error instanceof LocalFileError) return false;
    throw error;
  }
}

/** Moves a job that is due, but whose media are not usable after all, to the step that prepares them. */
export function sendToPreparation(context: StepContext, job: Job): void {
  const now = context.ports.clock.now();
  const { lastFailure } = job.state as JobStateOf<'ready'>;
  // A file that failed before a person asked for the shot (again) is tried again; one that failed since is not.
  const since = lastFailure ? now : job.createdAt;
  context.advance(job, { type: 'await_assets', since, nextCheckAt: now });
}

/** Looks once at all that a shot needs, and uploads what is missing. Nothing billable is sent from here. */
export async function prepareJob(context: StepContext, account: Account, job: Job): Promise<StepReport> {
  const { since } = job.state as JobStateOf<'needs_assets'>;
  try {
    const project = projectFor(context, job);
    const row = rowFor(context, job);
    const open = openWait(context, job, row.spec);
    if (open) {
      holdForWait(context, job, open);
      return NO_INCIDENT;
    }
    const missing = shotsToFind(context, job, row.spec);
    const found = await findSources(context, job, missing);
    if (found.type !== 'found') return await wait(context, job, since, found);
    context.jobs.inOneCommit(() => context.sources.save(job.id, found.sources));
    const unsendable = sourceOfOtherAccount(context, account, job) ?? unknownButton(context, job, row.spec);
    if (unsendable) return await fail(context, job, unsendable);
    const unread = await unreadFrame(context, job);
    if (unread) return await wait(context, job, since, unread);
    const { spec, listFolder, files } = shotFor(context, job);
    const prepared = await context.preparer.prepare({
      account,
      model: spec.model,
      needs: needsFor(spec, listFolder),
      agreed: await agreedIn(context, project),
      contents: new Map(files.map(({ path, sha256 }) => [path, sha256])),
      group: spec.group,
      kept: preparedMedia(context, account, job, files),
      since,
    });
    return await settle(context, account, job, { since, files }, prepared);
  } catch (error) {
    // Stopped while preparing: the next start begins with what arrived.
    if (context.stopping.aborted) return NO_INCIDENT;
    if (error instanceof LocalFileError) return fail(context, job, goneFile(error));
    throw error;
  }
}

/** Between two looks whether there is an ffmpeg now, ms. */
const LOOK_FOR_DECODER_MS = 60_000;

async function wait(
  context: StepContext,
  job: Job,
  since: number,
  found: Exclude<SourceSearch, { type: 'found' }>,
): Promise<StepReport> {
  if (found.type === 'failed') return fail(context, job, found);
  const now = context.ports.clock.now();
  if (found.type === 'undecoded') {
    const needs = { nextCheckAt: now + LOOK_FOR_DECODER_MS, needsFrame: found.cell };
    context.advance(job, { type: 'await_assets', since, ...needs });
    return NO_INCIDENT;
  }
  const elsewhere = found.batchId !== job.batchId && { waitsIn: found.batchId };
  const nextCheckAt = now + LOOK_AGAIN_MS;
  context.advance(job, { type: 'await_assets', since, nextCheckAt, waitsFor: found.key, ...elsewhere });
  return NO_INCIDENT;
}

async function settle(
  context: StepContext,
  account: Account,
  job: Job,
  { since, files }: { readonly since: number; readonly files: readonly UsedFile[] },
  prepared: Prepared,
): Promise<StepReport> {
  switch (prepared.type) {
    case 'ready': {
      const cells = new Map(files.map(({ path, cell }) => [path, cell]));
      const uses = prepared.uses.map(({ path = '', ...use }) => ({ ...use, path: cells.get(path) ?? path }));
      context.advance(job, { type: 'assets_ready' }, () => context.uses.save(account, job.id, uses));
      return { saw: 'answer' };
    }
    case 'waiting':
      context.advance(job, { type: 'await_assets', since, nextCheckAt: prepared.until });
      return NO_INCIDENT;
    case 'held':
      context.advance(job, { type: 'await_assets', since, nextCheckAt: prepared.until });
      return prepared.report;
    case 'failed':
      return fail(context, job, prepared);
  }
}

async function fail(
  context: StepContext,
  job: Job,
  { what, trouble }: Pick<Extract<SourceSearch, { type: 'failed' }>, 'what' | 'trouble'>,
): Promise<StepReport> {
  const failure = failureOfShot(trouble, what, context.ports.clock.now());
  const { logger } = context.ports;
  logger.warn('A shot could not be prepared', { job: job.id, shot: job.shotKey, reason: textForLog(failure.message) });
  await finish(context, context.advance(job, { type: 'unprepared', failure }));
  return NO_INCIDENT;
}
