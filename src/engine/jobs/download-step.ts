import { mkdir, stat } from 'node:fs/promises';
import type { Failure } from '../../contract/failure.ts';
import type { JobStateOf, ResultLocation } from '../../contract/job.ts';
import { backoff } from '../api/retry.ts';
import type { Job } from '../db/job-store.ts';
import type { DownloadComplaint, DownloadOutcome } from '../downloads/outcomes.ts';
import { sha256Of } from '../downloads/publish.ts';
import { messageOf } from '../errors.ts';
import { diskFull, diskTrouble, isDiskFull, LOCAL_RETRY_MS, projectIsAway } from './disk-check.ts';
import { downloadBlocked, downloadFailed } from './failures.ts';
import { finish } from './folder-notes.ts';
import { unpackOutput } from './kept-answers.ts';
import { partFile, partsFolder } from './parts.ts';
import { projectOf } from './planning.ts';
import { publishTake } from './publish-step.ts';
import { nothingUnusual, type StepContext, type StepReport } from './step-context.ts';

type Downloading = JobStateOf<'downloading'>;

/** Tries at one address before the task is asked for a fresh one. */
const TRIES_PER_ADDRESS = 4;
/** Fresh addresses that gave nothing whole before a person is asked. */
const ADDRESSES_TRIED = 4;

/** Brings the results of one job home: fetch, check, publish. Costs nothing, however often it is done. */
export async function downloadJob(context: StepContext, claimed: Job): Promise<StepReport> {
  const low = await diskTrouble(context, claimed);
  if (low !== null) return low;
  if (claimed.state.state === 'verifying') return publishTake(context, claimed);

  const job = claimed.state.state === 'result_ready' ? context.advance(claimed, { type: 'download_started' }) : claimed;
  const state = job.state as Downloading;
  if (state.tries >= TRIES_PER_ADDRESS) {
    const wornOut = await giveUpOnAddress(context, job, state);
    if (wornOut) return wornOut;
  }
  if (await projectIsAway(context, job)) {
    const complaint = { code: 'project_away', message: `${projectOf(context, job).path} is not there` };
    delay(context, job, complaint, context.ports.clock.now() + LOCAL_RETRY_MS, false);
    return nothingUnusual;
  }
  const closed = await makePartsFolder(context, job);
  if (closed) return settleTrouble(context, job, state, closed);
  for (const [index, location] of state.results.entries()) {
    const outcome = await fetchOutput(context, job, state, location, index + 1);
    if (outcome.type !== 'complete') return settleTrouble(context, job, state, outcome);
    context.outputs.saveFetched(job.id, index + 1, { bytes: outcome.bytes, sha256: outcome.sha256, format: null });
  }
  return publishTake(context, context.advance(job, { type: 'downloaded' }));
}

type FetchOutcome =
  | Exclude<DownloadOutcome, { type: 'complete' }>
  | { type: 'complete'; bytes: number; sha256: string }
  /** The project's disk takes nothing now, though it is not full: read-only, broken, just unplugged. */
  | { type: 'folder_closed'; complaint: DownloadComplaint };
type Trouble = Exclude<FetchOutcome, { type: 'complete' }>;

/** Fetches one output, unless it is here already. */
async function fetchOutput(
  context: StepContext,
  job: Job,
  state: Downloading,
  location: ResultLocation,
  number: number,
): Promise<FetchOutcome> {
  const here = context.outputs.fetched(job.id, number);
  if (here) return { type: 'complete', ...here };
  const path = partFile(context, job, number);
  if (location.at === 'file') return unpack(context, job, state, number);
  return context.downloader.download({
    url: location.url,
    partPath: path,
    resume: context.outputs.part(job.id, number),
    service: {
      origin: state.attempt.origin,
      authorization: () => {
        const key = context.clients.key(state.attempt);
        return key === null ? null : `Bearer ${key}`;
      },
    },
    maxBytes: context.settings.maxDownloadBytes,
    minFreeBytes: context.settings.minFreeBytes,
    signal: context.stopping,
    persist: (point) => context.outputs.savePart(job.id, number, point),
  });
}

/** A result that came inside an answer is fetched from there; an earlier release has written it to its part file already. */
async function unpack(context: StepContext, job: Job, state: Downloading, number: number): Promise<FetchOutcome> {
  const path = partFile(context, job, number);
  try {
    await unpackOutput(context, job, state.attempt, number);
  } catch (error) {
    return closedFolder(error);
  }
  try {
    const { size } = await stat(path);
    return { type: 'complete', bytes: size, sha256: await sha256Of(path) };
  } catch {
    const message = `the file ${path}, which held the service’s answer, is gone`;
    return { type: 'refused', complaint: { code: 'answer_gone', message } };
  }
}

async function makePartsFolder(context: StepContext, job: Job): Promise<Trouble | null> {
  try {
    await mkdir(partsFolder(projectOf(context, job)), { recursive: true });
    return null;
  } catch (error) {
    return closedFolder(error);
  }
}

function closedFolder(error: unknown): Trouble {
  const message = `the project folder takes no file: ${messageOf(error)}`;
  if (isDiskFull(error)) return { type: 'disk_full', complaint: { code: 'disk_full', message }, neededBytes: null };
  return { type: 'folder_closed', complaint: { code: 'project_away', message } };
}

async function settleTrouble(
  context: StepContext,
  job: Job,
  state: Downloading,
  outcome: Trouble,
): Promise<StepReport> {
  const now = context.ports.clock.now();
  switch (outcome.type) {
    case 'aborted':
      return nothingUnusual;
    case 'disk_full':
      // Nobody's fault at the other end: it burns no try, and the scheduler waits for room.
      delay(context, job, outcome.complaint, now, false);
      return diskFull(context, job);
    case 'folder_closed':
      delay(context, job, outcome.complaint, now + LOCAL_RETRY_MS, false);
      return nothingUnusual;
    case 'throttled': {
      const retryAt = context.pacing.throttled('download', state.attempt, now, outcome.retryAfterMs);
      delay(context, job, outcome.complaint, retryAt, false);
      return nothingUnusual;
    }
    case 'retry': {
      const wait = Math.max(outcome.retryAfterMs ?? 0, 500 + backoff(state.tries, context.random));
      delay(context, job, outcome.complaint, now + wait, true);
      return nothingUnusual;
    }
    case 'expired':
      return askForFreshAddress(context, job, state, downloadFailed(outcome.complaint, now));
    case 'refused':
      return block(context, job, downloadFailed(outcome.complaint, now));
  }
}

function delay(
  context: StepContext,
  job: Job,
  complaint: DownloadComplaint,
  retryAt: number,
  countsAsTry: boolean,
): void {
  const failure = downloadFailed(complaint, context.ports.clock.now());
  context.advance(job, { type: 'download_delayed', retryAt, failure, countsAsTry });
}

/** The same address failed too often: another one, if the task can be asked; null to go on with this one. */
async function giveUpOnAddress(context: StepContext, job: Job, state: Downloading): Promise<StepReport | null> {
  const now = context.ports.clock.now();
  const last = state.lastFailure ?? downloadFailed({ code: 'download_failed', message: 'it failed too often' }, now);
  if (state.task) return askForFreshAddress(context, job, state, last);
  // A synchronous result has one address for ever: keep at it for a day, the service may just be down.
  const since = now - state.attempt.intendedAt;
  if (since < context.settings.deadlineHours * 3_600_000) return null;
  return block(context, job, last);
}

/**
 * Asks the task for a new address: a poll, never a POST. After several addresses in a row that gave nothing, over
 * more than the time a service may be down, a person is asked.
 */
async function askForFreshAddress(
  context: StepContext,
  job: Job,
  state: Downloading,
  failure: Failure,
): Promise<StepReport> {
  const now = context.ports.clock.now();
  const deadlineMs = context.settings.deadlineHours * 3_600_000;
  const triedEnough = state.addressRefreshes + 1 >= ADDRESSES_TRIED;
  // Addresses that give a wrong thing do not get better with time; addresses that give nothing may.
  const isOld = now >= (state.task?.acceptedAt ?? state.attempt.intendedAt) + deadlineMs;
  const isHopeless = isOld || WRONG_CONTENT.has(failure.code);
  if (!state.task || (triedEnough && isHopeless)) return block(context, job, failure);
  context.advance(job, {
    type: 'address_expired',
    nextPollAt: now + (state.addressRefreshes === 0 ? 0 : 1000 + backoff(state.addressRefreshes, context.random)),
    deadlineAt: Math.max(now, state.task.acceptedAt) + deadlineMs,
    failure,
  });
  return nothingUnusual;
}

const WRONG_CONTENT: ReadonlySet<string> = new Set(['not_whole', 'download_not_media']);

async function block(context: StepContext, job: Job, failure: Failure): Promise<StepReport> {
  await finish(context, context.advance(job, { type: 'blocked', failure: downloadBlocked(failure) }));
  return nothingUnusual;
}
