import type { Migration } from '../migrate.ts';

/** Where a window was last: one row, JSON. */
export const lastPlace: Migration = {
  version: 3810,
  name: 'last place',
  up(db) {
    db.exec(`
      CREATE TABLE last_place (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        place TEXT NOT NULL
      ) STRICT;
    `);
  },
};
