import { toAttempt, failureShown, toTask } from '../machine/job-facts.ts';
import { Recipe, type PlannedRequest } from '../../contract/take.ts';
import type { Batch } from '../db/batch-store.ts';
import type { Job } from '../db/job-store.ts';
import type { Stores } from '../db/stores.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { toTrashState } from '../../contract/trash.ts';
import { fileFor, readAllJson, readJson, requireReadable, type JsonRead } from '../files/json-files.ts';
import type { Place } from '../files/place.ts';
import { ownFolders } from '../files/project-folder.ts';
import { replaceFile } from '../files/project-files.ts';

/** The content of a job's recipe file in its current state. `request`: one that is not stored yet. */
export function recipeFor(
  stores: Pick<Stores, 'jobs' | 'outputs' | 'uses' | 'sources' | 'extras' | 'review'>,
  job: Job,
  batch: Pick<Batch, 'id' | 'name'>,
  shot: ShotSpec,
  request: PlannedRequest | null = stores.jobs.attempts.lastRequest(job.id),
): Recipe {
  const assets = stores.uses.ofTake(job.id);
  const from = stores.sources.of(job.id);
  const extras = stores.extras.of(job.id);
  const verdict = stores.review.verdict(job.id);
  const attempt = toAttempt(job.state);
  const task = toTask(job.state);
  const failure = failureShown(job.state);
  const trash = toTrashState(job.trash);
  const held = stores.jobs.studio.take(job.id);
  return {
    format: 1,
    takeId: job.id,
    take: job.take,
    ...(job.round > 0 && { round: job.round }),
    batch: { id: batch.id, name: batch.name },
    shot,
    state: job.state.state,
    ...(request && { request }),
    ...(assets.length > 0 && { assets: [...assets] }),
    ...(from.length > 0 && { from: [...from] }),
    ...(attempt && {
      attemptId: attempt.id,
      origin: attempt.origin,
      keyFingerprint: attempt.keyFingerprint,
    }),
    ...(task && {
      taskId: task.id,
      ...(task.otherIds && { otherTaskIds: task.otherIds }),
      ...(task.requestId !== undefined && { requestId: task.requestId }),
      ...(task.traceId !== undefined && { traceId: task.traceId }),
      ...(task.unbound && { unbound: task.unbound }),
      ...(task.modelUsed !== undefined && { modelUsed: task.modelUsed }),
    }),
    createdAt: job.createdAt,
    updatedAt: job.updatedAt,
    ...(attempt && job.savedAt !== 0 && { sentAt: attempt.intendedAt }),
    ...(job.savedAt && { savedAt: job.savedAt }),
    outputs: [...stores.outputs.outputs(job.id)],
    ...(extras && { extras }),
    ...(job.state.state === 'saved' && job.state.isCut && { isCut: true }),
    ...(failure && { failure }),
    ...(verdict && { verdict }),
    ...(trash && { trash }),
    ...(held && { studio: { worker: held.worker ?? '', epoch: held.epoch } }),
  };
}

/** Several times the size of the longest row, its request and a text of one megabyte that it is made from. */
const MAX_BYTES = 8 * 1000 ** 2;

export function recipePlace(projectPath: string, takeId: string): Place {
  return fileFor(ownFolders(projectPath).takes, takeId);
}

/** Writes a take's recipe as a whole. `syncName: false` skips the folder's sync, for what the database can rewrite. */
export async function writeRecipe(
  projectPath: string,
  recipe: Recipe,
  options?: { syncName?: boolean },
): Promise<void> {
  const text = `${JSON.stringify(recipe, null, 2)}\n`;
  // What the service offers to do with the take is worth less than a recipe that can be read again.
  const { extras: _extras, ...needed } = recipe;
  const isTooLong = Buffer.byteLength(text) > MAX_BYTES;
  const content = isTooLong ? `${JSON.stringify(needed)}\n` : text;
  await replaceFile(recipePlace(projectPath, recipe.takeId), content, options);
}

/** The recipe of a take; null if there is none, or what is there is none. Rejects while the file cannot be read. */
export async function readRecipe(projectPath: string, takeId: string): Promise<Recipe | null> {
  const read = await readJson(recipePlace(projectPath, takeId), Recipe, MAX_BYTES);
  if ('value' in read) return read.value;
  requireReadable(read.problem);
  return null;
}

/** The recipes whose take ids are `wanted`, some at a time. A broken or too new file is reported, never removed. */
export function readRecipes(
  projectPath: string,
  wanted: (takeId: string) => boolean = () => true,
): AsyncGenerator<JsonRead<Recipe>[]> {
  return readAllJson(ownFolders(projectPath).takes, Recipe, MAX_BYTES, wanted);
}
