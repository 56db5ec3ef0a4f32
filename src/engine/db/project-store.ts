import type { BatchOrder } from '../../contract/batch-order.ts';
import type Database from 'better-sqlite3';
import { sep } from 'node:path';
import type { Actor } from '../../contract/history.ts';
import type { EngineDatabase } from './open.ts';

export interface Project {
  readonly id: string;
  /** Absolute path of the folder. */
  readonly path: string;
  readonly name: string;
}

export interface ProjectRow extends Project {
  readonly openedAt: number;
  /** The service that its shots are sent to, when it is not the one of the settings. */
  readonly service: string | null;
  readonly batches: number;
  readonly batchOrder: BatchOrder;
  /** Bytes of its published files. */
  readonly bytes: number;
}

export interface ProjectRename {
  readonly projectId: string;
  /** Absolute folders; equal when only the name changes. */
  readonly fromPath: string;
  readonly toPath: string;
  readonly fromName: string;
  readonly toName: string;
  readonly by: Actor;
  /** ms. */
  readonly at: number;
}

/** When a project was opened that was never completely adopted. */
const UNOPENED = 0;

const PATHS = [
  ['projects', 'path'],
  ['batches', 'list_folder'],
  ['agreed_paths', 'path'],
  ['media_paths', 'path'],
] as const;

/** The project folders that this data folder knows. The folder itself is the truth about its content. */
export class ProjectStore {
  readonly #db: EngineDatabase;
  readonly #get: Database.Statement;
  readonly #isArchived: Database.Statement;

  constructor(db: EngineDatabase) {
    this.#db = db;
    this.#get = db.facts.prepare('SELECT id, path, name FROM projects WHERE id = ?');
    this.#isArchived = db.facts.prepare('SELECT 1 FROM projects WHERE id = ? AND archived_at IS NOT NULL');
  }

  list(): Project[] {
    const all = `SELECT id, path, name FROM projects WHERE opened_at > ${UNOPENED} AND archived_at IS NULL
      ORDER BY opened_at DESC`;
    return this.#db.facts.prepare(all).all() as Project[];
  }

  get(id: string): Project | null {
    return (this.#get.get(id) as Project | undefined) ?? null;
  }

  batchOrder(id: string): BatchOrder {
    const order = this.#db.facts.prepare('SELECT batch_order FROM projects WHERE id = ?').pluck().get(id);
    return (order as BatchOrder | undefined) ?? 'date';
  }

  /** When the arrangement of a project was last written or read, ms; 0 for never. See `arrangement.ts`. */
  arrangedAt(id: string): number {
    const at = this.#db.facts.prepare('SELECT arranged_at FROM projects WHERE id = ?').pluck().get(id);
    return (at as number | undefined) ?? 0;
  }

  setArrangedAt(id: string, at: number): void {
    this.#db.facts.prepare('UPDATE projects SET arranged_at = ? WHERE id = ?').run(at, id);
  }

  atPath(path: string): Project | null {
    return (this.#db.facts.prepare('SELECT id, path, name FROM projects WHERE path = ?').get(path) as Project) ?? null;
  }

  /** The projects on the list, or those in the archive, newest first. */
  rows(which: 'listed' | 'archived' = 'listed'): ProjectRow[] {
    return this.#db.facts
      .prepare(
        `SELECT id, path, name, opened_at AS openedAt, service, batch_order AS batchOrder,
           (SELECT COUNT(*) FROM batches WHERE project_id = projects.id) AS batches,
           (SELECT COALESCE(SUM(outputs.bytes), 0) FROM batches JOIN jobs ON jobs.batch_id = batches.id
            JOIN outputs ON outputs.job_id = jobs.id
            WHERE batches.project_id = projects.id AND jobs.state = 'saved' AND outputs.file IS NOT NULL
              AND jobs.trash IS NOT 'emptied') AS bytes
         FROM projects WHERE hidden = 0 AND (archived_at IS NOT NULL) = @isArchived AND opened_at > ${UNOPENED} ORDER BY opened_at DESC`,
      )
      .all({ isArchived: which === 'archived' ? 1 : 0 }) as ProjectRow[];
  }

  hide(id: string): void {
    this.#db.facts.prepare('UPDATE projects SET hidden = 1 WHERE id = ?').run(id);
  }

  archived(): string[] {
    return this.#db.facts.prepare('SELECT id FROM projects WHERE archived_at IS NOT NULL').pluck().all() as string[];
  }

  isArchived(id: string): boolean {
    return this.#isArchived.get(id) !== undefined;
  }

  /** Archives a project at `now`, ms; null restores it. */
  archive(id: string, now: number | null): void {
    this.#db.facts.prepare('UPDATE projects SET archived_at = ? WHERE id = ?').run(now, id);
  }

  /** Renames that were begun and not ended. */
  renames(): ProjectRename[] {
    return this.#db.facts
      .prepare(
        `SELECT project_id AS projectId, from_path AS fromPath, to_path AS toPath, from_name AS fromName,
           to_name AS toName, actor AS "by", at FROM project_renames`,
      )
      .all() as ProjectRename[];
  }

  /** Call before anything of it is done. */
  beginRename(rename: ProjectRename): void {
    this.#db.facts
      .prepare(
        `INSERT OR REPLACE INTO project_renames (project_id, from_path, to_path, from_name, to_name, actor, at)
         VALUES (@projectId, @fromPath, @toPath, @fromName, @toName, @by, @at)`,
      )
      .run(rename);
  }

  /** The rename is given up: none of it was done. */
  dropRename(projectId: string): void {
    this.#db.facts.prepare('DELETE FROM project_renames WHERE project_id = ?').run(projectId);
  }

  /**
   * Ends a rename whose folder is in its new place: changes every stored path that leads into it. `also` runs in the
   * same commit. `written`: pairs of the two places, in each way that they are written.
   */
  endRename(
    { projectId, fromPath, toPath, toName }: ProjectRename,
    written: readonly (readonly [from: string, to: string])[],
    also: () => void,
  ): void {
    const { facts } = this.#db;
    facts
      .transaction(() => {
        if (fromPath !== toPath) {
          this.#freePath(toPath, projectId);
          for (const [from, to] of written) for (const [table, column] of PATHS) this.#move(table, column, from, to);
          facts
            .prepare('INSERT OR REPLACE INTO project_paths (path, project_id) VALUES (?, ?)')
            .run(fromPath, projectId);
        }
        facts.prepare('UPDATE projects SET path = ?, name = ? WHERE id = ?').run(toPath, toName, projectId);
        this.dropRename(projectId);
        also();
      })
      .immediate();
  }

  /**
   * The present path of a folder: if it was inside a project's folder that was renamed, it is now inside the present
   * one.
   */
  currentPlace({ id, path }: Project, folder: string): string {
    const former = this.#db.facts.prepare('SELECT path FROM project_paths WHERE project_id = ?').pluck().all(id);
    const before = (former as string[]).find((each) => folder === each || folder.startsWith(each + sep));
    return before === undefined ? folder : path + folder.slice(before.length);
  }

  #move(table: string, column: string, from: string, to: string): void {
    this.#db.facts
      .prepare(
        `UPDATE OR REPLACE ${table} SET ${column} = @to || substr(${column}, length(@from) + 1)
         WHERE ${column} = @from OR substr(${column}, 1, length(@from) + 1) = @from || @sep`,
      )
      .run({ from, to, sep });
  }

  /** Another project may have been at this path before; its rows stay, and return when it is opened again. */
  #freePath(path: string, id: string): void {
    this.#db.facts.prepare(`UPDATE projects SET path = path || '#' || id WHERE path = ? AND id <> ?`).run(path, id);
  }

  service(id: string): string | null {
    const name = this.#db.facts.prepare('SELECT service FROM projects WHERE id = ?').pluck().get(id);
    return typeof name === 'string' ? name : null;
  }

  setService(id: string, service: string): void {
    this.#db.facts.prepare('UPDATE projects SET service = ? WHERE id = ?').run(service, id);
  }

  /**
   * Remembers a project whose folder is being adopted, or the new place of a known one. A new one is not listed yet.
   */
  begin(project: Project, now: number): void {
    this.#db.facts
      .transaction(() => {
        this.#freePath(project.path, project.id);
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

  /** Does both. */
  save(project: Project, now: number): void {
    this.begin(project, now);
    this.opened(project.id, now);
  }
}
