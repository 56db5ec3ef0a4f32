import type { Migration } from '../migrate.ts';

/** Keeps the outcome of every POST; until now only the newest attempt of a job was kept. */
export const attempts: Migration = {
  version: 40,
  name: 'attempts',
  up(db) {
    db.exec(`
      ALTER TABLE attempts ADD COLUMN task_id TEXT;
      ALTER TABLE attempts ADD COLUMN request_id TEXT;
      ALTER TABLE attempts ADD COLUMN trace_id TEXT;
      -- Why it was not accepted, or why its task failed; a Failure of src/contract/failure.ts.
      ALTER TABLE attempts ADD COLUMN failure TEXT;
    `);
  },
};
