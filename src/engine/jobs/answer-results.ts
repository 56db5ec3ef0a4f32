import { open, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ResultLocation } from '../../contract/job.ts';
import { JsonObject } from '../../contract/json.ts';
import type { Job } from '../db/job-store.ts';
import { driverOf } from '../kinds/index.ts';
import { answerFile, partFile } from './parts.ts';
import type { StepContext } from './step-context.ts';

/**
 * Puts the results of a synchronous answer where they are safe: addresses are kept as they are, contents are written
 * to part files and synced. Empty when the answer holds no result. Rejects when the disk does; the raw answer was
 * spooled before, so nothing is lost by that.
 */
export async function keepAnswer(context: StepContext, job: Job, answer: JsonObject): Promise<ResultLocation[]> {
  const driver = driverOf(job.kind);
  const urls = driver.readResult(answer).map((url): ResultLocation => ({ at: 'url', url }));
  const contents = driver.readContents(answer);
  const files: ResultLocation[] = [];
  for (const [index, content] of contents.entries()) {
    const path = partFile(context, job, urls.length + index + 1);
    await writeSynced(path, Buffer.from(content, 'base64'));
    files.push({ at: 'file', path: basename(path) });
  }
  return [...urls, ...files];
}

/** The spooled answer of an attempt, when it is there whole: a result that outlived its engine. */
export async function readSpooledAnswer(context: StepContext, job: Job, attemptId: string): Promise<JsonObject | null> {
  try {
    const parsed = JsonObject.safeParse(JSON.parse(await readFile(answerFile(context, job, attemptId), 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    // Not there, or cut short: then nothing is known, and the submit stays unknown.
    return null;
  }
}

async function writeSynced(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
