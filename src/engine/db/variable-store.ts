import type Database from 'better-sqlite3';
import type { PromptVariable, Variables } from '../../contract/prompt-variables.ts';
import type { EngineDatabase } from './open.ts';

type VariableRow = Record<'project_id' | 'name' | 'text', string>;

/** A text that travels with a project; `copied`: a copy of one of every project. */
export interface CarriedVariable {
  readonly name: string;
  readonly text: string;
  readonly copied: boolean;
}

/**
 * The texts that prompts name, of each project and of all projects. A project keeps a copy of each text of all projects
 * that its lists name, so that its folder has it. A copy follows what a person does to the text of all projects here,
 * and is not shown while it is the same.
 */
export class VariableStore {
  readonly #db: Database.Database;

  constructor(db: EngineDatabase) {
    this.#db = db.facts;
  }

  /** Those of every project, and of one project where it is given; by name. */
  list(projectId: string | null): PromptVariable[] {
    const rows = this.#db
      .prepare(
        `SELECT * FROM prompt_variables AS own WHERE project_id IN ('', ?) AND NOT (copied AND EXISTS (
           SELECT 1 FROM prompt_variables WHERE project_id = '' AND name = own.name AND text = own.text))
         ORDER BY name, project_id`,
      )
      .all(projectId ?? '') as VariableRow[];
    return rows.map(({ project_id, name, text }) => ({ projectId: project_id || null, name, text }));
  }

  carriedBy(projectId: string): CarriedVariable[] {
    const rows = this.#db.prepare('SELECT name, text, copied FROM prompt_variables WHERE project_id = ? ORDER BY name');
    return (rows.all(projectId) as (VariableRow & { copied: number })[]).map(({ name, text, copied }) => ({
      ...{ name, text },
      copied: copied === 1,
    }));
  }

  projectsWithCopy(name: string): string[] {
    const projects = this.#db.prepare('SELECT project_id FROM prompt_variables WHERE name = ? AND copied');
    return projects.pluck().all(name) as string[];
  }

  /** How many of its own one project has, or every project together. */
  count(projectId: string | null): number {
    const counted = this.#db
      .prepare('SELECT count(*) FROM prompt_variables WHERE project_id = ? AND NOT copied')
      .pluck();
    return counted.get(projectId ?? '') as number;
  }

  set({ projectId, name, text }: PromptVariable): void {
    this.#db
      .prepare(
        `INSERT INTO prompt_variables (project_id, name, text) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET text = excluded.text, copied = 0`,
      )
      .run(projectId ?? '', name, text);
    if (projectId === null)
      this.#db.prepare('UPDATE prompt_variables SET text = ? WHERE name = ? AND copied').run(text, name);
  }

  /** Keeps copies of texts of every project with a project that has none of these names. Returns whether any is new. */
  keepCopies(projectId: string, texts: Variables): boolean {
    const keep = this.#db.prepare(
      'INSERT INTO prompt_variables (project_id, name, text, copied) VALUES (?, ?, ?, 1) ON CONFLICT DO NOTHING',
    );
    return [...texts].map(([name, text]) => keep.run(projectId, name, text).changes).some((changes) => changes > 0);
  }

  /** Takes over a text that came with a project. One of its own stays its own. */
  adopt(projectId: string, { name, text, copied }: CarriedVariable): void {
    this.#db
      .prepare(
        `INSERT INTO prompt_variables (project_id, name, text, copied) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET text = excluded.text, copied = copied AND excluded.copied`,
      )
      .run(projectId, name, text, copied ? 1 : 0);
  }

  /** Returns whether it existed. */
  remove(projectId: string | null, name: string): boolean {
    if (projectId === null) this.#db.prepare('DELETE FROM prompt_variables WHERE name = ? AND copied').run(name);
    const removed = this.#db.prepare('DELETE FROM prompt_variables WHERE project_id = ? AND name = ?');
    return removed.run(projectId ?? '', name).changes > 0;
  }
}
