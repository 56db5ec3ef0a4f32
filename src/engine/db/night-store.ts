import type Database from 'better-sqlite3';
import { Failure } from '../../contract/failure.ts';
import type { JobStateName, PauseReason } from '../../contract/job.ts';
import type { Priced } from '../../contract/shot.ts';
import { FREE_PROJECTS } from './ledger-store.ts';
import type { EngineDatabase } from './open.ts';
import { WITHOUT_RESULT, IS_SET_ASIDE } from './standing-sql.ts';

/** Which night of which project; null for all projects. */
export interface NightScope {
  readonly since: number;
  readonly until: number;
  readonly projectId: string | null;
  /** The night is not over: waiting takes belong to it. */
  readonly isNow: boolean;
}

export interface NightTake {
  readonly id: string;
  readonly batchId: string;
  readonly shotId: string;
  readonly shot: string;
  readonly take: number;
  readonly kind: string;
  readonly position: number;
  readonly state: JobStateName;
  readonly paused: PauseReason | null;
  /** When it ended or first needed a decision, ms; null while it has not. */
  readonly overAt: number | null;
  readonly failure: Failure | null;
}

export interface NightBatch {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  readonly project: string;
}

export interface NightRequest {
  readonly at: number;
  /** It sent a take that had been sent before. */
  readonly again: 0 | 1;
}

type TakeRow = Omit<NightTake, 'failure'> & { readonly failure: string | null };

/** When a take was saved, failed, was cancelled, or needed a decision. */
const OVER_AT = `CASE WHEN jobs.state = 'saved' THEN jobs.facts ->> '$.savedAt'
  WHEN jobs.state = 'cancelled' THEN jobs.facts ->> '$.at'
  WHEN jobs.state = 'submit_unknown' OR jobs.state IN ${WITHOUT_RESULT} THEN jobs.facts ->> '$.failure.at'
  WHEN jobs.paused = 'deadline' THEN jobs.updated_at END`;

/** The night that began at `@night` has not ended yet in the project of a job. */
const GOES_ON = 'project_id NOT IN (SELECT project_id FROM night_reports WHERE night = @night)';

/** A night of all projects is one of work that is paid for. */
const OF_PROJECT = `(project_id = @projectId OR (@projectId IS NULL AND project_id NOT IN (${FREE_PROJECTS})))`;

/** Reads the events of a night. Works on a read-only database beside a running engine. */
export class NightStore {
  readonly #db: Database.Database;

  constructor(db: EngineDatabase) {
    this.#db = db.facts;
  }

  /** Batches with takes that were sent, saved, failed or added, and waiting ones while the night is not over. */
  batches({ isNow, ...scope }: NightScope): NightBatch[] {
    return this.#db
      .prepare(
        `SELECT batches.id, batches.name, projects.id AS projectId, projects.name AS project
         FROM batches JOIN projects ON projects.id = batches.project_id
         WHERE importing = 0 AND batches.id IN (
           SELECT batch_id FROM ledger WHERE at >= @since AND at < @until AND ${OF_PROJECT} AND batch_id IS NOT NULL
           UNION SELECT batch_id FROM jobs WHERE updated_at >= @since AND ${OF_PROJECT}
             AND (${OVER_AT}) >= @since AND (${OVER_AT}) < @until
           UNION SELECT batch_id FROM jobs WHERE created_at >= @since AND created_at < @until AND ${OF_PROJECT}
           UNION SELECT batch_id FROM jobs WHERE @isNow AND paused IS NULL AND step IS NOT NULL AND ${OF_PROJECT})
         ORDER BY projects.name, batches.created_at`,
      )
      .all({ ...scope, isNow: isNow ? 1 : 0 }) as NightBatch[];
  }

  /**
   * The takes of some batches that existed before the end of the night and were not over before it began, in list
   * order.
   */
  takes(batchIds: readonly string[], { since, until }: NightScope): NightTake[] {
    const rows = this.#db
      .prepare(
        `SELECT jobs.id, jobs.batch_id AS batchId, jobs.shot_id AS shotId, jobs.shot_key AS shot, jobs.take, jobs.kind, shots.position, jobs.state,
           jobs.paused, ${OVER_AT} AS overAt,
           CASE WHEN state = 'submit_unknown' OR state IN ${WITHOUT_RESULT} THEN facts -> '$.failure' END AS failure
         FROM jobs JOIN shots ON shots.id = jobs.shot_id
         WHERE jobs.batch_id IN (SELECT value FROM json_each(@batches)) AND jobs.created_at < @until
           AND IFNULL(${OVER_AT}, @since) >= @since AND NOT ${IS_SET_ASIDE}
         ORDER BY shots.position, jobs.take`,
      )
      .all({ batches: JSON.stringify(batchIds), since, until }) as TakeRow[];
    return rows.map(({ failure, ...row }) => ({ ...row, failure: failure === null ? null : readFailure(failure) }));
  }

  /** Takes that have needed a decision since before a night. */
  earlierDecisions({ since, projectId }: NightScope): number {
    return this.#db
      .prepare(
        `SELECT COUNT(*) FROM jobs WHERE state = 'submit_unknown' AND ${OF_PROJECT} AND facts ->> '$.failure.at' < @since`,
      )
      .pluck()
      .get({ since, projectId }) as number;
  }

  requests({ since, until, projectId }: NightScope): NightRequest[] {
    return this.#db
      .prepare(
        `SELECT at, EXISTS (SELECT 1 FROM ledger AS earlier WHERE earlier.job_id = ledger.job_id
             AND (earlier.at < ledger.at OR (earlier.at = ledger.at AND earlier.id < ledger.id))) AS again
         FROM ledger WHERE at >= @since AND at < @until AND job_id IS NOT NULL AND ${OF_PROJECT} ORDER BY at`,
      )
      .all({ since, until, projectId }) as NightRequest[];
  }

  /** The price facts of the shots of some batches, with their ids. */
  *shots(batchIds: readonly string[]): Generator<{ readonly id: string; readonly shot: Priced }> {
    const rows = this.#db
      .prepare('SELECT id, spec FROM shots WHERE batch_id IN (SELECT value FROM json_each(?))')
      .iterate(JSON.stringify(batchIds)) as IterableIterator<{ id: string; spec: string }>;
    for (const { id, spec } of rows) yield { id, shot: JSON.parse(spec) as Priced };
  }

  /** A night of a project is over: its report counts as unread again. */
  ended(projectId: string, night: number, at: number): void {
    this.#db
      .prepare(
        `INSERT INTO night_reports (project_id, night, ended_at) VALUES (@projectId, @night, @at)
         ON CONFLICT DO UPDATE SET ended_at = @at, seen_at = NULL`,
      )
      .run({ projectId, night, at });
  }

  /** The last night of each project whose report nobody has read, the newest first. */
  unseen(since: number): { readonly projectId: string; readonly night: number }[] {
    return this.#db
      .prepare(
        `SELECT project_id AS projectId, MAX(night) AS night FROM night_reports
         WHERE seen_at IS NULL AND ended_at >= ? GROUP BY project_id ORDER BY MAX(ended_at) DESC`,
      )
      .all(since) as { projectId: string; night: number }[];
  }

  /**
   * Projects whose night began at `night`, has not ended and needs a person: takes of it failed or need a decision, or wait
   * behind a gate of one of these causes, which only a person opens.
   */
  needing(night: number, causes: readonly string[]): string[] {
    return this.#db
      .prepare(
        `SELECT project_id FROM jobs
         WHERE (state = 'submit_unknown' OR state IN ${WITHOUT_RESULT} AND state <> 'cancelled' AND NOT ${IS_SET_ASIDE})
           AND facts ->> '$.failure.at' >= @night AND ${GOES_ON}
         UNION SELECT project_id FROM jobs WHERE paused = 'deadline' AND updated_at >= @night AND ${GOES_ON}
         UNION SELECT project_id FROM jobs WHERE state IN ('needs_assets', 'ready') AND paused IS NULL AND ${GOES_ON}
           AND EXISTS (SELECT 1 FROM night_spans WHERE is_open = 1 AND cause IN (SELECT value FROM json_each(@causes))
             AND (night_spans.project_id IS NULL OR night_spans.project_id = jobs.project_id))`,
      )
      .pluck()
      .all({ night, causes: JSON.stringify(causes) }) as string[];
  }

  /** A person has read the report of a night of a project, and so of those before it; tonight's may go on. */
  seen(projectId: string, night: number, at: number, { isTonight }: { readonly isTonight: boolean }): void {
    this.#db
      .prepare('UPDATE night_reports SET seen_at = @at WHERE project_id = @projectId AND night <= @night')
      .run({ projectId, night, at });
    if (!isTonight) return;
    this.#db
      .prepare(
        `INSERT OR IGNORE INTO night_reports (project_id, night, ended_at, seen_at)
         SELECT id, @night, @at, @at FROM projects WHERE id = @projectId`,
      )
      .run({ projectId, night, at });
  }

  forgetBefore(at: number): void {
    this.#db.prepare('DELETE FROM night_reports WHERE ended_at < ?').run(at);
  }
}

function readFailure(text: string): Failure | null {
  const read = Failure.safeParse(JSON.parse(text));
  return read.success ? read.data : null;
}
