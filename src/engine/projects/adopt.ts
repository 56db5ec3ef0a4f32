import type { Stores } from '../db/stores.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { toAttempt as attemptOfState, hasMissingFiles, toTask, taskRef } from '../machine/job-facts.ts';
import { v7 as uuid } from 'uuid';
import { type Attempt, isUnsent, type JobState, MADE_ELSEWHERE, type TaskRef } from '../../contract/job.ts';
import type { Output, Recipe } from '../../contract/take.ts';
import { toTrashState } from '../../contract/trash.ts';
import { Settings } from '../../contract/settings.ts';
import { contentHash } from '../batches/plan-import.ts';
import type { Batch, BatchStore } from '../db/batch-store.ts';
import type { Job, JobStore } from '../db/job-store.ts';
import { safeName } from '../downloads/take-path.ts';
import { announcedOnly, madeElsewhere, ROW_OUTDATED, taskOfAnother } from '../machine/failures.ts';
import type { BatchFile } from '../files/batch-file.ts';
import { type FileProblem, type JsonRead, requireReadable } from '../files/json-files.ts';
import { adoptBatch } from './adopt-batches.ts';
import { ForeignFileError, refusedBy, requireOwnName, staysInside, trashFile } from './foreign-files.ts';
import { createHash } from 'node:crypto';

export interface FolderContent {
  readonly projectId: string;
  /** Absolute. */
  readonly projectPath: string;
  readonly batches: AsyncIterable<readonly JsonRead<BatchFile>[]>;
  readonly recipes: AsyncIterable<readonly JsonRead<Recipe>[]>;
  /** Whether a step of this engine works on the take. That step knows more than the files we read. */
  readonly isUnderWay: (takeId: string) => boolean;
}

export interface Adoption {
  readonly takes: number;
  /** Ids of the batches that these takes belong to, and of those that another data folder has changed. */
  readonly batches: ReadonlySet<string>;
  readonly problems: readonly Text[];
}

/**
 * Adopts what a project folder contains from another machine, or from before this database was replaced: its batches
 * with their shots and what was changed about them, a job for each take with a recipe, and whatever the recipe of a
 * known take says beyond the database. Shots that were never sent get no job: running their list again makes exactly the missing takes. The files
 * may come from anyone, so a wrong one is left out and reported, and none can lead out of the folder.
 *
 * Each slice is one commit. Adopting again completes an adoption that was interrupted; until then its batches are
 * marked, see `BatchStore.isWhole`.
 */
export async function adoptFolder(stores: Stores, content: FolderContent, now: number): Promise<Adoption> {
  let takes = 0;
  const batches = new Set<string>();
  const duplicates = new Map<string, Batch>();
  const refused = new Set<string>();
  const problems: Text[] = [];
  for await (const files of content.batches) {
    for (const file of readable(files, problems)) {
      const { twin, changed, refusal } = await adoptBatch(stores, content, file, now);
      if (twin) duplicates.set(file.id, twin);
      if (changed) batches.add(changed.id);
      if (refusal === null) continue;
      refused.add(file.id);
      problems.push(messageFor('failure.batchNotAdopted', { batch: file.name, reason: refusal }));
    }
  }
  const waiting = new WaitingTakes(stores.jobs, content.projectId);
  const adopt = (recipe: Recipe): void => {
    if (content.isUnderWay(recipe.takeId) || isOfOthers(stores, content.projectId, recipe)) return;
    const refusal = refusedBy(stores.batches, () => {
      const known = stores.jobs.get(recipe.takeId);
      const isTakenUp = known?.projectId === content.projectId && updateFromRecipe(stores, known, recipe, now, waiting);
      const batchId = known
        ? isTakenUp && known.batchId
        : adoptTake(stores, { ...content, duplicates, refused, waiting }, recipe, now);
      if (batchId === false) return;
      takes += 1;
      batches.add(batchId);
    });
    if (refusal === null) return;
    const take = { take: String(recipe.take), shot: recipe.shot.key, id: recipe.takeId };
    problems.push(messageFor('failure.takeNotAdopted', { ...take, reason: refusal }));
  };
  for await (const recipes of content.recipes) {
    await stores.batches.commitInSlices(readable(recipes, problems), adopt);
  }
  return { takes, batches, problems };
}

/** The takes of a studio's other machines are known by the studio; see `StudioStore`. */
const isOfOthers = ({ jobs: { studio } }: Stores, projectId: string, { takeId, studio: written }: Recipe): boolean =>
  written !== undefined && studio.placeOf(projectId) !== null && studio.take(takeId)?.isHere !== true;

/** The files that are right. The others are added to `problems`. Throws while one cannot be read. */
function readable<T>(files: readonly JsonRead<T>[], problems: Text[]): T[] {
  return files.flatMap((read) => {
    if ('value' in read) return [read.value];
    requireReadable(read.problem);
    problems.push(toProblem(read.problem));
    return [];
  });
}

export const toProblem = ({ file, message }: FileProblem): Text =>
  messageFor('common.namedValue', { name: file, value: message });

/** Updates a known take whose recipe is further: the database may be an older copy. False if it says no more. */
export function updateFromRecipe(
  stores: Stores,
  job: Job,
  recipe: Recipe,
  now: number,
  waiting = new WaitingTakes(stores.jobs, job.projectId),
): boolean {
  const { attempts, studio } = stores.jobs;
  const held = studio.take(job.id);
  if (held && (!held.isHere || isOver(recipe, held.epoch, studio.generation))) return false;
  const own = attemptOfState(job.state);
  const isKnown = recipe.attemptId !== undefined && attempts.knows(job.id, recipe.attemptId);
  // A studio that was restored may have forgotten it: a result that is there is not paid for again.
  const isForgotten = held !== null && recipe.state === 'saved' && isUnsent(job.state);
  if (isKnown && !isForgotten && !(own?.id === recipe.attemptId && isMoreComplete(recipe, job.state))) return false;
  const attempt = isKnown && own ? own : attemptFor(recipe, attempts.count(job.id) + 1);
  const found = attempt && stateFor(recipe, attempt, now);
  if (!found) return false;
  requireOwnName(attempt.id);
  const twin = asTwin(stores, job.id, found, now);
  if (twin && isKnown) return false;
  const state = twin ?? asDecided(stores, job, found);
  stores.jobs.advance(job, { type: 'found_in_folder', state }, now, () => {
    if (!isKnown) journal(stores, attempt, recipe, twin === null);
    if (!twin) keepResults(stores, job.batchId, attempt, recipe);
    if (!twin && !isKnown && !isUnsent(job.state)) waiting.sentElsewhere(recipe, found, now);
  });
  return true;
}

/**
 * Whether the studio gave out a take again after its recipe was written: an earlier machine only announced what it never
 * got the right to send, or a person had it sent again. Not so where the studio was restored since, or a task is known that
 * may still be followed.
 */
function isOver({ studio: written, state, taskId }: Recipe, epoch: number, generation: number): boolean {
  if (!written || written.generation !== generation || written.epoch >= epoch || state === 'saved') return false;
  return !taskId || state === 'remote_failed' || state === 'remote_cancelled';
}

/**
 * Two data folders may have followed one task for two takes. Its result is that of the take which is here already; what
 * became of the other request is for a person to decide. Null if the task belongs to no other take.
 */
function asTwin({ jobs }: Stores, takeId: string, found: JobState, now: number): JobState | null {
  const [attempt, task] = [attemptOfState(found), toTask(found)];
  const other = attempt && task && jobs.ofTask(task.id, attempt.origin, takeId);
  return other ? { state: 'submit_unknown', attempt, failure: taskOfAnother(task.id, other, now) } : null;
}

/** A take that was cancelled here while its folder was away is not followed, though the folder knows its task. */
function asDecided({ jobs }: Stores, { id, state }: Job, found: JobState): JobState {
  const task = toTask(found);
  const stays = state.state === 'cancelled' && jobs.decisions.has(id) && task && found.state !== 'saved';
  return stays ? { state: 'cancelled', attempt: attemptOfState(found), task, at: state.at } : found;
}

interface AdoptedInto extends Pick<FolderContent, 'projectId' | 'projectPath'> {
  readonly duplicates: ReadonlyMap<string, Batch>;
  readonly refused: ReadonlySet<string>;
  readonly waiting: WaitingTakes;
}

/** Returns the take's batch here. False if there is nothing to adopt, because the take was never sent. */
function adoptTake(stores: Stores, into: AdoptedInto, recipe: Recipe, now: number): string | false {
  const attempt = attemptFor(recipe, 1);
  const found = stateFor(recipe, attempt, now);
  if (!found) return false;
  const twin = asTwin(stores, recipe.takeId, found, now);
  const batch = batchFor(stores.batches, into, recipe);
  requireOwnName(recipe.takeId);
  if (attempt) requireOwnName(attempt.id);
  const waiting = waitingTwin(stores, batch.id, recipe);
  if (waiting) cancelWaiting(stores, waiting, now);
  else if (!twin) into.waiting.sentElsewhere(recipe, found, now);
  stores.batches.takes.add(batch, {
    id: recipe.takeId,
    shotId: shotFor(stores.batches, batch, recipe, now),
    take: numberFor(stores, batch, recipe),
    spec: recipe.shot,
    state: twin ?? found,
    round: recipe.round ?? 0,
    createdAt: recipe.createdAt,
  });
  if (attempt) journal(stores, attempt, recipe, twin === null);
  if (!twin) keepResults(stores, batch.id, attempt, recipe);
  return batch.id;
}

/**
 * The batch here that a take goes into. Where its file is not there, as in a folder that was copied by half, the recipe
 * says enough of it to know what was paid for.
 */
function batchFor(
  batches: BatchStore,
  { projectId, projectPath, duplicates, refused }: AdoptedInto,
  recipe: Recipe,
): Batch {
  const { id, name } = recipe.batch;
  const [output] = recipe.outputs;
  const [folder = ''] = output ? (output.home ?? output.file).split('/') : [safeName(name, 'batch')];
  const known =
    batches.get(id) ?? duplicates.get(id) ?? batches.named(projectId, name) ?? batches.inFolder(projectId, folder);
  if (known ? known.projectId !== projectId : refused.has(id)) {
    throw new ForeignFileError(messageFor('failure.noSuchItem', { what: 'batch' }));
  }
  if (known) return known;
  requireOwnName(id);
  if (!staysInside(folder)) throw new ForeignFileError(messageFor('failure.batchFolderOutside', { folder }));
  const { nameTemplate } = Settings.parse({});
  const batch: Batch = {
    ...{ id, projectId, name, folder, listFolder: projectPath, source: '', nameTemplate, order: 'list' },
    ...{ createdAt: recipe.createdAt, changedAt: 0 },
  };
  batches.beginAdoption(batch);
  return batch;
}

/** `isItsTask`: whether the task that the recipe names is of this take. */
function journal({ jobs }: Stores, attempt: Attempt, recipe: Recipe, isItsTask: boolean): void {
  if (recipe.request) jobs.attempts.adopt(recipe.takeId, attempt, recipe.request, isItsTask ? recipe : {});
}

function keepResults(
  { jobs, outputs, uses, sources, extras, review }: Stores,
  batchId: string,
  attempt: Attempt | null,
  recipe: Recipe,
): void {
  for (const output of recipe.outputs.filter((each) => isWhereItSays(recipe, each))) {
    outputs.saveFound(recipe.takeId, output);
  }
  jobs.setSavedAt(recipe.takeId, toSavedAt(recipe));
  jobs.trash.set(recipe.takeId, recipe.state === 'saved' ? (recipe.trash ?? null) : null);
  if (attempt && recipe.assets) uses.save(attempt, recipe.takeId, recipe.assets);
  if (recipe.from) sources.save(recipe.takeId, recipe.from);
  if (recipe.extras) extras.save(recipe.takeId, recipe.extras);
  if (!recipe.verdict) return;
  review.saveVerdict(recipe.takeId, recipe.verdict, true);
  if (recipe.verdict.flag === 'pick') review.keepNewestPicks(batchId);
}

function numberFor({ batches }: Stores, batch: Batch, { shot, take }: Recipe): number {
  return batches.takes.has(batch.id, shot.key, take) ? batches.takes.last(batch.id, shot.key) + 1 : take;
}

/** The take that waits here for what another one is already. */
export function waitingTwin(
  { batches, jobs }: Pick<Stores, 'batches' | 'jobs'>,
  batchId: string,
  { shot, take }: Pick<Recipe, 'shot' | 'take'>,
): Job | null {
  return jobs.get(batches.takes.unsent(batchId, shot.key, take, contentHash(shot)) ?? '');
}

/** Cancels a take that waits here and is made elsewhere, or it would be paid twice; frees its number. */
export function cancelWaiting({ batches, jobs }: Pick<Stores, 'batches' | 'jobs'>, waiting: Job, now: number): void {
  jobs.advance(waiting, { type: 'cancel', at: now }, now);
  batches.takes.renumber(waiting.id, batches.takes.last(waiting.batchId, waiting.shotKey) + 1);
}

/** Whether a path is in the project or, in the trash, its own place there: emptying could delete another's file. */
function isWhereItSays({ takeId, trash }: Recipe, { number, format, file, home }: Output): boolean {
  if (trash !== 'trashed') return home === undefined && staysInside(file);
  return home !== undefined && staysInside(home) && file === trashFile(takeId, { number, format });
}

/**
 * Adopts what the recipe of a known take says about the trash, if it differs. False if it is the same or impossible.
 */
export function adoptTrashState({ jobs, outputs }: Pick<Stores, 'jobs' | 'outputs'>, job: Job, recipe: Recipe) {
  const found = recipe.outputs.filter((output) => isWhereItSays(recipe, output));
  const says = recipe.trash ?? null;
  if (recipe.state !== 'saved' || says === toTrashState(job.trash) || found.length < recipe.outputs.length)
    return false;
  jobs.inOneCommit(() => {
    for (const output of found) outputs.saveFound(job.id, output);
    jobs.trash.set(job.id, says);
  });
  return true;
}

function shotFor(batches: BatchStore, batch: Batch, recipe: Recipe, now: number): string {
  const hash = contentHash(recipe.shot);
  const known = batches.versionOf(batch.id, recipe.shot.key, hash);
  if (known) return known;
  const id = uuid();
  batches.addShot(
    { id, batchId: batch.id, key: recipe.shot.key, position: 0, contentHash: hash, spec: recipe.shot },
    now,
    false,
  );
  return id;
}

/** What a person who asks for the same again would not want to pay for twice. */
const isMade = (found: JobState): boolean =>
  found.state === 'cancelled'
    ? found.attempt !== null
    : !['rejected', 'remote_failed', 'remote_cancelled'].includes(found.state);

/**
 * The takes of a project that wait to be sent here, while its folder is read. For each take that was sent from elsewhere,
 * one that asks for the same is not sent, whatever their batches and rows are called: the person who queued it could not
 * know. It fails at no charge, and a person who wants both retries it.
 */
class WaitingTakes {
  readonly #jobs: JobStore;
  readonly #projectId: string;
  #byContent: Map<string, string[]> | null = null;

  constructor(jobs: JobStore, projectId: string) {
    this.#jobs = jobs;
    this.#projectId = projectId;
  }

  /** A request that was unknown here was sent for a take that did not wait here: what became of it. */
  sentElsewhere({ shot, take, batch }: Recipe, found: JobState, now: number): void {
    if (!isMade(found)) return;
    const failure = madeElsewhere({ shot: shot.key, take: String(take), batch: batch.name }, now);
    this.#byContent ??= this.#jobs.unsentByContent(this.#projectId);
    const ids = this.#byContent.get(contentHash(shot)) ?? [];
    for (let id = ids.shift(); id !== undefined; id = ids.shift()) {
      const job = this.#jobs.get(id);
      if (!job || !isUnsent(job.state)) continue;
      this.#jobs.advance(job, { type: 'unprepared', failure }, now);
      return;
    }
  }
}

/**
 * The state of a take according to its recipe; null if nothing was sent. In doubt, it assumes that something was paid.
 */
function stateFor(recipe: Recipe, attempt: Attempt | null, now: number): JobState | null {
  const task = taskIn(recipe);
  const failure = recipe.failure ?? announcedOnly(now);
  if (recipe.state === 'saved') {
    return {
      state: 'saved',
      attempt,
      task,
      savedAt: recipe.savedAt ?? recipe.updatedAt,
      ...(recipe.isCut && { isCut: true }),
    };
  }
  if (recipe.state === 'rejected') {
    // It is about what that data folder waited to send, and says nothing of the present row.
    const isLocal = failure.code === ROW_OUTDATED || failure.code === MADE_ELSEWHERE;
    return !attempt && isLocal ? null : { state: 'rejected', attempt, failure };
  }
  if (recipe.state === 'cancelled') return { state: 'cancelled', attempt, task, at: recipe.updatedAt };
  if (!attempt) return null;
  if (recipe.state === 'result_lost') return { state: 'result_lost', attempt, task, failure };
  if (!task) return { state: 'submit_unknown', attempt, failure };
  if (recipe.state === 'remote_failed') return { state: 'remote_failed', attempt, task, failure };
  if (recipe.state === 'remote_cancelled') return { state: 'remote_cancelled', attempt, task, failure };
  return { state: 'accepted', attempt, task, nextPollAt: now, deadlineAt: now + 24 * 3_600_000 };
}

/** Whether a recipe knows more about a request than the job's state since that request. */
function isMoreComplete(recipe: Recipe, job: JobState): boolean {
  if (recipe.state === 'saved') return job.state !== 'saved' && !hasMissingFiles(job);
  const isClear = recipe.taskId !== undefined || recipe.state === 'rejected' || recipe.state === 'result_lost';
  return job.state === 'submit_unknown' && isClear;
}

/** When a take was first saved, as in `Job.savedAt`; without the time of its request its file's time means nothing. */
const toSavedAt = ({ state, sentAt, savedAt }: Recipe): number | null =>
  sentAt === undefined ? 0 : (savedAt ?? (state === 'saved' ? 0 : null));

/** The last request that a recipe announces, as the attempt with that number; null if it announces none. */
function attemptFor(recipe: Recipe, number: number): Attempt | null {
  if (!recipe.attemptId || !recipe.origin || !recipe.keyFingerprint) return null;
  const bodyHash = createHash('sha256')
    .update(JSON.stringify(recipe.request ?? null))
    .digest('hex');
  return {
    id: recipe.attemptId,
    number,
    bodyHash,
    origin: recipe.origin,
    keyFingerprint: recipe.keyFingerprint,
    intendedAt: recipe.sentAt ?? recipe.createdAt,
  };
}

function taskIn(recipe: Recipe): TaskRef | null {
  return recipe.taskId ? taskRef({ ...recipe, taskId: recipe.taskId }, recipe.updatedAt) : null;
}
