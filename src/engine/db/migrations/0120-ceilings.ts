import type { Migration } from '../migrate.ts';

/** How many tasks of a model an account may have at the service at once, as its 429s have shown. Losing it costs two. */
export const ceilings: Migration = {
  version: 120,
  name: 'ceilings',
  up(db) {
    db.exec(`
      CREATE TABLE ceilings (
        origin TEXT NOT NULL,
        key_fingerprint TEXT NOT NULL,
        model TEXT NOT NULL,
        -- Tasks in flight at the refusal: of the model, and of the whole account.
        own INTEGER NOT NULL,
        total INTEGER NOT NULL,
        tried_at INTEGER NOT NULL,
        wait_ms INTEGER NOT NULL,
        PRIMARY KEY (origin, key_fingerprint, model)
      ) STRICT, WITHOUT ROWID;
    `);
  },
};
