import type Database from 'better-sqlite3';
import { isUnsent, type JobState, type JobStateName } from '../../contract/job.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { actingSession } from '../base/acting-session.ts';
import { attemptOf, dueAtOf, taskOf } from '../machine/job-facts.ts';
import { WITHOUT_RESULT } from './standing-sql.ts';

export interface NewJob {
  readonly id: string;
  readonly shotId: string;
  readonly take: number;
  readonly spec: ShotSpec;
  readonly state: JobState;
  readonly round?: number;
  readonly createdAt: number;
}

export interface TakeCount {
  readonly key: string;
  readonly last: number;
  readonly current: number;
  readonly waiting: number;
  /** How many of these count when new takes of all shots are requested; see `Round`. */
  readonly again: number;
}

/**
 * New takes of every shot of a batch are requested in rounds. While a round is open, another request adds only the
 * takes that it still lacks. `number` is 0 before the first one.
 */
export interface Round {
  readonly number: number;
  /** A take of it is unfinished or undecided, or a shot has none in it yet. */
  readonly isOpen: boolean;
}

export interface FailedTake {
  readonly id: string;
  readonly key: string;
  readonly state: JobStateName;
  readonly contentHash: string;
  readonly wasSent: boolean;
}

/** The position of a take by the order of its batch. */
const TURN = `iif(batches.take_order = 'scout', @take, 1)`;

/** States of a take that was not sent, or was refused before it cost anything. */
const UNSENT = `('needs_assets', 'ready')`;

/** Takes that count as new: those of the open round; without one, those not sent yet. */
const countsAgain = ({ number, isOpen }: Round): string =>
  isOpen ? `jobs.round = ${String(number)}` : `jobs.state IN ${UNSENT}`;

/** Rows read in one go where a batch may have many: a few milliseconds of work. */
export const SLICE = 500;

export class TakeStore {
  readonly #db: Database.Database;
  readonly #insert: Database.Statement;
  readonly #adopt: Database.Statement;
  readonly #last: Database.Statement;
  readonly #has: Database.Statement;
  readonly #unsent: Database.Statement;

  constructor(db: Database.Database) {
    this.#db = db;
    this.#last = db.prepare('SELECT MAX(take) FROM jobs WHERE batch_id = ? AND shot_key = ?').pluck();
    this.#has = db.prepare('SELECT 1 FROM jobs WHERE batch_id = ? AND shot_key = ? AND take = ?');
    this.#unsent = db
      .prepare(
        `SELECT id FROM jobs WHERE batch_id = ? AND shot_key = ? AND take = ? AND state IN ${UNSENT}
         AND shot_id IN (SELECT id FROM shots WHERE content_hash = ?)`,
      )
      .pluck();
    this.#adopt = db.prepare('INSERT INTO agent_takes VALUES (?, ?)');
    this.#insert = db.prepare(
      `INSERT INTO jobs (id, project_id, batch_id, shot_id, shot_key, take, kind, model, priority, turn, state, due_at,
         attempt_id, task_id, facts, round, position, viewable, created_at, updated_at)
       VALUES (@id, @projectId, @batchId, @shotId, @key, @take, @kind, @model, @priority,
         (SELECT ${TURN} FROM batches WHERE id = @batchId), @state, @dueAt,
         @attemptId, @taskId, @facts, @round,
         COALESCE((SELECT position FROM shots WHERE id = @shotId), 0), @state = 'saved', @createdAt, @createdAt)`,
    );
  }

  counts(batchId: string): Map<string, TakeCount> {
    return new Map([...this.eachCount(batchId)].map((count) => [count.key, count]));
  }

  /** One by one, read in slices. */
  *eachCount(batchId: string, round: Round = this.round(batchId)): Generator<TakeCount> {
    const read = this.#db.prepare(
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

  round(batchId: string): Round {
    const number = this.newestRound(batchId);
    return { number, isOpen: number > 0 && this.#isOpen(batchId, number) };
  }

  newestRound(batchId: string): number {
    const newest = 'SELECT COALESCE(MAX(round), 0) FROM jobs WHERE batch_id = ? AND round > 0';
    return this.#db.prepare(newest).pluck().get(batchId) as number;
  }

  /**
   * The round to which new takes of every shot belong from now on: the open one, or the next. Waiting takes join it.
   */
  enterRound(batchId: string): number {
    const { number, isOpen } = this.round(batchId);
    if (isOpen) return number;
    const join = `UPDATE jobs SET round = ? WHERE batch_id = ? AND state IN ${UNSENT}`;
    this.#db.prepare(join).run(number + 1, batchId);
    return number + 1;
  }

  #isOpen(batchId: string, round: number): boolean {
    const found = this.#db.prepare(
      `SELECT EXISTS (SELECT 1 FROM jobs WHERE batch_id = @batchId AND round = @round
           AND state <> 'saved' AND state NOT IN ${WITHOUT_RESULT})
         OR EXISTS (SELECT 1 FROM shots WHERE batch_id = @batchId AND current = 1 AND key NOT IN
           (SELECT shot_key FROM jobs WHERE batch_id = @batchId AND round = @round))`,
    );
    return found.pluck().get({ batchId, round }) === 1;
  }

  byContent(batchId: string): { key: string; contentHash: string; takes: number; waiting: number; again: number }[] {
    return this.#db
      .prepare(
        `SELECT jobs.shot_key AS key, shots.content_hash AS contentHash, COUNT(*) AS takes,
           SUM(jobs.state IN ${UNSENT}) AS waiting, SUM(${countsAgain(this.round(batchId))}) AS again
         FROM jobs JOIN shots ON shots.id = jobs.shot_id WHERE jobs.batch_id = ? GROUP BY 1, 2`,
      )
      .all(batchId) as ReturnType<TakeStore['byContent']>;
  }

  /** Takes of a batch that failed or were cancelled, with the content they were made from. */
  withoutResult(batchId: string): FailedTake[] {
    const rows = this.#db
      .prepare(
        `SELECT jobs.id, jobs.shot_key AS key, jobs.state, shots.content_hash AS contentHash, attempt_id IS NOT NULL AS wasSent
         FROM jobs JOIN shots ON shots.id = jobs.shot_id
         WHERE jobs.batch_id = ? AND jobs.state IN ${WITHOUT_RESULT} ORDER BY jobs.seq`,
      )
      .all(batchId) as (Omit<FailedTake, 'wasSent'> & { wasSent: 0 | 1 })[];
    return rows.map((row) => ({ ...row, wasSent: row.wasSent === 1 }));
  }

  last(batchId: string, key: string): number {
    return (this.#last.get(batchId, key) as number | null) ?? 0;
  }

  has(batchId: string, key: string, take: number): boolean {
    return this.#has.get(batchId, key, take) !== undefined;
  }

  /** Id of the take with that number if it waits to be sent and has this content, or null. */
  unsent(batchId: string, key: string, take: number, contentHash: string): string | null {
    return (this.#unsent.get(batchId, key, take, contentHash) as string | undefined) ?? null;
  }

  renumber(jobId: string, take: number): void {
    const renumber = `UPDATE jobs SET take = @take, turn = (SELECT ${TURN} FROM batches WHERE id = batch_id) WHERE id = @jobId`;
    this.#db.prepare(renumber).run({ jobId, take });
  }

  putInOrder(batchId: string): void {
    const put = `UPDATE jobs SET turn = ${TURN.replaceAll('@', 'jobs.')} FROM batches
      WHERE batches.id = jobs.batch_id AND jobs.batch_id = ? AND jobs.state IN ${UNSENT}`;
    this.#db.prepare(put).run(batchId);
  }

  /** Adds a take and the job that makes it; from then on `JobStore` changes it. It belongs to the agent that asks for it. */
  add(batch: { readonly id: string; readonly projectId: string }, job: NewJob): void {
    this.#insert.run({
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
    const session = actingSession();
    if (session !== null && isUnsent(job.state)) this.#adopt.run(job.id, session);
  }
}

/** Rows in the order of their keys; `read` returns the next ones after a key. Others may write in between. */
export function* inSlices<Row extends { readonly key: string }>(read: (after: string) => unknown[]): Generator<Row> {
  for (let last = '', ended = false; !ended;) {
    const rows = read(last) as Row[];
    yield* rows;
    last = rows.at(-1)?.key ?? last;
    ended = rows.length < SLICE;
  }
}
