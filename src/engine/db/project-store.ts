import type { EngineDatabase } from './open.ts';

export interface Project {
  readonly id: string;
  /** Absolute path of the folder. */
  readonly path: string;
  readonly name: string;
}

/** The project folders this data folder knows. The folder itself is the truth about its content. */
export class ProjectStore {
  readonly #db: EngineDatabase;

  constructor(db: EngineDatabase) {
    this.#db = db;
  }

  list(): Project[] {
    return this.#db.facts.prepare('SELECT id, path, name FROM projects ORDER BY opened_at DESC').all() as Project[];
  }

  get(id: string): Project | null {
    return (this.#db.facts.prepare('SELECT id, path, name FROM projects WHERE id = ?').get(id) as Project) ?? null;
  }

  atPath(path: string): Project | null {
    return (this.#db.facts.prepare('SELECT id, path, name FROM projects WHERE path = ?').get(path) as Project) ?? null;
  }

  /** Remembers a project, or where a known one has been moved to. */
  save(project: Project, now: number): void {
    this.#db.facts
      .transaction(() => {
        // Another project may have lain at this path before; its rows stay, reachable once it is opened again.
        this.#db.facts
          .prepare(`UPDATE projects SET path = path || '#' || id WHERE path = ? AND id <> ?`)
          .run(project.path, project.id);
        this.#db.facts
          .prepare(
            `INSERT INTO projects (id, path, name, created_at, opened_at) VALUES (@id, @path, @name, @now, @now)
             ON CONFLICT (id) DO UPDATE SET path = @path, name = @name, opened_at = @now`,
          )
          .run({ ...project, now });
      })
      .immediate();
  }
}
