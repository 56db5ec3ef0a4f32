import type { Migration } from '../migrate.ts';

/** What is rare among many takes is found without reading the others: takes that came to nothing, and held ones. */
export const withoutResult: Migration = {
  version: 121,
  name: 'came to nothing',
  up(db) {
    db.exec(`
      CREATE INDEX jobs_came_to_nothing ON jobs(batch_id) WHERE state IN
        ('rejected', 'remote_failed', 'remote_cancelled', 'download_blocked', 'result_lost', 'cancelled');
      CREATE INDEX jobs_paused ON jobs(paused) WHERE paused IS NOT NULL;
    `);
  },
};
