import { messageFor, type Text } from '../../contract/messages/message.ts';
import { finish } from './persist-event.ts';
import type { Failure } from '../../contract/failure.ts';
import { NO_INCIDENT, type StepReport } from '../machine/job-facts.ts';
import type { Attempt, JobStateOf, ResultLocation } from '../../contract/job.ts';
import { backoff } from '../api/retry.ts';
import type { Job } from '../db/job-store.ts';
import type { FetchedPart } from '../db/output-store.ts';
import { PublishError } from '../downloads/publish.ts';
import { placeIn, toPath } from '../files/place.ts';
import { removeFile, look } from '../files/project-files.ts';
import { diskFull, isDiskFull, LOCAL_RETRY_MS } from './disk-check.ts';
import { isFileHeld, toText } from '../base/errors.ts';
import { downloadFailed, downloadBlocked } from '../machine/failures.ts';
import { savedOf } from '../machine/job-facts.ts';
import { answerFile, discardAnswer } from './kept-answers.ts';
import { damagedFile, inspectPart, partFile, setPartAside } from './parts.ts';
import { projectFor } from './planning.ts';
import { type StepContext } from './step-context.ts';
import { takeStem } from '../downloads/take-path.ts';

type Downloading = JobStateOf<'downloading'>;

/** Checks a take's files, names them and writes the recipe; only then is the job saved. Repeatable after a crash. */
export async function publishTake(context: StepContext, job: Job): Promise<StepReport> {
  const state = job.state as Downloading;
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

export type FileProblems = ReadonlyMap<number, Text>;

/** Publishes each whole file of a take, whatever the others are; puts damaged ones aside. Rejects if the disk fails. */
export async function publishFetched(
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
  const shot = context.batches.shot(job.shotId);
  const batch = context.batches.get(job.batchId);
  if (!shot || !batch) throw new Error(`Job ${job.id} has lost its shot.`);
  const naming = { template: batch.nameTemplate, shot: shot.spec, batch: batch.name, take: job.take };
  return { folder: batch.folder, stem: takeStem(naming, { number, of }) };
}

/** A person decides about the take. Good files are published, damaged ones put aside; fetching the rest is free. */
export async function blockDownload(context: StepContext, job: Job, failure: Failure): Promise<StepReport> {
  const { results } = job.state as JobStateOf<'downloading'>;
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
