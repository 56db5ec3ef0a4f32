import type { Attempt, ResultLocation } from '../../contract/job.ts';
import { JsonObject } from '../../contract/json.ts';
import type { Job } from '../db/job-store.ts';
import { messageOf } from '../errors.ts';
import { driverOf } from '../kinds/index.ts';
import { below, pathOf, placeIn, type Place } from '../projects/place.ts';
import { readFile, removeFile, replaceFile } from '../projects/project-files.ts';
import { LOCAL_RETRY_MS } from './disk-check.ts';
import { partFile, partName, partsFolder } from './parts.ts';
import { projectOf } from './planning.ts';
import type { StepContext } from './step-context.ts';

/**
 * The answer of a synchronous operation is the result: paid for, and not to be asked for again. It is kept as it came
 * until every file in it is published. It lies in the data folder, which has to be there for anything to be sent; the
 * project's disk may be away, read-only or full, and the take waits for it as for any download.
 */
export const answerFile = (context: StepContext, attemptId: string): Place =>
  below(answersFolder(context), `${attemptId}.answer`);

/** Made at each start. */
export const answersFolder = ({ dataFolder }: StepContext): Place => placeIn(dataFolder, 'answers');

/** Far more than is taken from the service. */
const MAX_BYTES = 1024 ** 3;

/** The second place, for when the data folder takes nothing. Earlier releases knew this one alone. */
const answerFileInProject = (context: StepContext, job: Job, attemptId: string): Place =>
  below(partsFolder(projectOf(context, job)), `${attemptId}.answer`);

/** Where the results of an answer are, or will be once they are unpacked; empty when it holds none. Pure. */
export function resultsIn(job: Job, answer: JsonObject): ResultLocation[] {
  const driver = driverOf(job.kind);
  const urls = driver.readResult(answer).map((url): ResultLocation => ({ at: 'url', url }));
  const contents = driver.readContents(answer).map((_content, index): ResultLocation => {
    return { at: 'file', path: partName(job, urls.length + index + 1) };
  });
  return [...urls, ...contents];
}

/** Keeps an answer that is in memory alone on whichever disk takes it, for as long as it takes until one does. */
export async function keepAnswer(context: StepContext, job: Job, attempt: Attempt, answer: JsonObject): Promise<void> {
  const { clock, logger } = context.ports;
  const places = [answerFile(context, attempt.id), answerFileInProject(context, job, attempt.id)];
  for (;;) {
    const isLastTry = context.stopping.aborted;
    for (const place of places) {
      try {
        return await replaceFile(place, JSON.stringify(answer));
      } catch (error) {
        const facts = { job: job.id, path: pathOf(place), reason: messageOf(error) };
        logger.warn('A paid answer could not be kept on disk', facts);
      }
    }
    if (isLastTry) throw new Error('No disk takes the paid answer, and the engine ends.');
    // A stop ends the wait, and the disks are tried once more.
    await clock.sleep(LOCAL_RETRY_MS, { signal: context.stopping }).catch(() => undefined);
  }
}

/** The kept answer of an attempt, when it is there whole: it outlives its engine. */
export async function readKeptAnswer(context: StepContext, job: Job, attempt: Attempt): Promise<JsonObject | null> {
  for (const place of [answerFile(context, attempt.id), answerFileInProject(context, job, attempt.id)]) {
    try {
      const parsed = JsonObject.safeParse(JSON.parse((await readFile(place, MAX_BYTES)).toString('utf8')));
      if (parsed.success) return parsed.data;
    } catch {
      // Not there, or cut short: then nothing is known, and the submit stays unknown.
    }
  }
  return null;
}

/** Writes one output of a kept answer to its part file. False when there is no such answer, or not this output in it. */
export async function unpackOutput(context: StepContext, job: Job, attempt: Attempt, number: number): Promise<boolean> {
  const answer = await readKeptAnswer(context, job, attempt);
  if (!answer) return false;
  const driver = driverOf(job.kind);
  const content = driver.readContents(answer)[number - driver.readResult(answer).length - 1];
  if (content === undefined) return false;
  await replaceFile(partFile(context, job, number), Buffer.from(content, 'base64'));
  return true;
}

/** Its files are published: the raw answer has served. */
export async function discardAnswer(context: StepContext, job: Job, attempt: Attempt): Promise<void> {
  await removeFile(answerFile(context, attempt.id));
  await removeFile(answerFileInProject(context, job, attempt.id));
}
