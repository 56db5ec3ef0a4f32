import type { Migration } from '../migrate.ts';

/** Requests to a built-in service cost nothing, also those that had a price before. */
export const freeService: Migration = {
  version: 3800,
  name: 'free-service',
  up(db) {
    db.exec('UPDATE ledger SET micros = 0 WHERE project_id IN (SELECT id FROM projects WHERE service IS NOT NULL)');
  },
};
