import { standingOf, type JobStateName, type Standing } from '../../contract/job.ts';
import type { EngineDatabase } from './open.ts';

/** A published file of a project: whose it is. */
export interface KnownFile {
  /** Relative to the project folder, with forward slashes: where it lies now. */
  readonly file: string;
  readonly batch: string;
  /** How its take stands; `trash` for one that lies there. */
  readonly standing: Standing | 'trash';
}

interface Row {
  readonly file: string;
  readonly batch: string;
  readonly state: JobStateName;
  readonly home: string | null;
}

/** When the first take of a project was queued, and when one last changed, ms; null without takes. */
export interface WorkDates {
  readonly first: number | null;
  readonly last: number | null;
}

/** What the database knows of the files of one project, for a page of facts. */
export class ProjectFilesStore {
  readonly #db: EngineDatabase['facts'];

  constructor({ facts }: EngineDatabase) {
    this.#db = facts;
  }

  /** Every published file. For commands: read at once, 50,000 of them would hold an engine up. */
  files(projectId: string): KnownFile[] {
    const rows = this.#db
      .prepare(
        `SELECT outputs.file, outputs.home, batches.name AS batch, jobs.state
         FROM batches JOIN jobs ON jobs.batch_id = batches.id JOIN outputs ON outputs.job_id = jobs.id
         WHERE batches.project_id = ? AND outputs.file IS NOT NULL`,
      )
      .all(projectId) as Row[];
    return rows.map(({ file, batch, state, home }) => ({
      file,
      batch,
      standing: home === null ? standingOf(state, null) : 'trash',
    }));
  }

  dates(projectId: string): WorkDates {
    const read = 'SELECT MIN(created_at) AS first, MAX(updated_at) AS last FROM jobs WHERE project_id = ?';
    return this.#db.prepare(read).get(projectId) as WorkDates;
  }
}
