import { join } from 'node:path';
import { v7 as uuid } from 'uuid';
import { isUnsent, type JobState } from '../contract/job.ts';
import { contentHash } from '../engine/batches/plan-import.ts';
import type { Clock, Logger } from '../engine/base/ports.ts';
import { toMessage } from '../engine/base/errors.ts';
import type { Engine } from '../engine/engine.ts';
import type { Batch } from '../engine/db/batch-store.ts';
import type { Job } from '../engine/db/job-store.ts';
import type { StudioTake } from '../engine/db/studio-store.ts';
import { realPath } from '../engine/files/existing-paths.ts';
import { checkIsProject } from '../engine/files/project-folder.ts';
import { needsAssets } from '../engine/library/needs.ts';
import { allows, firstState, type JobEvent } from '../engine/machine/job-machine.ts';
import { taskRef } from '../engine/machine/job-facts.ts';
import { diedWhileSubmitting } from '../engine/machine/failures.ts';
import { cancelWaiting, updateFromRecipe, waitingTwin } from '../engine/projects/adopt.ts';
import type { OpenedWith } from '../engine/projects/project-claims.ts';
import { readRecipe } from '../engine/projects/recipe-file.ts';
import { staysInside } from '../engine/projects/foreign-files.ts';
import { belowRoot, stateElsewhere, TakeDetail, TakeSpec } from './take-facts.ts';
import { VerdictOfOthers } from '../contract/verdict.ts';
import type { StudioJudgement } from '../engine/review/review.ts';
import type { HeldTake, StudioChange, StudioProject } from './types.ts';

export interface RowNeeds {
  readonly engine: Engine;
  readonly studio: string;
  readonly machine: string;
  /** Where this machine has the roots that it works under; absolute paths, by name. */
  readonly roots: ReadonlyMap<string, string>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Where a project of the studio lies on this machine; null where it has no such root, or the path leads out of it. */
function folderOf(roots: RowNeeds['roots'], { root, path }: Pick<StudioProject, 'root' | 'path'>): string | null {
  const folder = roots.get(root);
  return folder === undefined || !staysInside(path) ? null : join(folder, ...path.split('/'));
}

/** Rows of this data folder for the studio's takes: those it works on, and those of others (`elsewhere`). */
export function createTakeRows({ engine, studio: studioId, machine, roots, clock, logger }: RowNeeds) {
  const { stores } = engine;
  const { jobs, batches, outputs, agreements } = stores;
  const { studio } = jobs;

  /** Takes a project of the studio for it. Throws what says why that cannot be: the folder is away, or in use. */
  async function project(wanted: StudioProject, openedWith: OpenedWith = {}): Promise<string> {
    const folder = await folderBelow(wanted);
    const { id: projectId, root, path } = wanted;
    // A disk that is away leaves an empty folder, in which no project must begin.
    await checkIsProject(folder, projectId);
    const known = studio.placeOf(projectId);
    const isNew = known?.root !== root || known.path !== path || stores.projects.get(projectId)?.path !== folder;
    studio.join({ projectId, studio: studioId, root, path });
    if (isNew) await engine.projects.open(folder, 'engine', openedWith);
    else await engine.studio.claim(projectId);
    return folder;
  }

  /** Throws where it is away, and where it leads out of the root: anyone may put links into the shared storage. */
  async function folderBelow(place: Pick<StudioProject, 'root' | 'path'>): Promise<string> {
    const folder = folderOf(roots, place);
    if (folder === null) throw new Error(`This machine has no folder for ${place.root}:${place.path}.`);
    const root = await realPath(roots.get(place.root) ?? '');
    if (belowRoot(root, await realPath(folder)) === null) throw new Error(`${folder} leads out of the root ${root}.`);
    return folder;
  }

  /** Takes the project of a take for the account of that take. All takes of a project that are here are of one account. */
  async function projectFor(held: HeldTake): Promise<void> {
    const service = serviceOf(held);
    const { id } = held.project;
    await project(held.project, { service });
    if (stores.projects.service(id) === service) return;
    const others = studio.here().filter(({ jobId }) => jobs.get(jobId)?.projectId === id);
    if (others.length > 0) throw new Error('Takes of the project with another account are still under way here.');
    stores.projects.setService(id, service);
  }

  /** Makes a take that this machine was handed its own. The job machine goes on from there, as with any other take. */
  async function take(held: HeldTake): Promise<void> {
    const earlier = jobs.get(held.id);
    // Anyone in the studio may name any id.
    if (earlier && (studio.take(held.id) === null || earlier.projectId !== held.project.id))
      throw new Error('A take that is not of the studio has this id here.');
    const spec = TakeSpec.parse(held.spec);
    const { root, path } = held.project;
    const folder = await folderBelow({ root, path });
    const listFolder = await folderBelow({ root, path: spec.batch.listFolder ?? path });
    // A person who has a machine work under a root lets it send what lies there; see `agreedIn`.
    agreements.add(held.project.id, [await realPath(listFolder)]);
    const { name: keyFingerprint, address: origin } = held.account;
    const queuedAs = { person: held.person, keyFingerprint, origin, isOnHold: false };
    const recipe = held.sent === null ? null : await readRecipe(folder, held.id);
    const now = clock.now();
    batches.inOneCommit(() => {
      const batch = batchFor(held.project.id, held.batch, spec, listFolder);
      const known = jobs.get(held.id);
      if (!known) addJob(batch, held.id, spec, firstState(needsAssets(spec.shot, batch.listFolder), now));
      studio.place(held.id, { worker: machine, epoch: held.epoch, isHere: true }, queuedAs);
      // What this machine fetched under an earlier right lies under another name.
      if (known && !isSaved(known)) outputs.forgetAll(held.id);
      jobs.setPaused(held.id, null, now);
      // A row that waits for a release is handed out once a person has released it.
      if (spec.shot.waitFor === 'release') jobs.waits.setReleased(held.id, true);
      if (known) goOn(known, held.sent !== null);
      if (held.sent) follow(jobs.get(held.id) as Job, held.sent, held.account.address, recipe);
    });
    // What it waited for is there. A step of an unsent take is not synced: it cannot be a part of the commit above.
    const made = jobs.get(held.id);
    if (made?.state.state === 'needs_assets')
      jobs.advance(made, { type: 'await_assets', since: now, nextCheckAt: now }, now);
    if (held.sent) await engine.studio.fence(held.id);
    engine.studio.changed(held.project.id, [held.id]);
  }

  /** Which of the accounts of this machine it is. Throws where it has no key of it. */
  function serviceOf({ account: { name, address } }: HeldTake): string | null {
    const found = engine.studio
      .accounts()
      .find(({ account }) => account.keyFingerprint === name && account.origin === address);
    if (!found) throw new Error(`This machine has no key for the account at ${address}.`);
    return found.service;
  }

  /** A take that is to be sent again, after it failed or nobody knew what became of it: a person agreed to that. */
  function goOn(job: Job, isSent: boolean): void {
    if (isSent || isUnsent(job.state) || job.state.state === 'submitting') return;
    const now = clock.now();
    const again: JobEvent = { type: 'resubmit' };
    const retry: JobEvent = { type: 'retry', at: now, deadlineAt: now };
    const event = [again, retry].find((each) => allows(job.state, each));
    // What was followed elsewhere is no task of ours any more: the studio says that it is to be sent.
    if (event && job.state.state !== 'accepted' && job.state.state !== 'polling') jobs.advance(job, event, now);
    else jobs.advance(job, { type: 'found_in_folder', state: firstState(false, now) }, now);
  }

  /** Follows what a machine sent that is dead: polls and downloads are free. */
  function follow(
    job: Job,
    { attemptId, taskId, isAttached }: NonNullable<HeldTake['sent']>,
    origin: string,
    recipe: Awaited<ReturnType<typeof readRecipe>>,
  ): void {
    const now = clock.now();
    const attempt = {
      ...{ id: attemptId, number: jobs.attempts.count(job.id) + 1, bodyHash: '', origin, intendedAt: now },
      keyFingerprint: engine.studio.account(job.projectId)?.keyFingerprint ?? '',
    };
    const isOfThis = recipe?.attemptId === attemptId;
    if (isOfThis && recipe.state === 'saved' && updateFromRecipe(stores, job, recipe, now)) return;
    const found: JobState =
      taskId === ''
        ? { state: 'submit_unknown', attempt, failure: diedWhileSubmitting(now) }
        : {
            ...{ state: 'accepted', attempt },
            task: { ...taskRef({ ...recipe, taskId }, now), ...(isAttached && { attached: true }) },
            ...{ nextPollAt: now, deadlineAt: now + DEADLINE_MS },
          };
    jobs.advance(job, { type: 'found_in_folder', state: found }, now, () => {
      if (isOfThis && recipe.request && !jobs.attempts.knows(job.id, attemptId))
        jobs.attempts.adopt(job.id, attempt, recipe.request, { taskId });
    });
  }

  function batchFor(
    projectId: string,
    { id, name }: { id: string; name: string },
    spec: TakeSpec,
    folder: string,
  ): Batch {
    const known = batches.get(id) ?? batches.inFolder(projectId, spec.batch.folder);
    if (known) {
      if (spec.batch.listFolder !== null && known.listFolder !== folder) batches.save({ ...known, listFolder: folder });
      return { ...known, listFolder: folder };
    }
    const { nameTemplate, order, source, createdAt } = spec.batch;
    if (!staysInside(spec.batch.folder)) throw new Error(`${spec.batch.folder} is no folder of a batch.`);
    const batch: Batch = {
      ...{ id, projectId, name: batches.freeName(projectId, name), folder: spec.batch.folder, listFolder: folder },
      ...{ source, nameTemplate, order, createdAt, changedAt: 0 },
    };
    batches.save(batch);
    return batch;
  }

  function addJob(batch: Batch, id: string, { shot, take: number, round, createdAt }: TakeSpec, state: JobState): void {
    const hash = contentHash(shot);
    let shotId = batches.versionOf(batch.id, shot.key, hash);
    if (shotId === null) {
      shotId = uuid();
      const isCurrent = batches.currentShot(batch.id, shot.key) === null;
      batches.addShot(
        { id: shotId, batchId: batch.id, key: shot.key, position: 0, contentHash: hash, spec: shot },
        clock.now(),
        isCurrent,
      );
    }
    const isTaken = batches.takes.has(batch.id, shot.key, number);
    const free = isTaken ? batches.takes.last(batch.id, shot.key) + 1 : number;
    batches.takes.add(batch, { id, shotId, take: free, spec: shot, state, round, createdAt });
  }

  /** What other machines did, in the rows of this one. Takes of projects that are not known here are passed over. */
  function apply(changes: readonly StudioChange[]): void {
    const byProject = Map.groupBy(changes, ({ projectId }) => projectId);
    for (const [projectId, ofProject] of byProject) {
      const place = studio.placeOf(projectId);
      const folder = place && folderOf(roots, place);
      if (!folder || !stores.projects.get(projectId)) continue;
      const changed: string[] = [];
      batches.inOneCommit(() => {
        for (const change of ofProject) {
          try {
            if (applyOne(projectId, folder, change)) changed.push(change.takeId);
          } catch (error) {
            logger.warn('A take of the studio could not be shown', { take: change.takeId, reason: toMessage(error) });
          }
        }
      });
      if (changed.length > 0) engine.studio.changed(projectId, changed);
      engine.studio.judged(projectId, ofProject.flatMap(judgement));
    }
  }

  /** The verdict of a change. One that is on its way from here is newer. */
  function judgement({ takeId, verdict, judge }: StudioChange): StudioJudgement[] {
    const read = VerdictOfOthers.safeParse(verdict).data;
    const isKnown = studio.take(takeId) !== null && !studio.isJudging(takeId);
    return read && isKnown ? [{ takeId, verdict: read, person: judge ?? '' }] : [];
  }

  function applyOne(projectId: string, folder: string, change: StudioChange): boolean {
    const job = jobs.get(change.takeId);
    const held = studio.take(change.takeId);
    if (job && (held === null || job.projectId !== projectId)) return false;
    // What this machine has, it knows better; what it had, until another one has it.
    if (held?.isHere && (change.machine === null || change.machine === machine) && !isLost(change, held)) return false;
    if (job?.state.state === 'submitting') return false;
    const detail = TakeDetail.safeParse(change.detail).data ?? null;
    const spec = detail?.spec ?? TakeSpec.safeParse(change.spec).data;
    const now = clock.now();
    const state = stateElsewhere(change, detail, now);
    const isUnfinished = ['waiting', 'held', 'granted', 'sent', 'unclear'].includes(change.state);
    if (!job) {
      if (!spec) return false;
      const { batchId: id, batchName: name } = change;
      const own = batches.get(id) ?? batchFor(projectId, { id, name }, spec, folder);
      const waiting = waitingTwin(stores, own.id, spec);
      // It was not handed over yet, and is made already.
      if (waiting && studio.take(waiting.id) === null) cancelWaiting(stores, waiting, now);
      addJob(own, change.takeId, spec, state);
    } else if (!(isUnsent(job.state) && isUnsent(state)) && JSON.stringify(job.state) !== JSON.stringify(state)) {
      // What an unsent one waits for, this data folder says itself.
      jobs.advance(job, { type: 'found_in_folder', state }, now);
    }
    const { machine: worker, person, isOnHold, waits } = change;
    studio.place(change.takeId, { worker, epoch: held?.epoch ?? 0, isHere: false }, { person, isOnHold });
    studio.setWaits(change.takeId, waits);
    jobs.setPaused(change.takeId, isUnfinished ? 'elsewhere' : null, now);
    for (const output of detail?.outputs ?? []) {
      if (staysInside(output.file)) outputs.saveFound(change.takeId, output);
    }
    if (state.state === 'saved') jobs.setSavedAt(change.takeId, state.savedAt);
    return true;
  }

  /** Back in the queue: this machine lost it, for example since it was declared dead. */
  const isLost = ({ state, machine: owner, epoch }: StudioChange, held: StudioTake): boolean =>
    // An older change may be read after the take came back.
    owner === null && state === 'waiting' && epoch > held.epoch;

  return { project, projectFor, take, apply };
}

const isSaved = ({ state }: Job): boolean => state.state === 'saved';

const DEADLINE_MS = 24 * 3_600_000;
