import type { EngineDatabase } from './open.ts';

/**
 * Files that the shots of a project may send, as a person agreed: real paths of files, and of folders with all their
 * content.
 */
export class AgreementStore {
  readonly #db: EngineDatabase;

  constructor(db: EngineDatabase) {
    this.#db = db;
  }

  of(projectId: string): string[] {
    return this.#db.facts
      .prepare('SELECT path FROM agreed_paths WHERE project_id = ?')
      .pluck()
      .all(projectId) as string[];
  }

  add(projectId: string, paths: readonly string[]): void {
    const insert = this.#db.facts.prepare('INSERT OR IGNORE INTO agreed_paths (project_id, path) VALUES (?, ?)');
    this.#db.facts.transaction(() => paths.forEach((path) => insert.run(projectId, path))).immediate();
  }
}
