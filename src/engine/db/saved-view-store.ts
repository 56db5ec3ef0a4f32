import type Database from 'better-sqlite3';
import { ViewFilter, type SavedView } from '../../contract/saved-views.ts';
import type { EngineDatabase } from './open.ts';

interface ViewRow extends Omit<SavedView, 'filter'> {
  readonly filter: string;
}

/** The saved views of projects. */
export class SavedViewStore {
  readonly #db: Database.Database;

  constructor(db: EngineDatabase) {
    this.#db = db.facts;
  }

  /** Sorted by name. Leaves out views that a later version wrote and this one cannot read. */
  list(projectId: string): SavedView[] {
    const rows = this.#db
      .prepare('SELECT id, project_id AS projectId, name, filter FROM saved_views WHERE project_id = ? ORDER BY name')
      .all(projectId) as ViewRow[];
    return rows.flatMap((row) => {
      const filter = ViewFilter.safeParse(JSON.parse(row.filter));
      return filter.success ? [{ ...row, filter: filter.data }] : [];
    });
  }

  save({ filter, ...view }: SavedView): void {
    this.#db
      .prepare(
        `INSERT INTO saved_views (id, project_id, name, filter) VALUES (@id, @projectId, @name, @filter)
         ON CONFLICT (id) DO UPDATE SET name = @name, filter = @filter WHERE project_id = @projectId`,
      )
      .run({ ...view, filter: JSON.stringify(filter) });
  }

  remove(projectId: string, id: string): void {
    this.#db.prepare('DELETE FROM saved_views WHERE id = ? AND project_id = ?').run(id, projectId);
  }
}
