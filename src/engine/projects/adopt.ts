import { createHash } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { Attempt, JobState, TaskRef } from '../../contract/job.ts';
import type { Recipe } from '../../contract/take.ts';
import { placeOfRow } from '../batches/start-batch.ts';
import { contentHash } from '../batches/plan-import.ts';
import type { AssetUseStore } from '../db/asset-use-store.ts';
import type { Batch, BatchStore } from '../db/batch-store.ts';
import type { JobStore } from '../db/job-store.ts';
import type { OutputStore } from '../db/output-store.ts';
import type { ReviewStore } from '../db/review-store.ts';
import { messageOf, systemCode } from '../errors.ts';
import { diedWhileSubmitting } from '../jobs/failures.ts';
import type { BatchFile } from './batch-file.ts';
import { canNameAFile } from './json-files.ts';

/** What a folder from another machine holds that this database does not. */
export interface FolderContent {
  readonly projectId: string;
  readonly batches: readonly BatchFile[];
  readonly recipes: readonly Recipe[];
}

export interface AdoptionStores {
  readonly batches: BatchStore;
  readonly jobs: JobStore;
  readonly outputs: OutputStore;
  readonly review: ReviewStore;
  readonly uses: AssetUseStore;
}

export interface Adoption {
  readonly takes: number;
  /** What could not be taken over, each with the reason. */
  readonly problems: readonly string[];
}

/**
 * Takes over what a project folder holds from elsewhere: its batches with their shots, and a job for each take that
 * has a recipe. Shots that were never sent get none: running their list again makes just the missing takes. The files
 * may come from anybody, so one that is wrong is left out and told of, and none can lead out of the folder.
 */
export function adoptFolder(stores: AdoptionStores, content: FolderContent, now: number): Adoption {
  let takes = 0;
  const problems: string[] = [];
  const attempt = (what: string, adopt: () => void): void => {
    const problem = refusedBy(stores.batches, adopt);
    if (problem !== null) problems.push(`${what} was not taken over: ${problem}`);
  };
  stores.batches.inOneCommit(() => {
    for (const file of content.batches)
      attempt(`Batch ${file.name}`, () => adoptBatch(stores.batches, content.projectId, file, now));
    for (const recipe of content.recipes)
      attempt(`Take ${String(recipe.take)} of ${recipe.shot.key} (${recipe.takeId})`, () => {
        if (adoptTake(stores, content.projectId, recipe, now)) takes += 1;
      });
  });
  return { takes, problems };
}

/** A file of the folder that says what cannot be. */
class ForeignFileError extends Error {}

/** Does all of `adopt` or nothing of it. Returns why it was refused, if it was. */
function refusedBy(batches: BatchStore, adopt: () => void): string | null {
  try {
    batches.inOneCommit(adopt);
    return null;
  } catch (error) {
    const isTheirs = error instanceof ForeignFileError || systemCode(error)?.startsWith('SQLITE_CONSTRAINT') === true;
    if (!isTheirs) throw error;
    return messageOf(error);
  }
}

function adoptBatch(batches: BatchStore, projectId: string, file: BatchFile, now: number): void {
  if (batches.get(file.id)) return;
  requireOwnName(file.id);
  if (!staysInside(file.folder)) throw new ForeignFileError(`its folder ${file.folder} is none of the project’s`);
  batches.save({
    id: file.id,
    projectId,
    name: file.name,
    folder: file.folder,
    listFolder: file.listFolder,
    source: file.source,
    nameTemplate: file.nameTemplate,
    createdAt: file.createdAt,
  });
  file.shots.forEach((spec, index) => {
    const position = placeOfRow(file.rows?.[index] ?? index + 2);
    const contents = { contentHash: contentHash(spec), spec };
    batches.addShot({ id: uuid(), batchId: file.id, key: spec.key, position, ...contents }, now);
  });
}

/** False when there is nothing to take over: it was never sent, or is known already. */
function adoptTake(stores: AdoptionStores, projectId: string, recipe: Recipe, now: number): boolean {
  const state = stateOf(recipe, now);
  if (!state || stores.jobs.get(recipe.takeId)) return false;
  const batch = stores.batches.get(recipe.batch.id);
  if (batch?.projectId !== projectId) throw new ForeignFileError(`the project has no batch ${recipe.batch.id}`);
  requireOwnName(recipe.takeId);
  const attempt = attemptOf(recipe);
  if (attempt) requireOwnName(attempt.id);
  stores.batches.addJob(batch, {
    id: recipe.takeId,
    shotId: shotOf(stores.batches, batch, recipe, now),
    take: numberOf(stores.batches, batch, recipe),
    spec: recipe.shot,
    state,
    round: recipe.round ?? 0,
    createdAt: recipe.createdAt,
  });
  if (attempt && recipe.request) stores.jobs.attempts.adopt(recipe.takeId, attempt, recipe.request, recipe);
  for (const output of recipe.outputs.filter(({ file }) => staysInside(file))) {
    stores.outputs.saveFetched(recipe.takeId, output.number, { ...output, contentType: null });
    stores.outputs.savePublished(recipe.takeId, output.number, output.file);
  }
  if (attempt && recipe.assets) stores.uses.save(attempt, recipe.takeId, recipe.assets);
  if (recipe.verdict) stores.review.saveVerdict(recipe.takeId, recipe.verdict, true);
  return true;
}

/**
 * The number the take gets here. Its own, also when this data folder still waits to send that very take: it has been
 * sent elsewhere, and would be paid for twice. The next one, when both were sent.
 */
function numberOf(batches: BatchStore, batch: Batch, { shot, take }: Recipe): number {
  if (!batches.hasTake(batch.id, shot.key, take)) return take;
  if (batches.removeUnsent(batch.id, shot.key, take, contentHash(shot))) return take;
  return batches.lastTake(batch.id, shot.key) + 1;
}

/** Parts, answers and recipes are named by ids. */
function requireOwnName(id: string): void {
  if (!canNameAFile(id)) throw new ForeignFileError(`${JSON.stringify(id)} is no id of ours`);
}

/** A path below the project folder, beside our own folder in it. */
const staysInside = (path: string): boolean =>
  path.split(/[/\\]/).every((part) => !['', '.', '..', '.dailies'].includes(part.toLowerCase()) && !part.includes(':'));

/** The version of the shot the take was made from: the current one, or an older one kept as history. */
function shotOf(batches: BatchStore, batch: Batch, recipe: Recipe, now: number): string {
  const hash = contentHash(recipe.shot);
  const known = batches.versionOf(batch.id, recipe.shot.key, hash);
  if (known) return known;
  const id = uuid();
  batches.addOldVersion(
    { id, batchId: batch.id, key: recipe.shot.key, position: 0, contentHash: hash, spec: recipe.shot },
    now,
  );
  return id;
}

/** Where a take stands, as far as its recipe tells; null when nothing had been sent. Always on the safe side of paying. */
function stateOf(recipe: Recipe, now: number): JobState | null {
  const attempt = attemptOf(recipe);
  const task = taskOf(recipe);
  const failure = recipe.failure ?? diedWhileSubmitting(now);
  if (recipe.state === 'saved') return { state: 'saved', attempt, task, savedAt: recipe.updatedAt };
  if (recipe.state === 'rejected') return { state: 'rejected', attempt, failure };
  if (recipe.state === 'cancelled') return { state: 'cancelled', attempt, task, at: recipe.updatedAt };
  if (!attempt) return null;
  if (recipe.state === 'result_lost') return { state: 'result_lost', attempt, task, failure };
  if (!task) return { state: 'submit_unknown', attempt, failure };
  if (recipe.state === 'remote_failed') return { state: 'remote_failed', attempt, task, failure };
  if (recipe.state === 'remote_cancelled') return { state: 'remote_cancelled', attempt, task, failure };
  return { state: 'accepted', attempt, task, nextPollAt: now, deadlineAt: now + 24 * 3_600_000 };
}

function attemptOf(recipe: Recipe): Attempt | null {
  if (!recipe.attemptId || !recipe.origin || !recipe.keyFingerprint) return null;
  const bodyHash = createHash('sha256')
    .update(JSON.stringify(recipe.request ?? null))
    .digest('hex');
  return {
    id: recipe.attemptId,
    number: 1,
    bodyHash,
    origin: recipe.origin,
    keyFingerprint: recipe.keyFingerprint,
    intendedAt: recipe.createdAt,
  };
}

function taskOf(recipe: Recipe): TaskRef | null {
  if (!recipe.taskId) return null;
  return {
    id: recipe.taskId,
    ...(recipe.requestId !== undefined && { requestId: recipe.requestId }),
    ...(recipe.traceId !== undefined && { traceId: recipe.traceId }),
    acceptedAt: recipe.updatedAt,
  };
}
