import type { Migration } from '../migrate.ts';

/**
 * Data of the app: verdicts on takes, projects taken off the list, projects on a service of their own, a pause that
 * outlives the process.
 */
export const review: Migration = {
  version: 30,
  name: 'review',
  up(db) {
    db.exec(`
      -- 1 once a person took the project off the list; opening the folder puts it back.
      ALTER TABLE projects ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1));
      -- Service the project's shots are sent to, when it is not the one of the settings: 'demo'.
      ALTER TABLE projects ADD COLUMN service TEXT;

      -- What a person told the queue as a whole: "paused" while nothing new is to be sent.
      CREATE TABLE queue_wishes (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

      CREATE TABLE verdicts (
        job_id TEXT PRIMARY KEY REFERENCES jobs(id) ON DELETE CASCADE,
        rating INTEGER NOT NULL CHECK (rating BETWEEN 0 AND 5),
        flag TEXT CHECK (flag IN ('pick', 'reject')),
        note TEXT NOT NULL,
        -- 0 until the take's recipe file says so too.
        in_recipe INTEGER NOT NULL CHECK (in_recipe IN (0, 1))
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX verdicts_to_write ON verdicts(job_id) WHERE in_recipe = 0;

      -- Written once a take, when it is saved: what was saved in the last hour is asked for all the time.
      CREATE INDEX jobs_saved ON jobs(updated_at) WHERE state = 'saved';
    `);
  },
};
