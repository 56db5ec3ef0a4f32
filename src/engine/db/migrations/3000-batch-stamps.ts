import type { Migration } from '../migrate.ts';

/** When a data folder last changed a batch, as its file says too, ms; 0 where that was before this was counted. */
export const batchStamps: Migration = {
  version: 3000,
  name: 'batch stamps',
  up(db) {
    db.exec('ALTER TABLE batches ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0');
  },
};
