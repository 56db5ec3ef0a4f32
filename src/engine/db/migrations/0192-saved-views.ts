import type { Migration } from '../migrate.ts';

/** Searches of takes that a person keeps under a name. */
export const savedViews: Migration = {
  version: 192,
  name: 'saved views',
  up(db) {
    db.exec(`
      CREATE TABLE saved_views (
        id TEXT PRIMARY KEY,
        project_id TEXT NOT NULL REFERENCES projects(id),
        name TEXT NOT NULL,
        -- JSON: what it narrows, sorts and groups.
        filter TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX saved_views_of ON saved_views(project_id, name);
    `);
  },
};
