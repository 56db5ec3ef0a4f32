import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageFor, type Text } from '../../../contract/messages/message.ts';
import type { Actor } from '../../../contract/history.ts';
import { noVerdict } from '../../../contract/review.ts';
import { MAX_REASONS, type KeptTake, type TrashDone, type TrashPlan, type TrashSize } from '../../../contract/trash.ts';
import type { CoalescedWriter } from '../../base/coalesced-writer.ts';
import { toMessage, toText } from '../../base/errors.ts';
import { KeyedMutex } from '../../base/keyed-mutex.ts';
import { createYielder } from '../../base/slices.ts';
import type { Job } from '../../db/job-store.ts';
import type { Project } from '../../db/project-store.ts';
import type { FilePlace } from '../../db/output-store.ts';
import { placeIn, toFolder, toPath } from '../../files/place.ts';
import { syncFolder } from '../../files/project-files.ts';
import { lookAtFiles } from '../../jobs/saved-files.ts';
import type { StepContext } from '../../jobs/step-context.ts';
import { projectFor } from '../../projects/overview.ts';
import { trashFile } from '../../projects/foreign-files.ts';
import { unknownTake } from '../another-take.ts';
import {
  Needs,
  type TrashMove,
  freeHome,
  moveBack,
  moveIn,
  moveOut,
  removeForGood,
  type TwoPlaces,
} from './trash-moves.ts';

/** How a file is moved, the phase of a take whose files have arrived, and what the history says of it. */
const MOVES = {
  trashing: { act: moveIn, arrived: 'trashed', code: 'takes.trashed' },
  restoring: { act: moveOut, arrived: null, code: 'takes.restored' },
  emptying: { act: removeForGood, arrived: 'emptied', code: 'trash.emptied' },
} as const;

/** Takes moved at a time. After a kill, the next start completes them. */
const AT_ONCE = 64;
/** Takes whose end one commit records: about ten milliseconds of work. */
const ENDED_AT_ONCE = 500;

interface Tally {
  takeIds: string[];
  files: number;
  bytes: number;
  kept: number;
  reasons: KeptTake[];
}

interface Carry {
  readonly move: TrashMove;
  readonly by: Actor;
  readonly tally: Tally;
}

type Moved = (projectId: string, takeIds: readonly string[]) => void;

/**
 * The trash of projects: the `.trash` folder in each of them. Files move there and back by renaming, so that each is
 * always in exactly one place. They are deleted only when a person empties the trash. The intent is in the database
 * before the first file moves, and stays there until recipes and manifests agree. The next start completes whatever a
 * kill interrupted.
 */
export function openTrash(steps: StepContext, manifests: CoalescedWriter, onMoved: Moved) {
  const { claims, jobs, outputs, ports } = steps;
  const turns = new KeyedMutex();
  const underWay = new Set<string>();

  async function plan(takeIds: readonly string[]): Promise<TrashPlan> {
    const needs = new Needs(steps);
    const planned = { ...newTally(), picks: 0, unjudged: 0, uploaded: 0 };
    const giveWay = createYielder();
    for (const takeId of takeIds) {
      const turn = giveWay();
      if (turn) await turn;
      const job = jobFor(takeId);
      const problem = needs.whyNot('trashing', job, ownProject(job.projectId).path);
      if (problem !== null) {
        keep(planned, job, problem);
        continue;
      }
      const verdict = steps.review.verdict(takeId) ?? noVerdict;
      add(
        planned,
        job,
        outputs.outputs(takeId).map(({ bytes }) => bytes),
      );
      if (verdict.flag === 'pick') planned.picks += 1;
      if (verdict.flag === null && verdict.rating === 0) planned.unjudged += 1;
      if (jobs.trash.isUploaded(takeId)) planned.uploaded += 1;
    }
    const { takeIds: going, ...facts } = planned;
    return { ...facts, takes: going.length };
  }

  function size(projectId: string): TrashSize {
    return jobs.trash.size(ownProject(projectId).id);
  }

  /** Completes what an earlier engine left unfinished. This engine must have taken the project. */
  async function complete(projectId: string): Promise<void> {
    // The move in progress completes its own work, and may itself have caused the project to be taken again.
    if (underWay.has(projectId)) return;
    await inTurn(projectId, (project) => completeIn(project));
  }

  async function completeIn(project: Project): Promise<void> {
    for (const move of ['trashing', 'restoring', 'emptying'] as const) {
      const takeIds = jobs.trash.inPhases(project.id, [move]);
      if (takeIds.length > 0) await carryAll(project, takeIds, { move, by: 'engine', tally: newTally() });
    }
  }

  /**
   * Moves the files of takes to the trash; back to their places, or beside them if another file has the name; or deletes
   * them from the trash, where takes, recipes and verdicts stay. Takes that cannot move stay, each with its reason.
   * Throws RefusedError.
   */
  async function move(move: TrashMove, takeIds: readonly string[], by: Actor): Promise<TrashDone> {
    const carry = { move, by, tally: newTally() };
    const byProject = Map.groupBy(new Set(takeIds), (takeId) => jobFor(takeId).projectId);
    for (const [projectId, ids] of byProject) {
      await withLock(projectId, async (project) => {
        // First find files that a person has deleted: they cannot be moved, and the take records that.
        if (move === 'trashing') await lookAtFiles(steps, { jobIds: ids });
        await carryAll(project, ids, carry);
        if (move === 'restoring') await lookAtFiles(steps, { jobIds: ids });
      });
    }
    return { ...carry.tally, takes: carry.tally.takeIds.length };
  }

  /** Runs work one at a time in a project that we have taken. Throws if the project is unknown, away or archived. */
  async function withLock<Result>(projectId: string, work: (project: Project) => Promise<Result>): Promise<Result> {
    ownProject(projectId);
    return claims.withLock(projectId, async () => {
      await claims.claim(projectId);
      return inTurn(projectId, async (project) => {
        // First complete what a full disk left unfinished.
        await completeIn(project);
        return work(project);
      });
    });
  }

  function inTurn<Result>(projectId: string, work: (project: Project) => Promise<Result>): Promise<Result> {
    return turns.run(projectId, async () => {
      underWay.add(projectId);
      try {
        return await work(ownProject(projectId));
      } finally {
        underWay.delete(projectId);
      }
    });
  }

  async function carryAll(project: Project, takeIds: readonly string[], carry: Carry): Promise<void> {
    const { move, by } = carry;
    const needs = new Needs(steps);
    const arrived: Arrived[] = [];
    try {
      for (let start = 0; start < takeIds.length && !steps.stopping.aborted; start += AT_ONCE) {
        arrived.push(...(await carrySome(project, takeIds.slice(start, start + AT_ONCE), carry, needs)));
      }
      await manifests.flush();
    } finally {
      for (let start = 0; start < arrived.length; start += ENDED_AT_ONCE) {
        end(project, arrived.slice(start, start + ENDED_AT_ONCE), move, by);
        await nextTurn();
      }
      if (arrived.length > 0) {
        onMoved(
          project.id,
          arrived.map(({ takeId }) => takeId),
        );
      }
    }
  }

  function end({ id: projectId }: Project, arrived: readonly Arrived[], move: TrashMove, by: Actor): void {
    const { arrived: phase, code } = MOVES[move];
    const facts = { count: arrived.length, bytes: arrived.reduce((sum, { bytes }) => sum + bytes, 0) };
    jobs.inOneCommit(() => {
      for (const { takeId } of arrived) jobs.trash.set(takeId, phase);
      steps.history.note({ code, facts, by, at: ports.clock.now(), projectId });
    });
  }

  async function carrySome(
    project: Project,
    takeIds: readonly string[],
    carry: Carry,
    needs: Needs,
  ): Promise<Arrived[]> {
    const { move, by, tally } = carry;
    const leaving: Leaving[] = [];
    const places = ({ files }: Leaving): FilePlace[] =>
      files.map((file) => placeOf(file, move === 'trashing' ? 'trash' : 'home'));
    for (const takeId of takeIds) {
      const job = jobFor(takeId);
      const problem = by === 'engine' ? null : needs.whyNot(move, job, project.path);
      if (problem === null) leaving.push(await toLeaving(project, job, move));
      else keep(tally, job, problem);
    }
    jobs.inOneCommit(() => {
      for (const take of leaving) jobs.trash.set(take.job.id, move, move === 'emptying' ? [] : places(take));
    });
    const arrived: (Leaving & Pick<Arrived, 'bytes'>)[] = [];
    for (const take of leaving) {
      const before = tally.bytes;
      if (await moveTake(project, take, carry)) arrived.push({ ...take, bytes: tally.bytes - before });
    }
    await syncFolders(arrived);
    if (move === 'emptying') {
      jobs.inOneCommit(() => {
        for (const take of arrived) jobs.trash.set(take.job.id, move, places(take));
      });
    }
    const written: Arrived[] = [];
    for (const { job, bytes } of arrived) if (await writeRecipe(job)) written.push({ takeId: job.id, bytes });
    return written;
  }

  /** False if it cannot be written. The take then stays in progress, and the next start continues. */
  async function writeRecipe({ id, batchId }: Job): Promise<boolean> {
    steps.touchManifest(batchId);
    try {
      await steps.writeRecipe(jobFor(id));
      return true;
    } catch (error) {
      ports.logger.warn('A recipe file could not be written', { job: id, reason: toMessage(error) });
      return false;
    }
  }

  async function toLeaving({ path }: Project, job: Job, move: TrashMove): Promise<Leaving> {
    const files: TwoPlaces[] = [];
    for (const output of outputs.outputs(job.id)) {
      const { number, file } = output;
      const both = {
        number,
        home: placeIn(path, output.home ?? file),
        trash: placeIn(path, trashFile(job.id, output)),
      };
      files.push(move === 'restoring' ? { ...both, home: await freeHome(both) } : both);
    }
    return { job, files };
  }

  /** True when the files have arrived. Otherwise they are back where they were, and the take stays, with the reason. */
  async function moveTake(project: Project, take: Leaving, { move, by, tally }: Carry): Promise<boolean> {
    const { job, files } = take;
    const sizes: number[] = [];
    const moved: TwoPlaces[] = [];
    try {
      for (const file of files) {
        const bytes = await MOVES[move].act(file, { repeats: by === 'engine' });
        if (bytes === null) continue;
        sizes.push(bytes);
        moved.push(file);
      }
      if (move !== 'emptying' && sizes.length === 0) throw new NothingThere();
      add(tally, job, sizes);
      return true;
    } catch (error) {
      keep(tally, job, error instanceof NothingThere ? messageFor('trash.keptNoFiles') : toText(error));
      // Do not move back a different file that already had the name at the destination.
      await takeBack(take, move, by === 'engine' ? files : moved).catch((second: unknown) => {
        // The take stays in progress, and the next start continues.
        ports.logger.warn('The files of a take could not be moved, nor moved back', {
          ...{ take: job.id, project: project.path, reason: toMessage(second) },
        });
      });
      return false;
    }
  }

  async function takeBack({ job, files }: Leaving, move: TrashMove, moved: readonly TwoPlaces[]): Promise<void> {
    const to = move === 'trashing' ? 'home' : 'trash';
    if (move !== 'emptying') for (const file of moved) await moveBack(file, to);
    const places = files.map((file) => placeOf(file, to));
    jobs.inOneCommit(() => jobs.trash.set(job.id, move === 'trashing' ? null : 'trashed', places));
  }

  async function syncFolders(takes: readonly Leaving[]): Promise<void> {
    const folders = takes.flatMap(({ files }) => files.flatMap(({ home, trash }) => [toFolder(home), toFolder(trash)]));
    const byPath = new Map(folders.map((folder) => [toPath(folder), folder]));
    for (const folder of byPath.values()) {
      // The original folder of a deleted take may be gone.
      await syncFolder(folder).catch(() => undefined);
    }
  }

  function jobFor(takeId: string): Job {
    const job = jobs.get(takeId);
    if (!job) throw unknownTake(takeId);
    return job;
  }

  function ownProject(projectId: string): Project {
    return projectFor(steps.projects, projectId);
  }

  return { plan, size, complete, move, turns };
}
export type Trash = ReturnType<typeof openTrash>;

/** A take whose files have arrived, with their size, bytes. */
interface Arrived {
  readonly takeId: string;
  readonly bytes: number;
}

interface Leaving {
  readonly job: Job;
  readonly files: readonly TwoPlaces[];
}

function placeOf({ number, home: { names }, trash }: TwoPlaces, where: 'home' | 'trash'): FilePlace {
  const home = names.join('/');
  return where === 'home' ? { number, file: home, home: null } : { number, file: trash.names.join('/'), home };
}

class NothingThere extends Error {}

const newTally = (): Tally => ({ takeIds: [], files: 0, bytes: 0, kept: 0, reasons: [] });

function add(tally: Tally, { id }: Job, sizes: readonly number[]): void {
  tally.takeIds.push(id);
  tally.files += sizes.length;
  for (const bytes of sizes) tally.bytes += bytes;
}

function keep(tally: Tally, { id, shotKey, take }: Job, problem: Text): void {
  tally.kept += 1;
  if (tally.reasons.length < MAX_REASONS) tally.reasons.push({ takeId: id, shot: shotKey, take, problem });
}
