import type { Migration } from '../migrate.ts';

/** New takes of all shots of a batch are one round: asked for once more, an unfinished one is completed. */
export const rounds: Migration = {
  version: 50,
  name: 'rounds',
  up(db) {
    db.exec(`
      ALTER TABLE jobs ADD COLUMN round INTEGER NOT NULL DEFAULT 0 CHECK (round >= 0);
      CREATE INDEX jobs_by_round ON jobs(batch_id, round) WHERE round > 0;
    `);
  },
};
