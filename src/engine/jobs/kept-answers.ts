import type { Json } from '../../contract/json.ts';
import type { Attempt, KeptAnswer, ResultLocation } from '../../contract/job.ts';
import { parseJson } from '../api/answer.ts';
import { arrivingAt } from '../api/spool.ts';
import type { Job } from '../db/job-store.ts';
import { inspectFile } from '../downloads/verify.ts';
import { toMessage } from '../base/errors.ts';
import { addressesIn, readAnswer, readResultOf } from '../kinds/index.ts';
import type { AnswerPart } from '../kinds/rules.ts';
import { addressesSent } from '../kinds/results.ts';
import { below, toPath, placeIn, type Place } from '../files/place.ts';
import { openFile, readFile, removeFile, replaceFile, writeReplacing } from '../files/project-files.ts';
import { LOCAL_RETRY_MS } from './disk-check.ts';
import { partFile, partName, partsFolder } from './parts.ts';
import { projectFor, rowFor } from './planning.ts';
import type { StepContext } from './step-context.ts';

/**
 * The answer of a synchronous operation is its result: paid for, and not to be requested again. It is kept as it came
 * until every file in it is published. It lies in the data folder, without which nothing is sent. When the project's
 * disk is away, read-only or full, the take waits for it as for any download.
 */
export const answerFile = (context: StepContext, attemptId: string): Place =>
  below(answersFolder(context), `${attemptId}.answer`);

export const answersFolder = ({ dataFolder }: StepContext): Place => placeIn(dataFolder, 'answers');

/** Far more than the client accepts from the service. */
const MAX_BYTES = 1000 ** 3;

/** The second place, for when the data folder cannot be written. */
const answerFileInProject = (context: StepContext, job: Job, attemptId: string): Place =>
  below(partsFolder(projectFor(context, job)), `${attemptId}.answer`);

export function readResults(context: StepContext, job: Job, answer: Json): AnswerPart[] {
  return readResultOf(rowFor(context, job).spec, answer, sentBy(context, job));
}

function readBody(context: StepContext, job: Job, answer: Buffer): AnswerPart[] {
  return readAnswer(rowFor(context, job).spec, answer, sentBy(context, job));
}

const sentBy = ({ jobs }: StepContext, job: Job): Set<string> =>
  addressesSent(jobs.attempts.lastRequest(job.id)?.body ?? null);

/** Where the results of an answer are, or will be when they are unpacked; empty when none can be read. */
export const resultsIn = (context: StepContext, job: Job, answer: Buffer): ResultLocation[] =>
  readBody(context, job, answer).map((part, index) =>
    'url' in part
      ? { at: 'url', url: part.url }
      : { at: 'file', path: partName(job, index + 1), ...(part.isCut && { isCut: true }) },
  );

/** Writes an answer that is only in memory to any disk that accepts it, and tries until one does. */
export async function keepAnswer(context: StepContext, job: Job, attempt: Attempt, answer: Buffer): Promise<void> {
  for (;;) {
    const isLastTry = context.stopping.aborted;
    if (await keptOnDisk(context, job, attempt, answer)) return;
    if (isLastTry) throw new Error('No disk takes the paid answer, and the engine ends.');
    // A stop ends the wait, and both disks are tried once more.
    await context.ports.clock.sleep(LOCAL_RETRY_MS, { signal: context.stopping }).catch(() => undefined);
  }
}

export async function keptOnDisk(context: StepContext, job: Job, attempt: Attempt, answer: Buffer): Promise<boolean> {
  for (const place of [answerFile(context, attempt.id), answerFileInProject(context, job, attempt.id)]) {
    try {
      await replaceFile(place, answer);
      return true;
    } catch (error) {
      const facts = { job: job.id, path: toPath(place), reason: toMessage(error) };
      context.ports.logger.warn('A paid answer could not be kept on disk', facts);
    }
  }
  return false;
}

interface Kept {
  readonly place: Place;
  readonly body: Buffer;
}

/** The stored answer to an attempt: the longer of its two copies, since a full disk may have cut the other one. */
const readKept = (context: StepContext, job: Job, attempt: Attempt): Promise<Kept | null> =>
  longestOf([answerFile(context, attempt.id), answerFileInProject(context, job, attempt.id)]);

async function longestOf(places: readonly Place[]): Promise<Kept | null> {
  let longest: Kept | null = null;
  for (const place of places) {
    // Missing, or on a disk that is away.
    const body = await readFile(place, MAX_BYTES).catch(() => Buffer.alloc(0));
    if (body.length > (longest?.body.length ?? 0)) longest = { place, body };
  }
  return longest;
}

/** The kept answer of an attempt, when it is certainly whole: it outlives its engine. */
export async function readWholeAnswer(context: StepContext, job: Job, attempt: Attempt): Promise<Buffer | null> {
  const kept = await readKept(context, job, attempt);
  if (!kept) return null;
  if (parseJson(kept.body.toString('utf8')) !== undefined) return kept.body;
  const file = await openFile(kept.place, 'read');
  try {
    const found = await inspectFile(file);
    return 'format' in found && found.verified ? kept.body : null;
  } finally {
    await file.handle.close();
  }
}

export async function keptFor(context: StepContext, job: Job, attempt: Attempt): Promise<KeptAnswer | undefined> {
  const whole = await readKept(context, job, attempt);
  const kept = whole ?? (await longestOf([arrivingAt(answerFile(context, attempt.id))]));
  return kept ? { file: toPath(kept.place), addresses: addressesIn(kept.body, { isCut: whole === null }) } : undefined;
}

/** Writes one output of a kept answer to its part file. False when there is no such answer, or not this output in it. */
export async function unpackOutput(
  context: StepContext,
  job: Job,
  attempt: Attempt,
  { at }: ResultLocation,
  number: number,
): Promise<boolean> {
  const kept = await readKept(context, job, attempt);
  if (!kept) return false;
  const whole = { content: () => kept.body };
  const part = at === 'answer' ? whole : readBody(context, job, kept.body)[number - 1];
  if (!part || !('content' in part)) return false;
  await writeReplacing(partFile(context, job, number), part.content());
  return true;
}

export async function discardAnswer(context: StepContext, job: Job, attempt: Attempt): Promise<void> {
  await removeFile(answerFile(context, attempt.id));
  await removeFile(arrivingAt(answerFile(context, attempt.id)));
  await removeFile(answerFileInProject(context, job, attempt.id));
}
