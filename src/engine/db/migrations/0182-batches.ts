import type { Migration } from '../migrate.ts';

/** Batches are put away, renamed and written about. `unwritten`: the batch's file in its project has an earlier name. */
export const batchChanges: Migration = {
  version: 182,
  name: 'batch changes',
  up(db) {
    db.exec(`
      ALTER TABLE batches ADD COLUMN archived_at INTEGER;
      ALTER TABLE batches ADD COLUMN notes TEXT NOT NULL DEFAULT '';
      ALTER TABLE batches ADD COLUMN unwritten INTEGER NOT NULL DEFAULT 0 CHECK (unwritten IN (0, 1));
    `);
  },
};
