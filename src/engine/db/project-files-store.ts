import { standingOf, type JobStateName } from '../../contract/job.ts';
import type { ProjectFacts, RoomStanding } from '../../contract/project-facts.ts';
import type { EngineDatabase } from './open.ts';

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

interface SavedRow extends Omit<SavedFile, 'isEmptied' | 'mayBeGone'> {
  readonly isEmptied: 0 | 1;
  readonly mayBeGone: 0 | 1;
}

interface Row {
  readonly file: string;
  readonly batch: string;
  readonly state: JobStateName;
  readonly home: string | null;
}

/** Takes looked at in one go. */
const PART = 2000;

export class ProjectFilesStore {
  readonly #db: EngineDatabase['facts'];

  constructor({ facts }: EngineDatabase) {
    this.#db = facts;
  }

  /** Every published file, in parts: reading 50,000 in one go would block the engine. */
  *files(projectId: string): Generator<KnownFile[]> {
    for (const rows of this.#parts<Row>('outputs.file, outputs.home, batches.name AS batch, jobs.state', projectId)) {
      yield rows.map(({ file, batch, state, home }) => ({
        file,
        batch,
        standing: home === null ? standingOf(state, null) : 'trash',
      }));
    }
  }

  /** Every file of takes that are saved, or were until a file was gone, in parts. */
  *saved(projectId: string): Generator<SavedFile[]> {
    const columns = `outputs.file, outputs.number, outputs.sha256, outputs.bytes, jobs.id AS takeId,
      jobs.batch_id AS batchId, jobs.shot_key AS shot, jobs.take, jobs.trash IS 'emptied' AS isEmptied,
      jobs.trash IS NULL AND jobs.flag IS 'reject' AS mayBeGone`;
    const which = `jobs.state IN ('saved', 'result_lost') AND outputs.sha256 IS NOT NULL`;
    for (const rows of this.#parts<SavedRow>(columns, projectId, which)) {
      yield rows.map((row) => ({ ...row, isEmptied: row.isEmptied === 1, mayBeGone: row.mayBeGone === 1 }));
    }
  }

  /** Where a file of a take is now; null where it was removed for good. */
  placeOf({ takeId, number }: Pick<SavedFile, 'takeId' | 'number'>): string | null {
    const read = this.#db.prepare(
      `SELECT outputs.file FROM outputs JOIN jobs ON jobs.id = outputs.job_id
       WHERE outputs.job_id = ? AND outputs.number = ? AND jobs.trash IS NOT 'emptied'`,
    );
    return (read.pluck().get(takeId, number) as string | null | undefined) ?? null;
  }

  *#parts<Found>(columns: string, projectId: string, which = '1'): Generator<Found[]> {
    const last = this.#db.prepare('SELECT COALESCE(MAX(seq), 0) FROM jobs').pluck().get() as number;
    const part = this.#db.prepare(
      `SELECT ${columns}
       FROM jobs NOT INDEXED CROSS JOIN outputs ON outputs.job_id = jobs.id JOIN batches ON batches.id = jobs.batch_id
       WHERE jobs.seq > ? AND jobs.seq <= ? AND jobs.project_id = ? AND outputs.file IS NOT NULL AND ${which}`,
    );
    for (let from = 0; from < last; from += PART) yield part.all(from, from + PART, projectId) as Found[];
  }

  /** When the first take of a project was queued, and when one last changed, ms; null without takes. */
  dates(projectId: string): ProjectFacts['dates'] {
    const read = 'SELECT MIN(created_at) AS first, MAX(updated_at) AS last FROM jobs WHERE project_id = ?';
    return this.#db.prepare(read).get(projectId) as ProjectFacts['dates'];
  }
}
