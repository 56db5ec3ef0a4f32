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
export class Trash {
  readonly #steps: StepContext;
  readonly #manifests: CoalescedWriter;
  readonly #moved: Moved;
  readonly turns = new KeyedMutex();
  readonly #underWay = new Set<string>();

  constructor(steps: StepContext, manifests: CoalescedWriter, moved: Moved) {
    this.#steps = steps;
    this.#manifests = manifests;
    this.#moved = moved;
  }

  async plan(takeIds: readonly string[]): Promise<TrashPlan> {
    const steps = this.#steps;
    const needs = new Needs(steps);
    const plan = { ...newTally(), picks: 0, unjudged: 0, uploaded: 0 };
    const giveWay = createYielder();
    for (const takeId of takeIds) {
      const turn = giveWay();
      if (turn) await turn;
      const job = this.#job(takeId);
      const problem = needs.whyNot('trashing', job, this.#project(job.projectId).path);
      if (problem !== null) {
        keep(plan, job, problem);
        continue;
      }
      const verdict = steps.review.verdict(takeId) ?? noVerdict;
      add(
        plan,
        job,
        steps.outputs.outputs(takeId).map(({ bytes }) => bytes),
      );
      if (verdict.flag === 'pick') plan.picks += 1;
      if (verdict.flag === null && verdict.rating === 0) plan.unjudged += 1;
      if (steps.jobs.trash.isUploaded(takeId)) plan.uploaded += 1;
    }
    const { takeIds: going, ...facts } = plan;
    return { ...facts, takes: going.length };
  }

  size(projectId: string): TrashSize {
    return this.#steps.jobs.trash.size(this.#project(projectId).id);
  }

  /** Completes what an earlier engine left unfinished. This engine must have taken the project. */
  async complete(projectId: string): Promise<void> {
    // The move in progress completes its own work, and may itself have caused the project to be taken again.
    if (this.#underWay.has(projectId)) return;
    await this.#turn(projectId, (project) => this.#completeIn(project));
  }

  async #completeIn(project: Project): Promise<void> {
    for (const move of ['trashing', 'restoring', 'emptying'] as const) {
      const takeIds = this.#steps.jobs.trash.inPhases(project.id, [move]);
      if (takeIds.length > 0) await this.#carry(project, takeIds, { move, by: 'engine', tally: newTally() });
    }
  }

  /**
   * Moves the files of takes to the trash; back to their places, or beside them if another file has the name; or deletes
   * them from the trash, where takes, recipes and verdicts stay. Takes that cannot move stay, each with its reason.
   * Throws RefusedError.
   */
  async move(move: TrashMove, takeIds: readonly string[], by: Actor): Promise<TrashDone> {
    const carry = { move, by, tally: newTally() };
    const byProject = Map.groupBy(new Set(takeIds), (takeId) => this.#job(takeId).projectId);
    for (const [projectId, ids] of byProject) {
      await this.#withLock(projectId, async (project) => {
        // First find files that a person has deleted: they cannot be moved, and the take records that.
        if (move === 'trashing') await lookAtFiles(this.#steps, { jobIds: ids });
        await this.#carry(project, ids, carry);
        if (move === 'restoring') await lookAtFiles(this.#steps, { jobIds: ids });
      });
    }
    return { ...carry.tally, takes: carry.tally.takeIds.length };
  }

  /** Runs work one at a time in a project that we have taken. Throws if the project is unknown, away or archived. */
  async #withLock<Result>(projectId: string, work: (project: Project) => Promise<Result>): Promise<Result> {
    this.#project(projectId);
    return this.#steps.claims.withLock(projectId, async () => {
      await this.#steps.claims.claim(projectId);
      return this.#turn(projectId, async (project) => {
        // First complete what a full disk left unfinished.
        await this.#completeIn(project);
        return work(project);
      });
    });
  }

  #turn<Result>(projectId: string, work: (project: Project) => Promise<Result>): Promise<Result> {
    return this.turns.run(projectId, async () => {
      this.#underWay.add(projectId);
      try {
        return await work(this.#project(projectId));
      } finally {
        this.#underWay.delete(projectId);
      }
    });
  }

  async #carry(project: Project, takeIds: readonly string[], carry: Carry): Promise<void> {
    const { move, by } = carry;
    const steps = this.#steps;
    const needs = new Needs(steps);
    const arrived: Arrived[] = [];
    try {
      for (let start = 0; start < takeIds.length && !steps.stopping.aborted; start += AT_ONCE) {
        arrived.push(...(await this.#carrySome(project, takeIds.slice(start, start + AT_ONCE), carry, needs)));
      }
      await this.#manifests.flush();
    } finally {
      for (let start = 0; start < arrived.length; start += ENDED_AT_ONCE) {
        this.#end(project, arrived.slice(start, start + ENDED_AT_ONCE), move, by);
        await nextTurn();
      }
      if (arrived.length > 0) {
        this.#moved(
          project.id,
          arrived.map(({ takeId }) => takeId),
        );
      }
    }
  }

  #end({ id: projectId }: Project, arrived: readonly Arrived[], move: TrashMove, by: Actor): void {
    const steps = this.#steps;
    const { arrived: phase, code } = MOVES[move];
    const facts = { count: arrived.length, bytes: arrived.reduce((sum, { bytes }) => sum + bytes, 0) };
    steps.jobs.inOneCommit(() => {
      for (const { takeId } of arrived) steps.jobs.trash.set(takeId, phase);
      steps.history.note({ code, facts, by, at: steps.ports.clock.now(), projectId });
    });
  }

  async #carrySome(project: Project, takeIds: readonly string[], carry: Carry, needs: Needs): Promise<Arrived[]> {
    const { move, by, tally } = carry;
    const steps = this.#steps;
    const leaving: Leaving[] = [];
    const places = ({ files }: Leaving): FilePlace[] =>
      files.map((file) => placeOf(file, move === 'trashing' ? 'trash' : 'home'));
    for (const takeId of takeIds) {
      const job = this.#job(takeId);
      const problem = by === 'engine' ? null : needs.whyNot(move, job, project.path);
      if (problem === null) leaving.push(await this.#leaving(project, job, move));
      else keep(tally, job, problem);
    }
    steps.jobs.inOneCommit(() => {
      for (const take of leaving) steps.jobs.trash.set(take.job.id, move, move === 'emptying' ? [] : places(take));
    });
    const arrived: (Leaving & Pick<Arrived, 'bytes'>)[] = [];
    for (const take of leaving) {
      const before = tally.bytes;
      if (await this.#moveTake(project, take, carry)) arrived.push({ ...take, bytes: tally.bytes - before });
    }
    await this.#syncFolders(arrived);
    if (move === 'emptying') {
      steps.jobs.inOneCommit(() => {
        for (const take of arrived) steps.jobs.trash.set(take.job.id, move, places(take));
      });
    }
    const written: Arrived[] = [];
    for (const { job, bytes } of arrived) if (await this.#writeRecipe(job)) written.push({ takeId: job.id, bytes });
    return written;
  }

  /** False if it cannot be written. The take then stays in progress, and the next start continues. */
  async #writeRecipe({ id, batchId }: Job): Promise<boolean> {
    const steps = this.#steps;
    steps.touchManifest(batchId);
    try {
      await steps.writeRecipe(this.#job(id));
      return true;
    } catch (error) {
      steps.ports.logger.warn('A recipe file could not be written', { job: id, reason: toMessage(error) });
      return false;
    }
  }

  async #leaving({ path }: Project, job: Job, move: TrashMove): Promise<Leaving> {
    const files: TwoPlaces[] = [];
    for (const output of this.#steps.outputs.outputs(job.id)) {
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
  async #moveTake(project: Project, take: Leaving, { move, by, tally }: Carry): Promise<boolean> {
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
      await this.#moveBack(take, move, by === 'engine' ? files : moved).catch((second: unknown) => {
        // The take stays in progress, and the next start continues.
        this.#steps.ports.logger.warn('The files of a take could not be moved, nor moved back', {
          ...{ take: job.id, project: project.path, reason: toMessage(second) },
        });
      });
      return false;
    }
  }

  async #moveBack({ job, files }: Leaving, move: TrashMove, moved: readonly TwoPlaces[]): Promise<void> {
    const { jobs } = this.#steps;
    const to = move === 'trashing' ? 'home' : 'trash';
    if (move !== 'emptying') for (const file of moved) await moveBack(file, to);
    const places = files.map((file) => placeOf(file, to));
    jobs.inOneCommit(() => jobs.trash.set(job.id, move === 'trashing' ? null : 'trashed', places));
  }

  async #syncFolders(takes: readonly Leaving[]): Promise<void> {
    const folders = takes.flatMap(({ files }) => files.flatMap(({ home, trash }) => [toFolder(home), toFolder(trash)]));
    const byPath = new Map(folders.map((folder) => [toPath(folder), folder]));
    for (const folder of byPath.values()) {
      // The original folder of a deleted take may be gone.
      await syncFolder(folder).catch(() => undefined);
    }
  }

  #job(takeId: string): Job {
    const job = this.#steps.jobs.get(takeId);
    if (!job) throw unknownTake(takeId);
    return job;
  }

  #project(projectId: string): Project {
    return projectFor(this.#steps.projects, projectId);
  }
}

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
