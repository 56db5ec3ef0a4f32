import type Database from 'better-sqlite3';

/** Decisions of people that the recipes of their takes do not have yet, for example because the folder is away. */
export class DecisionStore {
  readonly #add: Database.Statement;
  readonly #written: Database.Statement;
  readonly #has: Database.Statement;
  readonly #of: Database.Statement;
  readonly #projects: Database.Statement;

  constructor(db: Database.Database) {
    this.#add = db.prepare('INSERT OR REPLACE INTO unwritten_decisions (job_id, revision) VALUES (?, ?)');
    this.#written = db.prepare('DELETE FROM unwritten_decisions WHERE job_id = ? AND revision <= ?');
    this.#has = db.prepare('SELECT 1 FROM unwritten_decisions WHERE job_id = ?');
    const placed = 'FROM unwritten_decisions JOIN jobs ON jobs.id = job_id';
    this.#of = db.prepare(`SELECT job_id ${placed} WHERE project_id = ?`).pluck();
    this.#projects = db.prepare(`SELECT DISTINCT project_id ${placed}`).pluck();
  }

  /** Belongs in the commit of the decision. `revision` of the job with it. */
  add(jobId: string, revision: number): void {
    this.#add.run(jobId, revision);
  }

  /** The recipe has the job as it was at this revision. */
  written({ id, revision }: { readonly id: string; readonly revision: number }): void {
    this.#written.run(id, revision);
  }

  has(jobId: string): boolean {
    return this.#has.get(jobId) !== undefined;
  }

  /** Ids of the jobs of a project. */
  of(projectId: string): string[] {
    return this.#of.all(projectId) as string[];
  }

  /** Ids of the projects that have any. */
  projects(): string[] {
    return this.#projects.all() as string[];
  }
}
