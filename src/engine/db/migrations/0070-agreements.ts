import type { Migration } from '../migrate.ts';

/** Files that a project may send from this machine. Never stored in the project folder: that may come from anybody. */
export const agreements: Migration = {
  version: 70,
  name: 'agreements',
  up(db) {
    db.exec(`
      CREATE TABLE agreed_paths (
        project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
        -- A real path: a file, or a folder with what is below it.
        path TEXT NOT NULL,
        PRIMARY KEY (project_id, path)
      ) STRICT, WITHOUT ROWID;
      -- What waits was started by a person, who knew where its list lies.
      INSERT INTO agreed_paths
        SELECT DISTINCT batches.project_id, list_folder FROM batches JOIN jobs ON jobs.batch_id = batches.id
        WHERE list_folder <> '' AND jobs.state IN ('ready', 'preparing');
    `);
  },
};
