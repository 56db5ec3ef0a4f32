import type { Migration } from '../migrate.ts';

/** Buttons and final prompts of finished takes, as JSON. */
export const takeExtras: Migration = {
  version: 166,
  name: 'take-extras',
  up(db) {
    db.exec(`
      CREATE TABLE take_extras (
        job_id TEXT PRIMARY KEY REFERENCES jobs(id) ON DELETE CASCADE,
        extras TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
    `);
  },
};
