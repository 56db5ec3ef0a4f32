import type { Migration } from '../migrate.ts';

/** When this data folder last wrote or read the arrangement in the project's folder, ms; 0 for never. */
export const arrangements: Migration = {
  version: 220,
  name: 'arrangements',
  up(db) {
    db.exec('ALTER TABLE projects ADD COLUMN arranged_at INTEGER NOT NULL DEFAULT 0');
  },
};
