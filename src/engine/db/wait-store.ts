import type { JobStateOf, Wait } from '../../contract/job.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { sql, Store } from './connection.ts';
import { inScope, IS_SET_ASIDE, JOB_COLUMNS, type Job, type Scope, standingSql, UNSENT } from './job-sql.ts';

export interface UnsentRow {
  readonly spec: ShotSpec;
  readonly isReleased: boolean;
  /** On hold: it is sent once a person resumes it. */
  readonly isHeld: boolean;
}

export interface RowState extends Readonly<
  Record<'isSaved' | 'isPicked' | 'isFailed' | 'isUndecided' | 'isUnderWay', boolean>
> {
  readonly key: string;
  readonly kind: string;
  readonly wait: Wait | null;
}

/** What rows wait for, and the takes that a person has released. Whether a wait is over is looked up; see `openWait`. */
export class WaitStore extends Store {
  /** By the present row of the take's shot, where that asks for the same. */
  waitFor(shotId: string): ShotSpec['waitFor'] | null {
    return this.facts.value`SELECT COALESCE(now.spec, made.spec) ->> '$.waitFor' FROM shots AS made
      LEFT JOIN shots AS now ON now.batch_id = made.batch_id AND now.key = made.key AND now.current = 1
        AND now.content_hash = made.content_hash
      WHERE made.id = ${shotId}`;
  }

  /** What is not sent of a batch, with its row as it waits now. */
  left(batchId: string): UnsentRow[] {
    const rows = this.facts.all<UnsentRow & { readonly waitFor: ShotSpec['waitFor'] | null }>`
      SELECT ${IS_HELD} AS isHeld, made.spec, COALESCE(now.spec, made.spec) ->> '$.waitFor' AS waitFor,
        EXISTS (SELECT 1 FROM released_takes WHERE job_id = jobs.id) AS isReleased
      FROM jobs JOIN shots AS made ON made.id = jobs.shot_id
      LEFT JOIN shots AS now ON now.batch_id = made.batch_id AND now.key = made.key AND now.current = 1
        AND now.content_hash = made.content_hash
      WHERE jobs.batch_id = ${batchId} AND jobs.state IN ${UNSENT} ORDER BY jobs.seq`;
    return rows.map(({ spec, waitFor, ...row }) => ({ ...row, spec: { ...spec, waitFor: waitFor ?? undefined } }));
  }

  /** Rows that refer to others, as the list has them now. */
  naming(batchId: string): ShotSpec[] {
    return this.facts.values<ShotSpec>`SELECT spec FROM shots
      WHERE batch_id = ${batchId} AND current = 1 AND spec LIKE '%shot://%'`;
  }

  /** What became of each row of a batch. */
  rows(batchId: string): RowState[] {
    return this.facts.all<RowState>`SELECT shot_key AS key, kind, MAX(state = 'saved' AND trash IS NULL) AS isSaved,
        MAX(flag IS 'pick') AS isPicked, MAX(${standingSql.failed}) AS isFailed, MAX(${standingSql.unknown}) AS isUndecided,
        MAX(state IN ('submitting', 'accepted', 'polling', 'downloading')) AS isUnderWay,
        MAX(iif(state = 'needs_assets' AND NOT ${IS_HELD}, facts ->> '$.wait', NULL)) AS wait
      FROM jobs WHERE batch_id = ${batchId} AND NOT ${IS_SET_ASIDE}
        AND shot_key IN (SELECT key FROM shots WHERE batch_id = ${batchId} AND current = 1)
      GROUP BY 1`;
  }

  /** The first row that waits for a person. A pick that was just given counts, though its rows may not know yet. */
  first(
    scope: Scope,
  ): { readonly id: string; readonly batchId: string; readonly state: JobStateOf<'needs_assets'> } | null {
    return this.facts.one`SELECT id, batch_id, facts AS state FROM jobs
      WHERE ${HAS_WAIT} AND NOT ${IS_HELD} AND ${inScope(scope)} AND NOT (facts ->> '$.wait' = 'pick' AND EXISTS (
        SELECT 1 FROM jobs AS source
        WHERE source.batch_id = COALESCE(jobs.facts ->> '$.waitsIn', jobs.batch_id)
          AND source.shot_key = jobs.facts ->> '$.waitsFor' AND source.flag = 'pick'))
      ORDER BY batch_id, position, shot_key, take LIMIT 1`;
  }

  isReleased(jobId: string): boolean {
    return this.facts.has`SELECT 1 FROM released_takes WHERE job_id = ${jobId}`;
  }

  setReleased(jobId: string, released: boolean): void {
    if (released) this.facts.run`INSERT INTO released_takes VALUES (${jobId}) ON CONFLICT DO NOTHING`;
    else this.facts.run`DELETE FROM released_takes WHERE job_id = ${jobId}`;
  }

  /** Unsent takes of rows that wait for something, or did when they were looked at last. */
  unsent(scope: Scope): Job[] {
    return this.facts.all<Job>`SELECT ${JOB_COLUMNS} FROM jobs WHERE ${inScope(scope)} AND state IN ${UNSENT}
      AND (${HAS_WAIT} OR shot_key IN
        (SELECT key FROM shots WHERE batch_id = jobs.batch_id AND spec ->> '$.waitFor' IS NOT NULL))`;
  }
}

const HAS_WAIT = sql`(state = 'needs_assets' AND facts ->> '$.wait' IS NOT NULL)`;

/** A take of the studio that nobody has yet is not on hold. */
const IS_HELD = sql`(jobs.paused IS NOT NULL AND jobs.paused <> 'elsewhere')`;
