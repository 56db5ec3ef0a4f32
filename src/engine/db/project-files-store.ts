import { standingOf, type JobStateName } from '../../contract/job.ts';
import type { ProjectFacts, RoomStanding } from '../../contract/project-facts.ts';
import type { EngineDatabase } from './open.ts';

/** A published file of a project, and whose it is. */
export interface KnownFile {
  /** Relative to the project folder, with forward slashes: its present place. */
  readonly file: string;
  readonly batch: string;
  /** The standing of its take; `trash` for a file in the trash. */
  readonly standing: RoomStanding;
}

interface Row {
  readonly file: string;
  readonly batch: string;
  readonly state: JobStateName;
  readonly home: string | null;
}

/** Takes looked at in one go. */
const PART = 2000;

/** Queries about the files of one project, for its page of facts. */
export class ProjectFilesStore {
  readonly #db: EngineDatabase['facts'];

  constructor({ facts }: EngineDatabase) {
    this.#db = facts;
  }

  /** Every published file, in parts: reading 50,000 in one go would block the engine. */
  *files(projectId: string): Generator<KnownFile[]> {
    const last = this.#db.prepare('SELECT COALESCE(MAX(seq), 0) FROM jobs').pluck().get() as number;
    const part = this.#db.prepare(
      `SELECT outputs.file, outputs.home, batches.name AS batch, jobs.state
       FROM jobs NOT INDEXED CROSS JOIN outputs ON outputs.job_id = jobs.id JOIN batches ON batches.id = jobs.batch_id
       WHERE jobs.seq > ? AND jobs.seq <= ? AND jobs.project_id = ? AND outputs.file IS NOT NULL`,
    );
    for (let from = 0; from < last; from += PART) {
      yield (part.all(from, from + PART, projectId) as Row[]).map(({ file, batch, state, home }) => ({
        file,
        batch,
        standing: home === null ? standingOf(state, null) : 'trash',
      }));
    }
  }

  /** When the first take of a project was queued, and when one last changed, ms; null without takes. */
  dates(projectId: string): ProjectFacts['dates'] {
    const read = 'SELECT MIN(created_at) AS first, MAX(updated_at) AS last FROM jobs WHERE project_id = ?';
    return this.#db.prepare(read).get(projectId) as ProjectFacts['dates'];
  }
}
