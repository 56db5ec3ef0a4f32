import type { Migration } from '../migrate.ts';

/** Finds the few takes that failed or are held without reading all the others. */
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
