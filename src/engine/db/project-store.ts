import type Database from 'better-sqlite3';
import type { EngineDatabase } from './open.ts';

export interface Project {
  readonly id: string;
  /** Absolute path of the folder. */
  readonly path: string;
  readonly name: string;
}

/** A project as lists show it. */
export interface ProjectRow extends Project {
  readonly openedAt: number;
  /** Service its shots are sent to when it is not the one of the settings. */
  readonly service: string | null;
  readonly batches: number;
  /** Bytes of its published files. */
  readonly bytes: number;
}

/** When a project was opened that has never been taken over to the end. */
const UNOPENED = 0;

/** The project folders this data folder knows. The folder itself is the truth about its content. */
export class ProjectStore {
  readonly #db: EngineDatabase;
  readonly #get: Database.Statement;

  constructor(db: EngineDatabase) {
    this.#db = db;
    this.#get = db.facts.prepare('SELECT id, path, name FROM projects WHERE id = ?');
  }

  list(): Project[] {
    const all = `SELECT id, path, name FROM projects WHERE opened_at > ${UNOPENED} ORDER BY opened_at DESC`;
    return this.#db.facts.prepare(all).all() as Project[];
  }

  get(id: string): Project | null {
    return (this.#get.get(id) as Project | undefined) ?? null;
  }

  atPath(path: string): Project | null {
    return (this.#db.facts.prepare('SELECT id, path, name FROM projects WHERE path = ?').get(path) as Project) ?? null;
  }

  /** The projects a person has not taken off the list, newest first. */
  rows(): ProjectRow[] {
    return this.#db.facts
      .prepare(
        `SELECT id, path, name, opened_at AS openedAt, service,
           (SELECT COUNT(*) FROM batches WHERE project_id = projects.id) AS batches,
           (SELECT COALESCE(SUM(outputs.bytes), 0) FROM batches JOIN jobs ON jobs.batch_id = batches.id
            JOIN outputs ON outputs.job_id = jobs.id
            WHERE batches.project_id = projects.id AND jobs.state = 'saved' AND outputs.file IS NOT NULL) AS bytes
         FROM projects WHERE hidden = 0 AND opened_at > ${UNOPENED} ORDER BY opened_at DESC`,
      )
      .all() as ProjectRow[];
  }

  /** Takes a project off the list. */
  hide(id: string): void {
    this.#db.facts.prepare('UPDATE projects SET hidden = 1 WHERE id = ?').run(id);
  }

  /** Service the project's shots are sent to when it is not the one of the settings. */
  service(id: string): string | null {
    const name = this.#db.facts.prepare('SELECT service FROM projects WHERE id = ?').pluck().get(id);
    return typeof name === 'string' ? name : null;
  }

  setService(id: string, service: string): void {
    this.#db.facts.prepare('UPDATE projects SET service = ? WHERE id = ?').run(service, id);
  }

  /** Remembers a project whose folder is being taken over, or where a known one has been moved to. A new one is not listed yet. */
  begin(project: Project, now: number): void {
    this.#db.facts
      .transaction(() => {
        // Another project may have lain at this path before; its rows stay, reachable once it is opened again.
        this.#db.facts
          .prepare(`UPDATE projects SET path = path || '#' || id WHERE path = ? AND id <> ?`)
          .run(project.path, project.id);
        this.#db.facts
          .prepare(
            `INSERT INTO projects (id, path, name, created_at, opened_at) VALUES (@id, @path, @name, @now, ${UNOPENED})
           ON CONFLICT (id) DO UPDATE SET path = @path, name = @name`,
          )
          .run({ id: project.id, path: project.path, name: project.name, now });
      })
      .immediate();
  }

  /** Puts a project on the list, first of all. */
  opened(id: string, now: number): void {
    this.#db.facts.prepare('UPDATE projects SET opened_at = ?, hidden = 0 WHERE id = ?').run(now, id);
  }

  /** The two in one. */
  save(project: Project, now: number): void {
    this.begin(project, now);
    this.opened(project.id, now);
  }
}
