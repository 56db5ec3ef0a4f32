import { CAME_TO_NOTHING } from './standing-sql.ts';
import { attemptOf, dueAtOf, taskOf } from '../machine/job-facts.ts';
import type Database from 'better-sqlite3';
import type { JobState, JobStateName } from '../../contract/job.ts';
import { ShotSpec } from '../../contract/shot.ts';
import type { EngineDatabase } from './open.ts';

export interface Batch {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  /** Folder of the batch's files, relative to the project folder. */
  readonly folder: string;
  /** Absolute folder the list came from; local paths in cells are relative to it. */
  readonly listFolder: string;
  /** What the list was called, for people. */
  readonly source: string;
  readonly nameTemplate: string;
  readonly createdAt: number;
}

/** One version of a shot. */
export interface StoredShot {
  readonly id: string;
  readonly batchId: string;
  readonly key: string;
  readonly position: number;
  readonly contentHash: string;
  readonly spec: ShotSpec;
}

export interface NewJob {
  readonly id: string;
  readonly shotId: string;
  readonly take: number;
  readonly spec: ShotSpec;
  readonly state: JobState;
  /** The round of new takes that it belongs to; see `Round`. */
  readonly round?: number;
  readonly createdAt: number;
}

/** Takes of one shot key. */
export interface TakeCount {
  readonly key: string;
  /** Number of the newest one. */
  readonly last: number;
  /** How many are of the shot's current content. */
  readonly current: number;
  /** How many of these are still to be sent. */
  readonly waiting: number;
  /** How many of these count when new takes of all shots are asked for; see `Round`. */
  readonly again: number;
}

/**
 * New takes of every shot of a batch are asked for in rounds. While a round is open, asking once more gets the
 * takes that it lacks and no others. `number` is 0 before the first one.
 */
export interface Round {
  readonly number: number;
  /** A take of it is unfinished or undecided, or a shot has none in it yet. */
  readonly isOpen: boolean;
}

/** A take that came to nothing: it failed or was cancelled. */
export interface UselessTake {
  readonly id: string;
  readonly key: string;
  readonly state: JobStateName;
  readonly contentHash: string;
}

const BATCH = `id, project_id AS projectId, name, folder, list_folder AS listFolder, source,
  name_template AS nameTemplate, created_at AS createdAt`;

/** States of a take that was not sent, or sent and refused before it cost anything. */
const UNSENT = `('needs_assets', 'ready')`;

/** Takes that count as new ones: those of the open round; while none is open, what still waits to be sent. */
const countsAgain = ({ number, isOpen }: Round): string =>
  isOpen ? `jobs.round = ${String(number)}` : `jobs.state IN ${UNSENT}`;

/** Rows read at a stretch where a batch may have many: a few milliseconds of work. */
const SLICE = 500;

/** Batches with their shots. Jobs are created here, with their shots; `JobStore` moves them. */
export class BatchStore {
  readonly #db: EngineDatabase;
  readonly #insertShot: Database.Statement;
  readonly #insertJob: Database.Statement;
  readonly #shot: Database.Statement;
  readonly #moveShot: Database.Statement;
  readonly #batch: Database.Statement;
  readonly #isWhole: Database.Statement;
  readonly #lastTake: Database.Statement;
  readonly #hasTake: Database.Statement;
  readonly #unsentTake: Database.Statement;
  readonly #versionOf: Database.Statement;

  constructor(db: EngineDatabase) {
    this.#db = db;
    this.#shot = db.facts.prepare(
      'SELECT id, batch_id AS batchId, key, position, content_hash AS contentHash, spec FROM shots WHERE id = ?',
    );
    this.#batch = db.facts.prepare(`SELECT ${BATCH} FROM batches WHERE id = ?`);
    this.#isWhole = db.facts.prepare('SELECT 1 FROM batches WHERE id = ? AND adopting = 0');
    this.#lastTake = db.facts.prepare('SELECT MAX(take) FROM jobs WHERE batch_id = ? AND shot_key = ?').pluck();
    this.#hasTake = db.facts.prepare('SELECT 1 FROM jobs WHERE batch_id = ? AND shot_key = ? AND take = ?');
    this.#unsentTake = db.facts
      .prepare(
        `SELECT id FROM jobs WHERE batch_id = ? AND shot_key = ? AND take = ? AND state IN ${UNSENT}
         AND shot_id IN (SELECT id FROM shots WHERE content_hash = ?)`,
      )
      .pluck();
    this.#versionOf = db.facts
      .prepare(
        `SELECT id FROM shots WHERE batch_id = ? AND key = ? AND content_hash = ? ORDER BY current DESC, created_at DESC`,
      )
      .pluck();
    this.#moveShot = db.facts.prepare('UPDATE shots SET position = ? WHERE batch_id = ? AND key = ? AND current = 1');
    this.#insertShot = db.facts.prepare(
      `INSERT INTO shots (id, batch_id, key, position, content_hash, spec, current, created_at)
       VALUES (@id, @batchId, @key, @position, @contentHash, @spec, @current, @now)`,
    );
    this.#insertJob = db.facts.prepare(
      `INSERT INTO jobs (id, project_id, batch_id, shot_id, shot_key, take, kind, model, priority, state, due_at,
         attempt_id, task_id, facts, round, position, viewable, created_at, updated_at)
       VALUES (@id, @projectId, @batchId, @shotId, @key, @take, @kind, @model, @priority, @state, @dueAt,
         @attemptId, @taskId, @facts, @round,
         COALESCE((SELECT position FROM shots WHERE id = @shotId), 0), @state = 'saved', @createdAt, @createdAt)`,
    );
  }

  get(id: string): Batch | null {
    return (this.#batch.get(id) as Batch | undefined) ?? null;
  }

  list(projectId: string): Batch[] {
    return this.#db.facts
      .prepare(`SELECT ${BATCH} FROM batches WHERE project_id = ? ORDER BY created_at`)
      .all(projectId) as Batch[];
  }

  named(projectId: string, name: string): Batch | null {
    const row = this.#db.facts
      .prepare(`SELECT ${BATCH} FROM batches WHERE project_id = ? AND name = ?`)
      .get(projectId, name);
    return (row as Batch | undefined) ?? null;
  }

  save(batch: Batch): void {
    this.#db.facts
      .prepare(
        `INSERT INTO batches (id, project_id, name, folder, list_folder, source, name_template, created_at)
         VALUES (@id, @projectId, @name, @folder, @listFolder, @source, @nameTemplate, @createdAt)
         ON CONFLICT (id) DO UPDATE SET list_folder = @listFolder, source = @source`,
      )
      .run(batch);
  }

  /** Enters a batch that is taken over from its project folder: until the end of that it is not whole. */
  beginAdoption(batch: Batch): void {
    this.save(batch);
    this.#db.facts.prepare('UPDATE batches SET adopting = 1 WHERE id = ?').run(batch.id);
  }

  /** All that a project folder holds has been taken over. True when batches came with it. */
  endAdoption(projectId: string): boolean {
    const end = this.#db.facts.prepare('UPDATE batches SET adopting = 0 WHERE project_id = ? AND adopting = 1');
    return end.run(projectId).changes > 0;
  }

  /** Ids of the projects whose folders were not taken over to the end. */
  interruptedAdoptions(): string[] {
    const found = this.#db.facts.prepare('SELECT DISTINCT project_id FROM batches WHERE adopting = 1');
    return found.pluck().all() as string[];
  }

  /** False for a batch that is not known, or not with all its shots and takes yet. */
  isWhole(batchId: string): boolean {
    return this.#isWhole.get(batchId) !== undefined;
  }

  /** While set, no job of the batch is sent: its import has not finished. */
  setImporting(batchId: string, importing: boolean): void {
    this.#db.facts.prepare('UPDATE batches SET importing = ? WHERE id = ?').run(importing ? 1 : 0, batchId);
  }

  /** Batches whose import was cut off: their list has to be run again. */
  interruptedImports(): Batch[] {
    return this.#db.facts.prepare(`SELECT ${BATCH} FROM batches WHERE importing = 1`).all() as Batch[];
  }

  /** Ids of batches of which a job was written at `since` (ms) or later. */
  changedSince(since: number): string[] {
    return this.#db.facts
      .prepare('SELECT DISTINCT batch_id FROM jobs WHERE updated_at >= ?')
      .pluck()
      .all(since) as string[];
  }

  currentShots(batchId: string): StoredShot[] {
    return [...this.eachCurrentShot(batchId)].sort((one, other) => one.position - other.position);
  }

  currentKeys(batchId: string): string[] {
    const keys = 'SELECT key FROM shots WHERE batch_id = ? AND current = 1';
    return this.#db.facts.prepare(keys).pluck().all(batchId) as string[];
  }

  /** The shots one by one and in the order of their keys, read in slices: 50,000 at once hold everything else up. */
  *eachCurrentShot(batchId: string): Generator<StoredShot> {
    const read = this.#db.facts.prepare(
      `SELECT id, batch_id AS batchId, key, position, content_hash AS contentHash, spec FROM shots
       WHERE batch_id = ? AND current = 1 AND key > ? ORDER BY key LIMIT ${SLICE}`,
    );
    for (const row of inSlices<Omit<StoredShot, 'spec'> & { spec: string }>((after) => read.all(batchId, after)))
      yield { ...row, spec: ShotSpec.parse(JSON.parse(row.spec)) };
  }

  shot(id: string): StoredShot | null {
    const row = this.#shot.get(id) as (Omit<StoredShot, 'spec'> & { spec: string }) | undefined;
    return row ? { ...row, spec: ShotSpec.parse(JSON.parse(row.spec)) } : null;
  }

  takeCounts(batchId: string): Map<string, TakeCount> {
    return new Map([...this.eachTakeCount(batchId)].map((count) => [count.key, count]));
  }

  /** One by one, read in slices. */
  *eachTakeCount(batchId: string, round: Round = this.round(batchId)): Generator<TakeCount> {
    const read = this.#db.facts.prepare(
      `SELECT jobs.shot_key AS key, MAX(jobs.take) AS last, SUM(made.content_hash = now.content_hash) AS current,
         SUM(made.content_hash = now.content_hash AND jobs.state IN ${UNSENT}) AS waiting,
         SUM(made.content_hash = now.content_hash AND ${countsAgain(round)}) AS again
       FROM jobs JOIN shots AS made ON made.id = jobs.shot_id
       LEFT JOIN shots AS now ON now.batch_id = jobs.batch_id AND now.key = jobs.shot_key AND now.current = 1
       WHERE jobs.batch_id = ? AND jobs.shot_key > ? GROUP BY jobs.shot_key ORDER BY jobs.shot_key LIMIT ${SLICE}`,
    );
    type Row = { key: string; last: number; current: number | null; waiting: number | null; again: number | null };
    for (const row of inSlices<Row>((after) => read.all(batchId, after)))
      yield { ...row, current: row.current ?? 0, waiting: row.waiting ?? 0, again: row.again ?? 0 };
  }

  /** The newest round of new takes of a batch. */
  round(batchId: string): Round {
    const number = this.newestRound(batchId);
    return { number, isOpen: number > 0 && this.#isOpen(batchId, number) };
  }

  newestRound(batchId: string): number {
    const newest = 'SELECT COALESCE(MAX(round), 0) FROM jobs WHERE batch_id = ? AND round > 0';
    return this.#db.facts.prepare(newest).pluck().get(batchId) as number;
  }

  /** The round that new takes of every shot belong to from now on: the open one, or the next. What waits joins it. */
  enterRound(batchId: string): number {
    const { number, isOpen } = this.round(batchId);
    if (isOpen) return number;
    const join = `UPDATE jobs SET round = ? WHERE batch_id = ? AND state IN ${UNSENT}`;
    this.#db.facts.prepare(join).run(number + 1, batchId);
    return number + 1;
  }

  #isOpen(batchId: string, round: number): boolean {
    const found = this.#db.facts.prepare(
      `SELECT EXISTS (SELECT 1 FROM jobs WHERE batch_id = @batchId AND round = @round
           AND state <> 'saved' AND state NOT IN ${CAME_TO_NOTHING})
         OR EXISTS (SELECT 1 FROM shots WHERE batch_id = @batchId AND current = 1 AND key NOT IN
           (SELECT shot_key FROM jobs WHERE batch_id = @batchId AND round = @round))`,
    );
    return found.pluck().get({ batchId, round }) === 1;
  }

  /** How many takes there are of each content a shot ever had. */
  takesByContent(
    batchId: string,
  ): { key: string; contentHash: string; takes: number; waiting: number; again: number }[] {
    return this.#db.facts
      .prepare(
        `SELECT jobs.shot_key AS key, shots.content_hash AS contentHash, COUNT(*) AS takes,
           SUM(jobs.state IN ${UNSENT}) AS waiting, SUM(${countsAgain(this.round(batchId))}) AS again
         FROM jobs JOIN shots ON shots.id = jobs.shot_id WHERE jobs.batch_id = ? GROUP BY 1, 2`,
      )
      .all(batchId) as ReturnType<BatchStore['takesByContent']>;
  }

  /** Batches of a project with how many shots each has, and whether its import was cut off. */
  rows(projectId: string): (Batch & { readonly shots: number; readonly importing: boolean })[] {
    const rows = this.#db.facts
      .prepare(
        `SELECT ${BATCH}, importing, (SELECT COUNT(*) FROM shots WHERE batch_id = batches.id AND current = 1) AS shots
         FROM batches WHERE project_id = ? ORDER BY created_at`,
      )
      .all(projectId) as (Batch & { shots: number; importing: number })[];
    return rows.map((row) => ({ ...row, importing: row.importing === 1 }));
  }

  /** Takes of a batch that came to nothing, with the content they were made from. */
  cameToNothing(batchId: string): UselessTake[] {
    return this.#db.facts
      .prepare(
        `SELECT jobs.id, jobs.shot_key AS key, jobs.state, shots.content_hash AS contentHash
         FROM jobs JOIN shots ON shots.id = jobs.shot_id
         WHERE jobs.batch_id = ? AND jobs.state IN ${CAME_TO_NOTHING} ORDER BY jobs.seq`,
      )
      .all(batchId) as UselessTake[];
  }

  /** Number of a shot's newest take; 0 when there is none. */
  lastTake(batchId: string, key: string): number {
    return (this.#lastTake.get(batchId, key) as number | null) ?? 0;
  }

  hasTake(batchId: string, key: string, take: number): boolean {
    return this.#hasTake.get(batchId, key, take) !== undefined;
  }

  /** Id of the take of that number if it waits to be sent and is one of this content, or null. */
  unsentTake(batchId: string, key: string, take: number, contentHash: string): string | null {
    return (this.#unsentTake.get(batchId, key, take, contentHash) as string | undefined) ?? null;
  }

  renumber(jobId: string, take: number): void {
    this.#db.facts.prepare('UPDATE jobs SET take = ? WHERE id = ?').run(take, jobId);
  }

  /** Adds a version of a shot as its current one. */
  addShot(shot: StoredShot, now: number): void {
    this.#insertShot.run({ ...shot, spec: JSON.stringify(shot.spec), current: 1, now });
  }

  /** A shot that is otherwise the same stands elsewhere in the list now. */
  moveShot(batchId: string, key: string, position: number): void {
    this.#moveShot.run(position, batchId, key);
  }

  /** Adds a version of a shot that the batch's list no longer has, for the takes made from it. */
  addOldVersion(shot: StoredShot, now: number): void {
    this.#insertShot.run({ ...shot, spec: JSON.stringify(shot.spec), current: 0, now });
  }

  /** Id of the newest version of a shot with this content, or null. */
  versionOf(batchId: string, key: string, contentHash: string): string | null {
    return (this.#versionOf.get(batchId, key, contentHash) as string | undefined) ?? null;
  }

  /** The rows these keys had are history now; their takes stay. */
  retireShots(batchId: string, keys: readonly string[]): void {
    const retire = this.#db.facts.prepare(
      'UPDATE shots SET current = 0 WHERE batch_id = ? AND key = ? AND current = 1',
    );
    for (const key of keys) retire.run(batchId, key);
  }

  addJob(batch: Batch, job: NewJob): void {
    this.#insertJob.run({
      id: job.id,
      projectId: batch.projectId,
      batchId: batch.id,
      shotId: job.shotId,
      key: job.spec.key,
      take: job.take,
      kind: job.spec.kind,
      model: job.spec.model,
      priority: job.spec.priority,
      state: job.state.state,
      dueAt: dueAtOf(job.state),
      attemptId: attemptOf(job.state)?.id ?? null,
      taskId: taskOf(job.state)?.id ?? null,
      facts: JSON.stringify(job.state),
      round: job.round ?? 0,
      createdAt: job.createdAt,
    });
  }

  /** Runs a slice of an import as one commit. */
  inOneCommit<Result>(work: () => Result): Result {
    return this.#db.facts.transaction(work).immediate();
  }

  /**
   * The same without a sync, for what is marked as unfinished and is done once more after a crash that lost it. The
   * next commit that is synced, as that which takes the mark away, makes it durable too.
   */
  inUnsyncedCommit(work: () => void): void {
    this.#db.facts.pragma('synchronous = NORMAL');
    try {
      this.inOneCommit(work);
    } finally {
      this.#db.facts.pragma('synchronous = FULL');
    }
  }
}

/** Rows in the order of their keys; `read` gives the next ones after a key. Others may write in between. */
function* inSlices<Row extends { readonly key: string }>(read: (after: string) => unknown[]): Generator<Row> {
  for (let last = '', ended = false; !ended;) {
    const rows = read(last) as Row[];
    yield* rows;
    last = rows.at(-1)?.key ?? last;
    ended = rows.length < SLICE;
  }
}
