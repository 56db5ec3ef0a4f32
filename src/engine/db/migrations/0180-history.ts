import type { Migration } from '../migrate.ts';

/**
 * What was done to projects, batches and takes as a whole, and by which hand. Rows outlive what they are about, so they
 * refer to nothing: the facts hold the names of the time.
 */
export const history: Migration = {
  version: 180,
  name: 'history',
  up(db) {
    db.exec(`
      CREATE TABLE history (
        id INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        project_id TEXT,
        batch_id TEXT,
        take_id TEXT,
        actor TEXT NOT NULL CHECK (actor IN ('window', 'command', 'engine')),
        code TEXT NOT NULL,
        facts TEXT NOT NULL CHECK (json_valid(facts))
      ) STRICT;
      CREATE INDEX history_of_project ON history(project_id, id);
    `);
  },
};
