import { standingOf, type JobStateName } from '../../contract/job.ts';
import type { ProjectFacts, RoomStanding } from '../../contract/project-facts.ts';
import { sql, Store, type Sql } from './connection.ts';

export interface KnownFile {
  /** Relative to the project folder, with forward slashes: its present place. */
  readonly file: string;
  readonly batch: string;
  /** The standing of its take; `trash` for a file in the trash. */
  readonly standing: RoomStanding;
}

export interface SavedFile {
  readonly file: string;
  readonly number: number;
  readonly sha256: string;
  readonly bytes: number;
  readonly takeId: string;
  readonly batchId: string;
  readonly shot: string;
  readonly take: number;
  /** It was removed for good with the trash. */
  readonly isEmptied: boolean;
  /** A person has rejected its take, and may have removed it. */
  readonly mayBeGone: boolean;
}

interface Row {
  readonly file: string;
  readonly batch: string;
  readonly state: JobStateName;
  readonly home: string | null;
}

/** Takes looked at in one go. */
const PART = 2000;

export class ProjectFilesStore extends Store {
  /** Every published file, in parts: reading 50,000 in one go would block the engine. */
  *files(projectId: string): Generator<KnownFile[]> {
    const columns = sql`outputs.file, outputs.home, batches.name AS batch, jobs.state`;
    for (const rows of this.#parts<Row>(columns, projectId)) {
      yield rows.map(({ file, batch, state, home }) => ({
        file,
        batch,
        standing: home === null ? standingOf(state, null) : 'trash',
      }));
    }
  }

  /** Every file of takes that are saved, or were until a file was gone, in parts. */
  *saved(projectId: string): Generator<SavedFile[]> {
    const columns = sql`outputs.file, outputs.number, outputs.sha256, outputs.bytes, jobs.id AS takeId,
      jobs.batch_id AS batchId, jobs.shot_key AS shot, jobs.take, jobs.trash IS 'emptied' AS isEmptied,
      jobs.trash IS NULL AND jobs.flag IS 'reject' AS mayBeGone`;
    const which = sql`jobs.state IN ('saved', 'result_lost') AND outputs.sha256 IS NOT NULL`;
    yield* this.#parts<SavedFile>(columns, projectId, which);
  }

  /** Where a file of a take is now; null where it was removed for good. */
  placeOf({ takeId, number }: Pick<SavedFile, 'takeId' | 'number'>): string | null {
    return this.facts.value<string>`SELECT outputs.file FROM outputs JOIN jobs ON jobs.id = outputs.job_id
       WHERE outputs.job_id = ${takeId} AND outputs.number = ${number} AND jobs.trash IS NOT 'emptied'`;
  }

  *#parts<Found>(columns: Sql, projectId: string, which = sql`TRUE`): Generator<Found[]> {
    const last = this.facts.count`SELECT MAX(seq) FROM jobs`;
    for (let from = 0; from < last; from += PART)
      yield this.facts.all<Found>`SELECT ${columns} FROM jobs NOT INDEXED
        CROSS JOIN outputs ON outputs.job_id = jobs.id JOIN batches ON batches.id = jobs.batch_id
        WHERE jobs.seq > ${from} AND jobs.seq <= ${from + PART} AND jobs.project_id = ${projectId}
          AND outputs.file IS NOT NULL AND ${which}`;
  }

  /** When the first take of a project was queued, and when one last changed, ms; null without takes. */
  dates(projectId: string): ProjectFacts['dates'] {
    const dates = this.facts.one<
      ProjectFacts['dates']
    >`SELECT MIN(created_at) AS first, MAX(updated_at) AS last FROM jobs
      WHERE project_id = ${projectId}`;
    return dates ?? { first: null, last: null };
  }
}
