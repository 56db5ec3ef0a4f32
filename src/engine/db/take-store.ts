import { sql, Store, type Sql } from './connection.ts';
import { isUnsent, type JobState, type JobStateName } from '../../contract/job.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { actingSession } from '../base/acting-session.ts';
import { toAttempt, toDueAt, toTask } from '../machine/job-facts.ts';
import { UNSENT, WITHOUT_RESULT } from './job-sql.ts';

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

const turn = (take: number | Sql): Sql => sql`iif(batches.take_order = 'scout', ${take}, 1)`;

/** Takes that count as new: those of the open round; without one, those not sent yet. */
const countsAgain = ({ number, isOpen }: Round): Sql =>
  isOpen ? sql`jobs.round = ${number}` : sql`jobs.state IN ${UNSENT}`;

export const SLICE = 500;

export class TakeStore extends Store {
  counts(batchId: string): Map<string, TakeCount> {
    return new Map([...this.eachCount(batchId)].map((count) => [count.key, count]));
  }

  *eachCount(batchId: string, round: Round = this.round(batchId)): Generator<TakeCount> {
    const again = countsAgain(round);
    yield* inSlices(
      (after) => this.facts.all<TakeCount>`SELECT jobs.shot_key AS key, MAX(jobs.take) AS last,
          TOTAL(made.content_hash = now.content_hash) AS current,
          TOTAL(made.content_hash = now.content_hash AND jobs.state IN ${UNSENT}) AS waiting,
          TOTAL(made.content_hash = now.content_hash AND ${again}) AS again
        FROM jobs JOIN shots AS made ON made.id = jobs.shot_id
        LEFT JOIN shots AS now ON now.batch_id = jobs.batch_id AND now.key = jobs.shot_key AND now.current = 1
        WHERE jobs.batch_id = ${batchId} AND jobs.shot_key > ${after}
        GROUP BY jobs.shot_key ORDER BY jobs.shot_key LIMIT +${SLICE}`,
    );
  }

  round(batchId: string): Round {
    const number = this.newestRound(batchId);
    return { number, isOpen: number > 0 && this.#isOpen(batchId, number) };
  }

  newestRound(batchId: string): number {
    return this.facts.count`SELECT MAX(round) FROM jobs WHERE batch_id = ${batchId} AND round > 0`;
  }

  /** The open round, or the next one: new takes of every shot belong to it. Waiting takes join it. */
  enterRound(batchId: string): number {
    const { number, isOpen } = this.round(batchId);
    if (isOpen) return number;
    this.facts.run`UPDATE jobs SET round = ${number + 1} WHERE batch_id = ${batchId} AND state IN ${UNSENT}`;
    return number + 1;
  }

  #isOpen(batchId: string, round: number): boolean {
    return this.facts.has`SELECT 1 WHERE EXISTS (SELECT 1 FROM jobs WHERE batch_id = ${batchId} AND round = ${round}
          AND state <> 'saved' AND state NOT IN ${WITHOUT_RESULT})
      OR EXISTS (SELECT 1 FROM shots WHERE batch_id = ${batchId} AND current = 1 AND key NOT IN
          (SELECT shot_key FROM jobs WHERE batch_id = ${batchId} AND round = ${round}))`;
  }

  byContent(batchId: string): { key: string; contentHash: string; takes: number; waiting: number; again: number }[] {
    return this.facts.all`SELECT jobs.shot_key AS key, shots.content_hash, COUNT(*) AS takes,
        SUM(jobs.state IN ${UNSENT}) AS waiting, SUM(${countsAgain(this.round(batchId))}) AS again
      FROM jobs JOIN shots ON shots.id = jobs.shot_id WHERE jobs.batch_id = ${batchId} GROUP BY 1, 2`;
  }

  /** Shots with a saved take of their present text that can be used, and whether it is picked; see `resultsOf`. */
  usable(batchId: string): [key: string, { readonly isPicked: boolean }][] {
    return this.facts.all<{ key: string; isPicked: boolean }>`SELECT jobs.shot_key AS key,
        MAX(jobs.flag IS 'pick') AS isPicked
      FROM jobs LEFT JOIN shots AS now ON now.batch_id = jobs.batch_id AND now.key = jobs.shot_key AND now.current = 1
      WHERE jobs.batch_id = ${batchId} AND jobs.state = 'saved' AND jobs.trash IS NULL AND jobs.flag IS NOT 'reject'
        AND jobs.take >= COALESCE((SELECT MIN(first.take) FROM jobs AS first
          JOIN shots AS of_first ON of_first.id = first.shot_id
          WHERE first.batch_id = jobs.batch_id AND first.shot_key = jobs.shot_key
            AND of_first.content_hash = now.content_hash), 1)
      GROUP BY 1`.map(({ key, isPicked }) => [key, { isPicked }]);
  }

  withoutResult(batchId: string): FailedTake[] {
    return this.facts.all<FailedTake>`SELECT jobs.id, jobs.shot_key AS key, jobs.state, shots.content_hash,
        attempt_id IS NOT NULL AS wasSent
      FROM jobs JOIN shots ON shots.id = jobs.shot_id
      WHERE jobs.batch_id = ${batchId} AND jobs.state IN ${WITHOUT_RESULT} ORDER BY jobs.seq`;
  }

  last(batchId: string, key: string): number {
    return this.facts.count`SELECT MAX(take) FROM jobs WHERE batch_id = ${batchId} AND shot_key = ${key}`;
  }

  has(batchId: string, key: string, take: number): boolean {
    return this.facts.has`SELECT 1 FROM jobs WHERE batch_id = ${batchId} AND shot_key = ${key} AND take = ${take}`;
  }

  unsent(batchId: string, key: string, take: number, contentHash: string): string | null {
    return this.facts.value<string>`SELECT id FROM jobs
      WHERE batch_id = ${batchId} AND shot_key = ${key} AND take = ${take} AND state IN ${UNSENT}
        AND shot_id IN (SELECT id FROM shots WHERE content_hash = ${contentHash})`;
  }

  renumber(jobId: string, take: number): void {
    this.facts.run`UPDATE jobs SET take = ${take}, turn = (SELECT ${turn(take)} FROM batches WHERE id = batch_id)
      WHERE id = ${jobId}`;
  }

  putInOrder(batchId: string): void {
    this.facts.run`UPDATE jobs SET turn = ${turn(sql`jobs.take`)} FROM batches
      WHERE batches.id = jobs.batch_id AND jobs.batch_id = ${batchId} AND jobs.state IN ${UNSENT}`;
  }

  /** Adds a take and the job that makes it; from then on `JobStore` changes it. It belongs to the agent that asks for it. */
  add(batch: { readonly id: string; readonly projectId: string }, job: NewJob): void {
    const { id, shotId, take, spec, state, round = 0, createdAt } = job;
    const [attemptId, taskId] = [toAttempt(state)?.id, toTask(state)?.id];
    this.facts.run`INSERT INTO jobs (id, project_id, batch_id, shot_id, shot_key, take, kind, model, priority,
        turn, state, due_at, attempt_id, task_id, facts, round, position, viewable, created_at, updated_at)
      VALUES (${id}, ${batch.projectId}, ${batch.id}, ${shotId}, ${spec.key}, ${take}, ${spec.kind}, ${spec.model},
        ${spec.priority}, (SELECT ${turn(take)} FROM batches WHERE id = ${batch.id}), ${state.state}, ${toDueAt(state)},
        ${attemptId}, ${taskId}, ${state}, ${round}, COALESCE((SELECT position FROM shots WHERE id = ${shotId}), 0),
        ${state.state === 'saved'}, ${createdAt}, ${createdAt})`;
    const session = actingSession();
    if (session !== null && isUnsent(state)) this.facts.run`INSERT INTO agent_takes VALUES (${id}, ${session})`;
  }
}

/** Rows in the order of their keys; `read` returns the next ones after a key. Others may write in between. */
export function* inSlices<Row extends { readonly key: string }>(read: (after: string) => Row[]): Generator<Row> {
  for (let last = '', ended = false; !ended;) {
    const rows = read(last);
    yield* rows;
    last = rows.at(-1)?.key ?? last;
    ended = rows.length < SLICE;
  }
}
