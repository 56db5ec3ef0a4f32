import type { Migration } from '../migrate.ts';

/** Keeps unchecked files too, and tells the files of one take apart by their origin. */
export const outputs: Migration = {
  version: 60,
  name: 'outputs',
  up(db) {
    db.exec(`
      -- What had a format before was checked: nothing else was kept.
      ALTER TABLE outputs ADD COLUMN verified INTEGER NOT NULL DEFAULT 1 CHECK (verified IN (0, 1));
      -- Content-Type of the answer it came in.
      ALTER TABLE outputs ADD COLUMN content_type TEXT;
      -- Where this output is, or was, to be had; a list that is asked for again is matched by it.
      ALTER TABLE outputs ADD COLUMN url TEXT;
      -- 1 when it was fetched from an earlier list of addresses than the present one.
      ALTER TABLE outputs ADD COLUMN is_earlier INTEGER NOT NULL DEFAULT 0 CHECK (is_earlier IN (0, 1));
    `);
  },
};
