import type Database from 'better-sqlite3';
import { Preset } from '../../contract/presets.ts';
import type { EngineDatabase } from './open.ts';

interface PresetRow {
  readonly id: string;
  readonly project_id: string;
  readonly kind: string;
  readonly name: string;
  readonly cells: string;
}

export class PresetStore {
  readonly #db: Database.Database;

  constructor(db: EngineDatabase) {
    this.#db = db.facts;
  }

  /** Those of every project, and of one project where it is given; by kind and name. */
  list(projectId: string | null): Preset[] {
    const rows = this.#db
      .prepare(`SELECT * FROM presets WHERE project_id IN ('', ?) ORDER BY kind, name, project_id`)
      .all(projectId ?? '') as PresetRow[];
    // A later version may have kinds that this one does not have.
    return rows.flatMap((row) => presetIn(row) ?? []);
  }

  get(id: string): Preset | null {
    const row = this.#db.prepare('SELECT * FROM presets WHERE id = ?').get(id) as PresetRow | undefined;
    return row ? presetIn(row) : null;
  }

  count(projectId: string | null): number {
    const counted = this.#db.prepare('SELECT count(*) FROM presets WHERE project_id = ?').pluck();
    return counted.get(projectId ?? '') as number;
  }

  /** Replaces one with the same project, kind and name, and keeps its id. Returns the id. */
  save({ id, projectId, kind, name, cells }: Preset): string {
    const saved = this.#db
      .prepare(
        `INSERT INTO presets VALUES (@id, @projectId, @kind, @name, @cells)
         ON CONFLICT (project_id, kind, name) DO UPDATE SET cells = excluded.cells RETURNING id`,
      )
      .pluck();
    return saved.get({ id, projectId: projectId ?? '', kind, name, cells: JSON.stringify(cells) }) as string;
  }

  /** False when another one of its project and kind has this name. */
  rename(id: string, name: string): boolean {
    return this.#db.prepare('UPDATE OR IGNORE presets SET name = ? WHERE id = ?').run(name, id).changes > 0;
  }

  remove(id: string): void {
    this.#db.prepare('DELETE FROM presets WHERE id = ?').run(id);
  }
}

function presetIn({ id, project_id, kind, name, cells }: PresetRow): Preset | null {
  const preset = Preset.safeParse({ id, projectId: project_id || null, kind, name, cells: JSON.parse(cells) });
  return preset.success ? preset.data : null;
}
