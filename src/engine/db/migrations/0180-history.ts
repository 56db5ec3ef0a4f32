import type { Migration } from '../migrate.ts';

/**
 * Changes of projects, batches and many takes at once, and who made them. Rows outlive their subject, so they refer to
 * nothing: their facts hold the names of that time.
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
