import type { Migration } from '../migrate.ts';

/**
 * Projects are put away and renamed. A rename is written down before the folder is touched, and its row goes with the
 * commit that ends it: whatever a kill leaves, the next start finds the folder under one of the two names.
 */
export const projectChanges: Migration = {
  version: 181,
  name: 'project changes',
  up(db) {
    db.exec(`
      -- Put away at this time, ms: read only, and on no list but that of the archive.
      ALTER TABLE projects ADD COLUMN archived_at INTEGER;

      CREATE TABLE project_renames (
        project_id TEXT PRIMARY KEY REFERENCES projects(id),
        from_path TEXT NOT NULL,
        to_path TEXT NOT NULL,
        from_name TEXT NOT NULL,
        to_name TEXT NOT NULL,
        actor TEXT NOT NULL,
        at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- Where folders of projects were before they were renamed: lists that are being edited still say so.
      CREATE TABLE project_paths (
        path TEXT PRIMARY KEY,
        project_id TEXT NOT NULL REFERENCES projects(id)
      ) STRICT, WITHOUT ROWID;
    `);
  },
};
