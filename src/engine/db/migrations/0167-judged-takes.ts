import type { Migration } from '../migrate.ts';

/**
 * Rating and flag are in the rows of takes too, so that an index answers pages by rating, filters and counts. `ratings`
 * has one row for each rating: joined first, it gives takes in the order of their ratings without sorting.
 */
export const judgedTakes: Migration = {
  version: 167,
  name: 'judged takes',
  up(db) {
    db.exec(`
      ALTER TABLE jobs ADD COLUMN rating INTEGER NOT NULL DEFAULT 0 CHECK (rating BETWEEN 0 AND 5);
      ALTER TABLE jobs ADD COLUMN flag TEXT CHECK (flag IN ('pick', 'reject'));
      UPDATE jobs SET rating = verdicts.rating, flag = verdicts.flag FROM verdicts WHERE verdicts.job_id = jobs.id;
      CREATE TRIGGER verdict_given AFTER INSERT ON verdicts BEGIN
        UPDATE jobs SET rating = NEW.rating, flag = NEW.flag WHERE id = NEW.job_id;
      END;
      CREATE TRIGGER verdict_changed AFTER UPDATE OF rating, flag ON verdicts BEGIN
        UPDATE jobs SET rating = NEW.rating, flag = NEW.flag WHERE id = NEW.job_id;
      END;

      CREATE TABLE ratings (rating INTEGER PRIMARY KEY) STRICT;
      INSERT INTO ratings VALUES (0), (1), (2), (3), (4), (5);

      DROP INDEX jobs_in_order;
      CREATE INDEX jobs_in_order ON jobs(batch_id, position, shot_key, take, viewable, kind, model, rating, flag);
      CREATE INDEX jobs_by_rating ON jobs(batch_id, rating, position, shot_key, take, kind, model, flag)
        WHERE viewable = 1;
    `);
  },
};
