import type { Migration } from '../migrate.ts';

/**
 * When a take was first saved: a file that goes and comes back does not change it. 0 where unknown, as for takes that
 * another data folder made; null for a take that was never saved.
 */
export const savedAt: Migration = {
  version: 210,
  name: 'saved at',
  up(db) {
    db.exec(`
      ALTER TABLE jobs ADD COLUMN saved_at INTEGER;
      UPDATE jobs SET saved_at = iif(state = 'saved' AND EXISTS (SELECT 1 FROM attempts
          WHERE attempts.job_id = jobs.id AND attempts.id = jobs.attempt_id AND attempts.outcome IS NOT 'adopted'),
        IFNULL(facts ->> '$.savedAt', 0), 0)
      WHERE state IN ('saved', 'result_lost')
        OR EXISTS (SELECT 1 FROM attempts WHERE attempts.job_id = jobs.id AND attempts.outcome = 'adopted');
    `);
  },
};
