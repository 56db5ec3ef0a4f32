import type { BatchOrder } from '../../contract/batch.ts';
import { sep } from 'node:path';
import type { Actor } from '../../contract/history.ts';
import { sql, Store } from './connection.ts';

export interface Project {
  readonly id: string;
  readonly path: string;
  readonly name: string;
}

export interface ProjectRow extends Project {
  readonly openedAt: number;
  /** The service that its shots are sent to, when it is not the one of the settings. */
  readonly service: string | null;
  readonly batches: number;
  readonly batchOrder: BatchOrder;
  readonly bytes: number;
}

export interface ProjectRename {
  readonly projectId: string;
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
  [sql`projects`, sql`path`],
  [sql`batches`, sql`list_folder`],
  [sql`agreed_paths`, sql`path`],
  [sql`media_paths`, sql`path`],
] as const;

/** The project folders that this data folder knows. The folder itself is the truth about its content. */
export class ProjectStore extends Store {
  list(): Project[] {
    return this.facts.all<Project>`SELECT id, path, name FROM projects
      WHERE opened_at > ${UNOPENED} AND archived_at IS NULL ORDER BY opened_at DESC`;
  }

  get(id: string): Project | null {
    return this.facts.one<Project>`SELECT id, path, name FROM projects WHERE id = ${id}`;
  }

  arrangedAt(id: string): number {
    return this.facts.count`SELECT arranged_at FROM projects WHERE id = ${id}`;
  }

  setArrangedAt(id: string, at: number): void {
    this.facts.run`UPDATE projects SET arranged_at = ${at} WHERE id = ${id}`;
  }

  atPath(path: string): Project | null {
    return this.facts.one<Project>`SELECT id, path, name FROM projects WHERE path = ${path}`;
  }

  rows(which: 'listed' | 'archived' = 'listed'): ProjectRow[] {
    return this.facts.all<ProjectRow>`SELECT id, path, name, opened_at, service, batch_order,
           (SELECT COUNT(*) FROM batches WHERE project_id = projects.id) AS batches,
           (SELECT COALESCE(SUM(outputs.bytes), 0) FROM batches JOIN jobs ON jobs.batch_id = batches.id
            JOIN outputs ON outputs.job_id = jobs.id
            WHERE batches.project_id = projects.id AND jobs.state = 'saved' AND outputs.file IS NOT NULL
              AND jobs.trash IS NOT 'emptied') AS bytes
         FROM projects WHERE hidden = 0 AND (archived_at IS NOT NULL) = ${which === 'archived'}
           AND opened_at > ${UNOPENED} ORDER BY opened_at DESC`;
  }

  hide(id: string): void {
    this.facts.run`UPDATE projects SET hidden = 1 WHERE id = ${id}`;
  }

  archived(): string[] {
    return this.facts.values<string>`SELECT id FROM projects WHERE archived_at IS NOT NULL`;
  }

  isArchived(id: string): boolean {
    return this.facts.has`SELECT 1 FROM projects WHERE id = ${id} AND archived_at IS NOT NULL`;
  }

  archive(id: string, now: number | null): void {
    this.facts.run`UPDATE projects SET archived_at = ${now} WHERE id = ${id}`;
  }

  renames(): ProjectRename[] {
    return this.facts.all<ProjectRename>`SELECT project_id, from_path, to_path, from_name, to_name, actor AS "by", at
      FROM project_renames`;
  }

  beginRename(rename: ProjectRename): void {
    const { projectId, fromPath, toPath, fromName, toName, by, at } = rename;
    this.facts
      .run`INSERT OR REPLACE INTO project_renames (project_id, from_path, to_path, from_name, to_name, actor, at)
      VALUES (${projectId}, ${fromPath}, ${toPath}, ${fromName}, ${toName}, ${by}, ${at})`;
  }

  dropRename(projectId: string): void {
    this.facts.run`DELETE FROM project_renames WHERE project_id = ${projectId}`;
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
    this.facts.inOneCommit(() => {
      if (fromPath !== toPath) {
        this.#freePath(toPath, projectId);
        for (const [from, to] of written)
          for (const [table, column] of PATHS)
            this.facts.run`UPDATE OR REPLACE ${table} SET ${column} = ${to} || substr(${column}, length(${from}) + 1)
              WHERE ${column} = ${from} OR substr(${column}, 1, length(${from}) + 1) = ${from + sep}`;
        this.facts.run`INSERT OR REPLACE INTO project_paths (path, project_id) VALUES (${fromPath}, ${projectId})`;
      }
      this.facts.run`UPDATE projects SET path = ${toPath}, name = ${toName} WHERE id = ${projectId}`;
      this.dropRename(projectId);
      also();
    });
  }

  /** The present path of a folder: inside a project's folder that was renamed, it is now inside the new one. */
  currentPlace({ id, path }: Project, folder: string): string {
    const former = this.facts.values<string>`SELECT path FROM project_paths WHERE project_id = ${id}`;
    const before = former.find((each) => folder === each || folder.startsWith(each + sep));
    return before === undefined ? folder : path + folder.slice(before.length);
  }

  /** Another project may have been at this path before; its rows stay, and return when it is opened again. */
  #freePath(path: string, id: string): void {
    this.facts.run`UPDATE projects SET path = path || '#' || id WHERE path = ${path} AND id <> ${id}`;
  }

  service(id: string): string | null {
    return this.facts.value<string>`SELECT service FROM projects WHERE id = ${id}`;
  }

  onService(service: string | null): Project[] {
    return this.facts.all<Project>`SELECT id, path, name FROM projects WHERE service IS ${service} ORDER BY name`;
  }

  services(): string[] {
    return this.facts.values<string>`SELECT DISTINCT service FROM projects WHERE service IS NOT NULL`;
  }

  setService(id: string, service: string | null): void {
    this.facts.run`UPDATE projects SET service = ${service} WHERE id = ${id}`;
  }

  /** A built-in service. What its folder brought of requests was made there too. */
  moveToService(id: string, service: string): void {
    this.facts.inOneCommit(() => {
      this.setService(id, service);
      this.facts.run`UPDATE ledger SET account = ${service} WHERE project_id = ${id}`;
    });
  }

  /** Remembers a project that is being adopted, or its new place. A new one is not listed yet; `service` is for that. */
  begin({ id, path, name }: Project, now: number, service: string | null = null): void {
    this.facts.inOneCommit(() => {
      this.#freePath(path, id);
      this.facts.run`INSERT INTO projects (id, path, name, created_at, opened_at, service)
        VALUES (${id}, ${path}, ${name}, ${now}, ${UNOPENED}, ${service})
        ON CONFLICT (id) DO UPDATE SET path = excluded.path, name = excluded.name`;
    });
  }

  opened(id: string, now: number): void {
    this.facts.run`UPDATE projects SET opened_at = ${now}, hidden = 0 WHERE id = ${id}`;
  }

  save(project: Project, now: number): void {
    this.begin(project, now);
    this.opened(project.id, now);
  }
}
