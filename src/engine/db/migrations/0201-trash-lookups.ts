import type { Migration } from '../migrate.ts';

/**
 * Lookups for each take that goes to the trash: whether its files are being uploaded, were, or belong to another take
 * too.
 */
export const trashLookups: Migration = {
  version: 201,
  name: 'trash lookups',
  up(db) {
    db.exec(`
      CREATE INDEX uploads_being_read ON uploads(source) WHERE state = 'intended';
      CREATE INDEX uploads_arrived ON uploads(content) WHERE state = 'arrived';
      CREATE INDEX outputs_by_name ON outputs(lower(file)) WHERE file IS NOT NULL;
    `);
  },
};
