import type { Migration } from '../migrate.ts';

/** Each project lists its batches in an order of its own. `place`: where a person put a batch. */
export const batchOrder: Migration = {
  version: 205,
  name: 'batch order',
  up(db) {
    db.exec(`
      ALTER TABLE projects ADD COLUMN batch_order TEXT NOT NULL DEFAULT 'date'
        CHECK (batch_order IN ('date', 'name', 'hand'));
      ALTER TABLE batches ADD COLUMN place INTEGER;
    `);
  },
};
