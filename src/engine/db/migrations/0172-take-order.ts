import type { Migration } from '../migrate.ts';

/**
 * In which order a batch is sent: row by row, or the first take of every shot before any second one. The waiting jobs
 * have it as a number of their own, so that an index answers whose turn it is. Batches that exist stay as they were.
 */
export const takeOrder: Migration = {
  version: 172,
  name: 'take order',
  up(db) {
    db.exec(`
      ALTER TABLE batches ADD COLUMN take_order TEXT NOT NULL DEFAULT 'list' CHECK (take_order IN ('list', 'scout'));
      -- Among equal priorities, lower goes first: 1 in the order of the list, else the number of the take.
      ALTER TABLE jobs ADD COLUMN turn INTEGER NOT NULL DEFAULT 1;

      DROP INDEX jobs_to_prepare;
      DROP INDEX jobs_to_submit;
      DROP INDEX jobs_to_submit_in;
      CREATE INDEX jobs_to_prepare ON jobs(priority DESC, turn, due_at, seq)
        WHERE state = 'needs_assets' AND paused IS NULL;
      CREATE INDEX jobs_to_submit ON jobs(priority DESC, turn, seq) WHERE state = 'ready' AND paused IS NULL;
      CREATE INDEX jobs_to_submit_in ON jobs(project_id, priority DESC, turn, seq, batch_id)
        WHERE state = 'ready' AND paused IS NULL;
    `);
  },
};
