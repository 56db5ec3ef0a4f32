import { Failure } from '../../contract/failure.ts';
import type { JobStateName, PauseReason } from '../../contract/job.ts';
import { textFromColumn, textToColumn, type Text } from '../../contract/messages/message.ts';
import type { WaitSpan } from '../../contract/night-report.ts';
import type { Priced } from '../../contract/shot.ts';
import { FREE_PROJECTS } from './ledger-store.ts';
import { sql, Store, type Sql } from './connection.ts';
import { WITHOUT_RESULT, IS_SET_ASIDE } from './job-sql.ts';

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

const OVER_AT = sql`CASE WHEN jobs.state = 'saved' THEN jobs.facts ->> '$.savedAt'
  WHEN jobs.state = 'cancelled' THEN jobs.facts ->> '$.at'
  WHEN jobs.state = 'submit_unknown' OR jobs.state IN ${WITHOUT_RESULT} THEN jobs.facts ->> '$.failure.at'
  WHEN jobs.paused = 'deadline' THEN jobs.updated_at END`;

/** The night that began at `night` has not ended yet in the project of a job. */
const isOpenNight = (night: number): Sql =>
  sql`project_id NOT IN (SELECT project_id FROM night_reports WHERE night = ${night})`;

/** A night of all projects is one of work that is paid for. */
const ofProject = (projectId: string | null): Sql =>
  projectId === null ? sql`project_id NOT IN (${FREE_PROJECTS})` : sql`project_id = ${projectId}`;

/** Reads the events of a night. Works on a read-only database beside a running engine. */
export class NightStore extends Store {
  batches({ since, until, projectId, isNow }: NightScope): NightBatch[] {
    const mine = ofProject(projectId);
    return this.facts.all<NightBatch>`
      SELECT batches.id, batches.name, projects.id AS projectId, projects.name AS project
      FROM batches JOIN projects ON projects.id = batches.project_id
      WHERE importing = 0 AND batches.id IN (
        SELECT batch_id FROM ledger WHERE at >= ${since} AND at < ${until} AND ${mine} AND batch_id IS NOT NULL
        UNION SELECT batch_id FROM jobs WHERE updated_at >= ${since} AND ${mine}
          AND (${OVER_AT}) >= ${since} AND (${OVER_AT}) < ${until}
        UNION SELECT batch_id FROM jobs WHERE created_at >= ${since} AND created_at < ${until} AND ${mine}
        UNION SELECT batch_id FROM jobs WHERE ${isNow} AND paused IS NULL AND step IS NOT NULL AND ${mine})
      ORDER BY projects.name, batches.created_at`;
  }

  /** The takes of some batches that existed before the night ended and were not over before it began, in list order. */
  takes(batchIds: readonly string[], { since, until }: NightScope): NightTake[] {
    const rows = this.facts
      .all<NightTake>`SELECT jobs.id, jobs.batch_id, jobs.shot_id, jobs.shot_key AS shot, jobs.take,
           jobs.kind, shots.position, jobs.state, jobs.paused, ${OVER_AT} AS overAt,
           CASE WHEN state = 'submit_unknown' OR state IN ${WITHOUT_RESULT} THEN facts -> '$.failure' END AS failure
         FROM jobs JOIN shots ON shots.id = jobs.shot_id
         WHERE jobs.batch_id IN (SELECT value FROM json_each(${batchIds})) AND jobs.created_at < ${until}
           AND IFNULL(${OVER_AT}, ${since}) >= ${since} AND NOT ${IS_SET_ASIDE}
         ORDER BY shots.position, jobs.take`;
    return rows.map((row) => ({ ...row, failure: Failure.safeParse(row.failure).data ?? null }));
  }

  /** Takes that have needed a decision since before a night. */
  earlierDecisions({ since, projectId }: NightScope): number {
    return this.facts.count`SELECT COUNT(*) FROM jobs
      WHERE state = 'submit_unknown' AND ${ofProject(projectId)} AND facts ->> '$.failure.at' < ${since}`;
  }

  requests({ since, until, projectId }: NightScope): NightRequest[] {
    return this.facts.all<NightRequest>`SELECT at, EXISTS (SELECT 1 FROM ledger AS earlier
        WHERE earlier.job_id = ledger.job_id
          AND (earlier.at < ledger.at OR (earlier.at = ledger.at AND earlier.id < ledger.id))) AS again
      FROM ledger WHERE at >= ${since} AND at < ${until} AND job_id IS NOT NULL AND ${ofProject(projectId)}
      ORDER BY at`;
  }

  *shots(batchIds: readonly string[]): Generator<{ readonly id: string; readonly shot: Priced }> {
    const rows = this.facts
      .prepare('SELECT id, spec FROM shots WHERE batch_id IN (SELECT value FROM json_each(?))')
      .iterate(JSON.stringify(batchIds)) as IterableIterator<{ id: string; spec: string }>;
    for (const { id, spec } of rows) yield { id, shot: JSON.parse(spec) as Priced };
  }

  /** A night of a project is over: its report counts as unread again. */
  ended(projectId: string, night: number, at: number): void {
    this.facts.run`INSERT INTO night_reports (project_id, night, ended_at) VALUES (${projectId}, ${night}, ${at})
         ON CONFLICT DO UPDATE SET ended_at = ${at}, seen_at = NULL`;
  }

  unseen(since: number): { readonly projectId: string; readonly night: number }[] {
    return this.facts.all<{
      projectId: string;
      night: number;
    }>`SELECT project_id, MAX(night) AS night FROM night_reports
      WHERE seen_at IS NULL AND ended_at >= ${since} GROUP BY project_id ORDER BY MAX(ended_at) DESC`;
  }

  /**
   * Projects whose night began at `night`, has not ended and needs a person: takes of it failed or need a decision, or wait
   * behind a gate of one of these causes, which only a person opens.
   */
  needing(night: number, causes: readonly string[]): string[] {
    return this.facts.values<string>`SELECT project_id FROM jobs
         WHERE (state = 'submit_unknown' OR state IN ${WITHOUT_RESULT} AND state <> 'cancelled' AND NOT ${IS_SET_ASIDE})
           AND facts ->> '$.failure.at' >= ${night} AND ${isOpenNight(night)}
         UNION SELECT project_id FROM jobs WHERE paused = 'deadline' AND updated_at >= ${night} AND ${isOpenNight(night)}
         UNION SELECT project_id FROM jobs WHERE state IN ('needs_assets', 'ready') AND paused IS NULL
           AND ${isOpenNight(night)} AND EXISTS (SELECT 1 FROM night_spans
             WHERE is_open = 1 AND cause IN (SELECT value FROM json_each(${causes}))
             AND (night_spans.project_id IS NULL OR night_spans.project_id = jobs.project_id))`;
  }

  /** A person has read the report of a night of a project, and so of those before it; tonight's may go on. */
  seen(projectId: string, night: number, at: number, { isTonight }: { readonly isTonight: boolean }): void {
    this.facts.run`UPDATE night_reports SET seen_at = ${at} WHERE project_id = ${projectId} AND night <= ${night}`;
    if (!isTonight) return;
    this.facts.run`INSERT OR IGNORE INTO night_reports (project_id, night, ended_at, seen_at)
         SELECT id, ${night}, ${at}, ${at} FROM projects WHERE id = ${projectId}`;
  }

  forgetBefore(at: number): void {
    this.facts.run`DELETE FROM night_reports WHERE ended_at < ${at}`;
  }
}

export interface OpenSpan {
  readonly cause: string;
  readonly projectId: string | null;
  readonly from: number;
  readonly until: number;
  readonly waiting: number;
  readonly message: Text | null;
  readonly isOpen: boolean;
  readonly clockBy?: number;
}

export interface NightHeartbeat {
  readonly at: number;
  readonly waiting: number;
}

/** What kept takes waiting, and when. Unsynced: a power cut loses the last minute of a wait at most. */
export class NightSpans extends Store {
  begin({ cause, projectId, from, until, waiting, message, isOpen, clockBy = 0 }: OpenSpan): number {
    return this.hints.insert`INSERT INTO night_spans
        (cause, project_id, started_at, ended_at, is_open, waiting, message, clock_by)
      VALUES (${cause}, ${projectId}, ${from}, ${until}, ${isOpen}, ${waiting},
        ${message === null ? null : textToColumn(message)}, NULLIF(${clockBy}, 0))`;
  }

  /** An open span lasts at least until `at` (ms), or ended then. */
  extend(id: number, at: number, { waiting, isOpen }: { readonly waiting: number; readonly isOpen: boolean }): void {
    this.hints.run`UPDATE night_spans SET ended_at = MAX(started_at, ${at}), waiting = MAX(waiting, ${waiting}),
        is_open = ${isOpen}
      WHERE id = ${id}`;
  }

  closeAll(): void {
    this.hints.run`UPDATE night_spans SET is_open = 0 WHERE is_open = 1`;
  }

  /** Spans that overlap a time, the oldest first: of a project only those that held it back, else all. */
  within(since: number, until: number, projectId: string | null): WaitSpan[] {
    const rows = this.hints.all<Omit<WaitSpan, 'message'> & { readonly message: string | null }>`
      SELECT cause, started_at AS "from", ended_at AS until, waiting, message, is_open, clock_by FROM night_spans
      WHERE ended_at >= ${since} AND started_at < ${until}
        AND (${projectId} IS NULL OR project_id IS NULL OR project_id = ${projectId})
      ORDER BY started_at, id`;
    return rows.map((row) => ({ ...row, message: row.message === null ? null : textFromColumn(row.message) }));
  }

  /** Forgets spans that ended before a time, ms. */
  forgetBefore(at: number): void {
    this.hints.run`DELETE FROM night_spans WHERE ended_at < ${at}`;
  }

  beat(): NightHeartbeat | null {
    return this.hints.one<NightHeartbeat>`SELECT at, waiting FROM night_beat`;
  }

  /** Null when nothing runs on. */
  setBeat(beat: NightHeartbeat | null): void {
    if (beat === null) this.hints.run`DELETE FROM night_beat`;
    else this.hints.run`INSERT OR REPLACE INTO night_beat (id, at, waiting) VALUES (1, ${beat.at}, ${beat.waiting})`;
  }
}
