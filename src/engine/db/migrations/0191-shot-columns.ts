import type { Migration } from '../migrate.ts';

/**
 * Values of the person's own columns, where they are found without reading every shot: to search by them and to put takes
 * together by them. A shot never changes, so these never do. The index that lists takes has what else they are put together
 * by; like the rest of it, that is not written when a job changes its state.
 */
export const shotColumns: Migration = {
  version: 191,
  name: 'shot columns',
  up(db) {
    db.exec(`
      CREATE TABLE shot_columns (
        batch_id TEXT NOT NULL,
        -- As it is written in the list; columns are the same in either case.
        name TEXT NOT NULL COLLATE NOCASE,
        shot_id TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (batch_id, name, shot_id)
      ) STRICT, WITHOUT ROWID;
      INSERT OR IGNORE INTO shot_columns (batch_id, name, shot_id, value)
        SELECT shots.batch_id, own.key, shots.id, CAST(own.value AS TEXT)
        FROM shots, json_each(shots.spec, '$.columns') AS own WHERE own.value <> '';

      DROP INDEX jobs_in_order;
      CREATE INDEX jobs_in_order
        ON jobs(batch_id, position, shot_key, take, viewable, kind, model, rating, flag, tags, shot_id);
    `);
  },
};
