import type Database from 'better-sqlite3';
import type { PromptVariable } from '../../contract/prompt-variables.ts';
import type { EngineDatabase } from './open.ts';

type VariableRow = Record<'project_id' | 'name' | 'text', string>;

/** The texts that prompts name, of each project and of all projects. */
export class VariableStore {
  readonly #db: Database.Database;

  constructor(db: EngineDatabase) {
    this.#db = db.facts;
  }

  /** Those of every project, and of one project where it is given; by name. */
  list(projectId: string | null): PromptVariable[] {
    const rows = this.#db
      .prepare(`SELECT * FROM prompt_variables WHERE project_id IN ('', ?) ORDER BY name, project_id`)
      .all(projectId ?? '') as VariableRow[];
    return rows.map(({ project_id, name, text }) => ({ projectId: project_id || null, name, text }));
  }

  /** How many one project has, or every project together. */
  count(projectId: string | null): number {
    const counted = this.#db.prepare('SELECT count(*) FROM prompt_variables WHERE project_id = ?').pluck();
    return counted.get(projectId ?? '') as number;
  }

  set({ projectId, name, text }: PromptVariable): void {
    this.#db
      .prepare('INSERT INTO prompt_variables VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET text = excluded.text')
      .run(projectId ?? '', name, text);
  }

  /** Returns whether it existed. */
  remove(projectId: string | null, name: string): boolean {
    const removed = this.#db.prepare('DELETE FROM prompt_variables WHERE project_id = ? AND name = ?');
    return removed.run(projectId ?? '', name).changes > 0;
  }
}
