import type { Migration } from '../migrate.ts';

/** Indexes for projects of 50,000 takes, and columns to adopt one in slices. */
export const growth: Migration = {
  version: 110,
  name: 'growth',
  up(db) {
    db.exec(`
      CREATE INDEX shots_by_key ON shots(batch_id, key);
      -- For a run of one project, beside the waiting jobs of all others.
      CREATE INDEX jobs_to_submit_in ON jobs(project_id, priority DESC, seq, batch_id)
        WHERE state = 'ready' AND paused IS NULL;
      -- 1 while the batch is taken over from its project folder: it may lack shots and takes.
      ALTER TABLE batches ADD COLUMN adopting INTEGER NOT NULL DEFAULT 0 CHECK (adopting IN (0, 1));
      CREATE INDEX batches_adopting ON batches(project_id) WHERE adopting = 1;
    `);
  },
};
