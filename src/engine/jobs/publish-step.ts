import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobStateOf } from '../../contract/job.ts';
import { backoff } from '../api/retry.ts';
import type { Job } from '../db/job-store.ts';
import { PublishError } from '../downloads/publish.ts';
import { inspectFile } from '../downloads/verify.ts';
import { diskFull, isDiskFull } from './disk-check.ts';
import { downloadBlocked, downloadFailed } from './failures.ts';
import { finish } from './folder-notes.ts';
import { discardAnswer } from './kept-answers.ts';
import { discardPart, partFile } from './parts.ts';
import { projectOf } from './planning.ts';
import { nothingUnusual, type StepContext, type StepReport } from './step-context.ts';
import { takeNames } from './take-names.ts';

type Verifying = JobStateOf<'verifying'>;

/**
 * Checks that every file of a take is whole, gives it its name in the batch folder and writes its recipe; then, and
 * only then, the job is saved. Safe to repeat from the start after a crash at any point.
 */
export async function publishTake(context: StepContext, job: Job): Promise<StepReport> {
  const state = job.state as Verifying;
  try {
    for (const number of numbersOf(state)) {
      const problem = await checkOutput(context, job, number);
      if (problem !== null) return await fetchAgain(context, job, state, number, problem);
    }
    for (const number of numbersOf(state)) await publishOne(context, job, state, number);
    // With its files published the raw answer has served; once the recipe says that it is saved nobody comes by again.
    await discardAnswer(context, job, state.attempt);
    const saved: Job = { ...job, state: { ...savedState(state), savedAt: context.ports.clock.now() } };
    await context.writeRecipe(saved);
  } catch (error) {
    if (isDiskFull(error)) return diskFull(context, job);
    if (error instanceof PublishError) return fetchAgain(context, job, state, null, error.message);
    throw error;
  }
  context.advance(job, { type: 'saved', at: context.ports.clock.now() });
  context.touchManifest(job.batchId);
  return nothingUnusual;
}

const savedState = ({ attempt, task }: Verifying) => ({ state: 'saved' as const, attempt, task });

/** What is wrong with a fetched file, or null when it is whole. Looks once; the finding is remembered. */
async function checkOutput(context: StepContext, job: Job, number: number): Promise<string | null> {
  const fetched = context.outputs.fetched(job.id, number);
  if (!fetched) return 'it has to be fetched again';
  if (fetched.format !== null || context.outputs.isPublished(job.id, number)) return null;
  const path = partFile(context, job, number);
  const size = await stat(path).then(
    (found) => found.size,
    () => null,
  );
  if (size !== fetched.bytes) return 'the fetched file is gone or was changed';
  const found = await inspectFile(path);
  if ('problem' in found) return found.problem;
  context.outputs.saveFetched(job.id, number, { ...fetched, format: found.format });
  return null;
}

async function publishOne(context: StepContext, job: Job, state: Verifying, number: number): Promise<void> {
  const fetched = context.outputs.fetched(job.id, number);
  if (!fetched?.format || context.outputs.isPublished(job.id, number)) return;
  const { folder, stem } = takeNames(context, job, number, state.results.length);
  const { file } = await context.publisher.publish({
    partPath: partFile(context, job, number),
    folder: join(projectOf(context, job).path, folder),
    stem,
    extension: fetched.format,
    sha256: fetched.sha256,
    bytes: fetched.bytes,
  });
  context.outputs.savePublished(job.id, number, `${folder}/${file}`);
}

/** Not whole, or not what it should be: fetched again, at no cost. `number` null: whichever is missing. */
async function fetchAgain(
  context: StepContext,
  job: Job,
  state: Verifying,
  number: number | null,
  problem: string,
): Promise<StepReport> {
  const now = context.ports.clock.now();
  const failure = downloadFailed({ code: 'not_whole', message: problem }, now);
  const numbers = number === null ? numbersOf(state) : [number];
  // What came inside an answer has no other source: it is left for a person to look at, and unpacked afresh on demand.
  if (numbers.some((each) => state.results[each - 1]?.at === 'file')) {
    for (const each of numbers) context.outputs.forgetPart(job.id, each);
    await finish(context, context.advance(job, { type: 'blocked', failure: downloadBlocked(failure) }));
    return nothingUnusual;
  }
  for (const each of numbers) await discardPart(context, job, each);
  const retryAt = now + 500 + backoff(state.tries, context.random);
  context.advance(job, { type: 'not_whole', retryAt, failure });
  return nothingUnusual;
}

const numbersOf = (state: Verifying): number[] => state.results.map((_, index) => index + 1);
