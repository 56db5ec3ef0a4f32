import type { Migration } from '../migrate.ts';

/** What texts mean, as a model says. Made by calls that are billed, so they are kept; losing one costs its price. */
export const vectors: Migration = {
  version: 142,
  name: 'vectors',
  up(db) {
    db.exec(`
      CREATE TABLE vectors (
        model TEXT NOT NULL,
        -- sha256 of the text.
        text_hash BLOB NOT NULL,
        -- 32-bit floats of this machine, of length 1 as a vector.
        vector BLOB NOT NULL,
        PRIMARY KEY (model, text_hash)
      ) STRICT, WITHOUT ROWID;
    `);
  },
};
