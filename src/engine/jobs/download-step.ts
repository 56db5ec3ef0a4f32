import { messageFor, type Text } from '../../contract/messages/message.ts';
import { finish } from './persist-event.ts';
import { NO_INCIDENT, savedOf, type StepReport } from '../machine/job-facts.ts';
import type { Failure } from '../../contract/failure.ts';
import type { Attempt, JobStateOf, ResultLocation } from '../../contract/job.ts';
import { backoff } from '../api/retry.ts';
import type { Job } from '../db/job-store.ts';
import { placeIn, ProjectFileError, toPath } from '../files/place.ts';
import { diskFull, diskTrouble, isDiskFull, LOCAL_RETRY_MS, projectIsAway } from './disk-check.ts';
import { downloadBlocked, downloadFailed, type DownloadProblem } from '../machine/failures.ts';
import { projectFor, rowFor } from './planning.ts';
import type { StepContext } from './step-context.ts';
import type { FetchedPart, SameContent } from '../db/output-store.ts';
import type { DownloadOutcome } from '../downloads/outcomes.ts';
import { PublishError, sha256Of } from '../downloads/publish.ts';
import { isFileHeld, toText } from '../base/errors.ts';
import { look, makeFolder, removeFile } from '../files/project-files.ts';
import { answerFile, discardAnswer, unpackOutput } from './kept-answers.ts';
import { damagedFile, discardPart, inspectPart, partFile, partsFolder, setPartAside } from './parts.ts';
import { takeStem } from '../downloads/take-path.ts';

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

type FetchOutcome =
  | Exclude<DownloadOutcome, { type: 'complete' }>
  | ({ type: 'complete' } & FetchedPart)
  /** The project's disk cannot be written now, though it is not full: broken, or just unplugged. */
  | { type: 'folder_closed'; complaint: DownloadProblem };
type FetchTrouble = Exclude<FetchOutcome, { type: 'complete' }>;

interface OutputTrouble {
  readonly number: number;
  readonly outcome: FetchTrouble;
}

const LEAVES_NO_ROOM: ReadonlySet<FetchTrouble['type']> = new Set(['aborted', 'disk_full', 'folder_closed']);

/** Fetches every file of a take that is not here yet, even when others fail. */
async function fetchOutputs(
  context: StepContext,
  started: Job,
): Promise<{ job: Job; troubles: readonly OutputTrouble[] }> {
  const closed = await makePartsFolder(context, started);
  if (closed) return { job: started, troubles: [{ number: 1, outcome: closed }] };
  let job = started;
  const troubles: OutputTrouble[] = [];
  for (const index of (started.state as Downloading).results.keys()) {
    const number = index + 1;
    if (context.outputs.fetched(job.id, number)) continue;
    const fetched = await fetchOne(context, job, number);
    job = fetched.job;
    const { trouble: outcome } = fetched;
    if (outcome) troubles.push({ number, outcome });
    if (outcome && LEAVES_NO_ROOM.has(outcome.type)) break;
  }
  return { job, troubles };
}

async function fetchOne(
  context: StepContext,
  job: Job,
  number: number,
): Promise<{ job: Job; trouble: FetchTrouble | null }> {
  const outcome = await ask(context, job, number);
  if (outcome.type !== 'complete') return { job, trouble: outcome };
  const sameContent = context.outputs.sameContent(job.id, number, outcome.sha256);
  if (!sameContent) {
    // Recorded immediately, with its check result, so that the file can be identified after a power cut.
    const location = (job.state as Downloading).results[number - 1];
    const found = await inspectPart(context, job, number, outcome, location);
    context.outputs.saveFetched(job.id, number, 'problem' in found ? outcome : { ...outcome, ...found });
    return { job, trouble: null };
  }
  await discardPart(context, job, number);
  const swapped = swapAddresses(context, job, number, sameContent);
  if (swapped) return fetchOne(context, swapped, number);
  const message = messageFor('failure.sameFileAgain', { number: sameContent.number });
  return { job, trouble: { type: 'retry', complaint: { code: 'same_file', message }, retryAfterMs: null } };
}

/**
 * The new address of one output led to the content of another. Then the other's new address, which was not read yet,
 * may lead to this one. Null when it was read. Each swap leaves one address fewer to read, so this ends.
 */
function swapAddresses(context: StepContext, job: Job, number: number, sameContent: SameContent): Job | null {
  const { results } = job.state as Downloading;
  const [mine, others] = [results[number - 1], results[sameContent.number - 1]];
  if (mine?.at !== 'url' || others?.at !== 'url' || others.url === '' || others.url === sameContent.url) return null;
  const swapped = results.with(number - 1, others).with(sameContent.number - 1, mine);
  return context.advance(job, { type: 'readdressed', results: swapped }, () =>
    context.outputs.saveSource(job.id, sameContent.number, mine.url),
  );
}

async function ask(context: StepContext, job: Job, number: number): Promise<FetchOutcome> {
  const { results, attempt } = job.state as Downloading;
  const location = results[number - 1];
  const part = partFile(context, job, number);
  if (location && location.at !== 'url') return unpack(context, job, location, number);
  const outcome = await context.downloader.download({
    url: location?.url ?? '',
    part,
    resume: context.outputs.part(job.id, number),
    service: {
      origin: attempt.origin,
      authorization: () => {
        const key = context.clients.key(attempt);
        return key === null ? null : `Bearer ${key}`;
      },
    },
    maxBytes: context.settings.maxDownloadBytes,
    minFreeBytes: context.settings.minFreeBytes,
    signal: context.stopping,
    onPace: (isSlow) => context.notePace(job, isSlow),
    persist: (point) => context.outputs.savePart(job.id, number, point),
  });
  return outcome.type === 'complete' ? arrived(outcome) : outcome;
}

/** Unpacks a result that came inside an answer. */
async function unpack(context: StepContext, job: Job, location: ResultLocation, number: number): Promise<FetchOutcome> {
  const part = partFile(context, job, number);
  try {
    await unpackOutput(context, job, (job.state as Downloading).attempt, location, number);
  } catch (error) {
    return closedFolder(error);
  }
  try {
    const sha256 = await sha256Of(part);
    return arrived({ bytes: (await look(part))?.size ?? 0, sha256 });
  } catch (error) {
    if (error instanceof ProjectFileError) throw error;
    const message = messageFor('failure.answerFileGone', { path: toPath(part) });
    return { type: 'refused', complaint: { code: 'answer_gone', message } };
  }
}

async function makePartsFolder(context: StepContext, job: Job): Promise<FetchTrouble | null> {
  try {
    await makeFolder(partsFolder(projectFor(context, job)));
    return null;
  } catch (error) {
    return closedFolder(error);
  }
}

function closedFolder(error: unknown): FetchTrouble {
  if (error instanceof ProjectFileError) throw error;
  const message = messageFor('failure.folderUnwritable', { reason: toText(error) });
  if (isDiskFull(error)) return { type: 'disk_full', complaint: { code: 'disk_full', message }, neededBytes: null };
  return { type: 'folder_closed', complaint: { code: 'project_away', message } };
}

/** A file that is here and whole, but was not checked. */
const arrived = ({ bytes, sha256, contentType }: { bytes: number; sha256: string; contentType?: string }) => ({
  type: 'complete' as const,
  bytes,
  sha256,
  contentType: contentType ?? null,
  format: null,
  verified: false,
  facts: null,
});

/** Checks a take's files, names them and writes the recipe; only then is the job saved. Repeatable after a crash. */
async function publishTake(context: StepContext, job: Job): Promise<StepReport> {
  const state = job.state as Downloading;
  await context.requireOurs(job);
  try {
    const problems = await publishFetched(context, job, state.results);
    if (problems.size > 0) return await fetchAgain(context, job, state, problems);
    // With its files published, the raw answer is no longer needed, and nothing removes it after the recipe says saved.
    // A task keeps one only where its result was inside it, or could not be read at first.
    if (await mayBeKept(context, job, state.attempt)) await discardAnswer(context, job, state.attempt);
    for (const number of state.results.keys()) await removeFile(damagedFile(context, job, number + 1));
    const saved: Job = { ...job, state: savedOf(state, context.ports.clock.now()) };
    await context.writeRecipe(saved);
  } catch (error) {
    if (isDiskFull(error)) return diskFull(context, job);
    if (!isFileHeld(error)) throw error;
    const now = context.ports.clock.now();
    const failure = downloadFailed(
      { code: 'file_held', message: toText(error) },
      { number: 1, of: state.results.length },
      now,
    );
    const retryAt = now + LOCAL_RETRY_MS;
    context.advance(job, { type: 'download_delayed', retryAt, failure, countsAsTry: false });
    return NO_INCIDENT;
  }
  context.advance(job, { type: 'saved', at: context.ports.clock.now() });
  context.touchManifest(job.batchId);
  return NO_INCIDENT;
}

async function mayBeKept(context: StepContext, job: Job, attempt: Attempt): Promise<boolean> {
  if (context.jobs.attempts.lastRequest(job.id)?.answers !== 'task') return true;
  return (await look(answerFile(context, attempt.id))) !== null;
}

type FileProblems = ReadonlyMap<number, Text>;

/** Publishes each whole file of a take, whatever the others are; puts damaged ones aside. Rejects if the disk fails. */
async function publishFetched(
  context: StepContext,
  job: Job,
  results: readonly ResultLocation[],
): Promise<FileProblems> {
  const problems = new Map<number, Text>();
  for (const [index, location] of results.entries()) {
    const number = index + 1;
    if (context.outputs.isPublished(job.id, number)) continue;
    const fetched = context.outputs.fetched(job.id, number);
    if (!fetched) {
      problems.set(number, messageFor('failure.toFetchAgain'));
      continue;
    }
    const problem =
      (await checkOutput(context, job, number, fetched, location)) ??
      (await publishOne(context, job, number, results.length, location));
    if (problem === null) continue;
    problems.set(number, problem);
    // What came inside an answer has no other source: it is kept for a person to look at, and unpacked again when
    // needed.
    if (location.at !== 'url') context.outputs.forgetPart(job.id, number);
    else await setPartAside(context, job, number);
  }
  return problems;
}

/** The problem with a fetched file, or null when it is good. One that was good when it arrived is not checked again. */
async function checkOutput(
  context: StepContext,
  job: Job,
  number: number,
  fetched: FetchedPart,
  location: ResultLocation,
): Promise<Text | null> {
  if (fetched.format !== null) return null;
  const found = await inspectPart(context, job, number, fetched, location);
  if ('problem' in found) return found.problem;
  context.outputs.saveFetched(job.id, number, { ...fetched, ...found });
  return null;
}

async function publishOne(
  context: StepContext,
  job: Job,
  number: number,
  of: number,
  { at }: ResultLocation,
): Promise<Text | null> {
  const fetched = context.outputs.fetched(job.id, number);
  if (!fetched?.format) return null;
  const { folder, stem } = takeNames(context, job, number, of);
  try {
    const { file } = await context.publisher.publish({
      part: partFile(context, job, number),
      folder: placeIn(projectFor(context, job).path, folder),
      stem,
      extension: fetched.format,
      sha256: fetched.sha256,
      bytes: fetched.bytes,
    });
    // An answer is removed once its files are published, and they have no other source.
    context.outputs.savePublished(job.id, number, `${folder}/${file}`, { synced: at !== 'url' });
    return null;
  } catch (error) {
    if (error instanceof PublishError) return error.text;
    throw error;
  }
}

async function fetchAgain(
  context: StepContext,
  job: Job,
  state: Downloading,
  problems: FileProblems,
): Promise<StepReport> {
  const now = context.ports.clock.now();
  const [[number, problem] = [1, messageFor('failure.toFetchAgain')]] = problems;
  const complaint = { code: 'not_whole', message: problem };
  const failure = downloadFailed(complaint, { number, of: state.results.length }, now);
  if ([...problems.keys()].some((each) => state.results[each - 1]?.at !== 'url')) {
    return blockDownload(context, job, failure);
  }
  const retryAt = now + 500 + backoff(state.tries, context.ports.random);
  context.advance(job, { type: 'download_delayed', retryAt, failure, countsAsTry: true });
  return NO_INCIDENT;
}

function takeNames(context: StepContext, job: Job, number: number, of: number): { folder: string; stem: string } {
  const { spec, batch } = rowFor(context, job);
  const naming = { template: batch.nameTemplate, shot: spec, batch: batch.name, take: job.take };
  return { folder: batch.folder, stem: takeStem(naming, { number, of }) };
}

/** A person decides about the take. Good files are published, damaged ones put aside; fetching the rest is free. */
async function blockDownload(context: StepContext, job: Job, failure: Failure): Promise<StepReport> {
  const { results } = job.state as Downloading;
  const kept: string[] = [];
  for (const index of results.keys()) {
    const damaged = damagedFile(context, job, index + 1);
    if (await look(damaged).catch(() => null)) kept.push(toPath(damaged));
  }
  const saved = context.outputs.outputs(job.id).length;
  const told = downloadBlocked(failure, { saved, of: results.length, kept });
  await finish(context, context.advance(job, { type: 'blocked', failure: told }));
  return NO_INCIDENT;
}
