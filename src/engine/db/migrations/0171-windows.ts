import type { Migration } from '../migrate.ts';

/** When takes of a project or of a batch may be sent. `early` is the opening that a person did not wait for, ms. */
export const windows: Migration = {
  version: 171,
  name: 'windows',
  up(db) {
    db.exec(`
      CREATE TABLE windows (
        scope TEXT NOT NULL CHECK (scope IN ('project', 'batch')),
        scope_id TEXT NOT NULL,
        days TEXT NOT NULL CHECK (json_valid(days)),
        opens TEXT NOT NULL,
        closes TEXT NOT NULL,
        time_zone TEXT NOT NULL,
        early INTEGER,
        PRIMARY KEY (scope, scope_id)
      ) STRICT, WITHOUT ROWID;
    `);
  },
};
