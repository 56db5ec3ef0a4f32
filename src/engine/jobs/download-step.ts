import { messageFor } from '../../contract/messages/message.ts';
import { finish } from './persist-event.ts';
import { NO_INCIDENT, type StepReport } from '../machine/job-facts.ts';
import type { Failure } from '../../contract/failure.ts';
import type { JobStateOf } from '../../contract/job.ts';
import { backoff } from '../api/retry.ts';
import type { Job } from '../db/job-store.ts';
import { ProjectFileError } from '../files/place.ts';
import { diskFull, diskTrouble, isDiskFull, LOCAL_RETRY_MS, projectIsAway } from './disk-check.ts';
import { downloadFailed } from '../machine/failures.ts';
import { fetchOutputs, type OutputTrouble } from './fetch-outputs.ts';
import { projectFor } from './planning.ts';
import { publishTake, publishFetched, blockDownload } from './publish-step.ts';
import { type StepContext } from './step-context.ts';

type Downloading = JobStateOf<'downloading'>;

/** Tries at one address before the task is asked for a new one. */
const TRIES_PER_ADDRESS = 4;
/** New addresses that gave no whole file before a person is asked. */
const ADDRESSES_TRIED = 4;

/** Fetches, checks and publishes the files of one take, trying every file. Costs nothing, however often it runs. */
export async function downloadJob(context: StepContext, claimed: Job): Promise<StepReport> {
  try {
    return await download(context, claimed);
  } catch (error) {
    const job = context.jobs.get(claimed.id);
    if (!(error instanceof ProjectFileError) || !job) throw error;
    // Something else lies at the path of a file: a person has to remove it.
    const complaint = { code: error.code, message: error.text };
    return blockDownload(context, job, downloadFailed(complaint, { number: 1, of: 1 }, context.ports.clock.now()));
  }
}

async function download(context: StepContext, claimed: Job): Promise<StepReport> {
  const low = await diskTrouble(context, claimed);
  if (low !== null) return low;
  const state = claimed.state as Downloading;
  if (state.tries >= TRIES_PER_ADDRESS) {
    const exhausted = await giveUpOnAddress(context, claimed, state);
    if (exhausted) return exhausted;
  }
  if (await projectIsAway(context, claimed)) {
    const now = context.ports.clock.now();
    const { path } = projectFor(context, claimed);
    const complaint = { code: 'project_away', message: messageFor('failure.folderGone', { path }) };
    const failure = downloadFailed(complaint, { number: 1, of: 1 }, now);
    context.advance(claimed, { type: 'download_delayed', retryAt: now + LOCAL_RETRY_MS, failure, countsAsTry: false });
    return NO_INCIDENT;
  }
  const { job, troubles } = await fetchOutputs(context, claimed);
  return troubles.length === 0 ? publishTake(context, job) : settleTroubles(context, job, troubles);
}

/** When several files fail, the first of these failures decides what happens next. */
const BY_SEVERITY = ['aborted', 'disk_full', 'folder_closed', 'expired', 'throttled', 'retry', 'refused'] as const;

async function settleTroubles(context: StepContext, job: Job, troubles: readonly OutputTrouble[]): Promise<StepReport> {
  const gravest = BY_SEVERITY.flatMap((type) => troubles.filter(({ outcome }) => outcome.type === type)).at(0);
  if (!gravest || gravest.outcome.type === 'aborted') return NO_INCIDENT;
  const { results } = job.state as Downloading;
  const before = context.outputs.outputs(job.id).length;
  try {
    await publishFetched(context, job, results);
  } catch (error) {
    if (isDiskFull(error)) return diskFull(context, job);
    throw error;
  }
  const report = await settleTrouble(context, job, gravest);
  if (context.outputs.outputs(job.id).length > before) {
    await finish(context, context.jobs.get(job.id) ?? job);
  }
  return report;
}

async function settleTrouble(context: StepContext, job: Job, { number, outcome }: OutputTrouble): Promise<StepReport> {
  if (outcome.type === 'aborted') return NO_INCIDENT;
  const now = context.ports.clock.now();
  const state = job.state as Downloading;
  const failure = downloadFailed(outcome.complaint, { number, of: state.results.length }, now);
  switch (outcome.type) {
    case 'disk_full':
      // Not the service's fault: it does not count as a try, and the scheduler waits for room.
      context.advance(job, { type: 'download_delayed', retryAt: now, failure, countsAsTry: false });
      return diskFull(context, job);
    case 'folder_closed':
      context.advance(job, { type: 'download_delayed', retryAt: now + LOCAL_RETRY_MS, failure, countsAsTry: false });
      return NO_INCIDENT;
    case 'throttled': {
      // The host is held back already; see `pacedByHost`.
      const retryAt = now + (outcome.retryAfterMs ?? 0);
      context.advance(job, { type: 'download_delayed', retryAt, failure, countsAsTry: false });
      return NO_INCIDENT;
    }
    case 'retry': {
      const wait = Math.max(outcome.retryAfterMs ?? 0, 500 + backoff(state.tries, context.ports.random));
      context.advance(job, { type: 'download_delayed', retryAt: now + wait, failure, countsAsTry: true });
      return NO_INCIDENT;
    }
    case 'expired':
      return askForFreshAddress(context, job, state, failure);
    case 'refused':
      return blockDownload(context, job, failure);
  }
}

/** After too many failures at one address: asks for another one, if the task can be asked; null to keep this one. */
async function giveUpOnAddress(context: StepContext, job: Job, state: Downloading): Promise<StepReport | null> {
  const now = context.ports.clock.now();
  const last =
    state.lastFailure ??
    downloadFailed(
      { code: 'download_failed', message: messageFor('failure.failedTooOften') },
      { number: 1, of: state.results.length },
      now,
    );
  if (state.task) return askForFreshAddress(context, job, state, last);
  // A synchronous result keeps its one address, so try it for a day: the service may just be down.
  const since = now - state.attempt.intendedAt;
  if (since < context.settings.deadlineHours * 3_600_000) return null;
  return blockDownload(context, job, last);
}

/** Asks the task for a new address: a poll, never a POST. After several that gave nothing, a person is asked. */
async function askForFreshAddress(
  context: StepContext,
  job: Job,
  state: Downloading,
  failure: Failure,
): Promise<StepReport> {
  const now = context.ports.clock.now();
  const deadlineMs = context.settings.deadlineHours * 3_600_000;
  const triedEnough = state.addressRefreshes + 1 >= ADDRESSES_TRIED;
  // An address that gives the wrong content keeps giving it; one that gives nothing may work later.
  const isOld = now >= (state.task?.acceptedAt ?? state.attempt.intendedAt) + deadlineMs;
  const isPermanent = isOld || WRONG_CONTENT.has(failure.code);
  if (!state.task || (triedEnough && isPermanent)) return blockDownload(context, job, failure);
  context.advance(job, {
    type: 'address_expired',
    nextPollAt: now + (state.addressRefreshes === 0 ? 0 : 1000 + backoff(state.addressRefreshes, context.ports.random)),
    deadlineAt: now + deadlineMs,
    failure,
  });
  return NO_INCIDENT;
}

const WRONG_CONTENT: ReadonlySet<string> = new Set(['not_whole', 'download_not_media', 'same_file']);
