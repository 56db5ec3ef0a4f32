import type { Migration } from '../migrate.ts';

/** What people decided about takes, where the take's recipe does not say so yet. */
export const decisions: Migration = {
  version: 3300,
  name: 'decisions',
  up(db) {
    db.exec(`
      CREATE TABLE unwritten_decisions (
        job_id TEXT PRIMARY KEY REFERENCES jobs (id),
        -- Of the job, with the decision.
        revision INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    `);
  },
};
