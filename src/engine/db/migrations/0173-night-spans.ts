import type { Migration } from '../migrate.ts';

/** Facts for the report of a night that takes and ledger lack: waits, sleep, and whether a person has seen it. */
export const nightSpans: Migration = {
  version: 173,
  name: 'night spans',
  up(db) {
    db.exec(`
      CREATE TABLE night_spans (
        id INTEGER PRIMARY KEY,
        cause TEXT NOT NULL,
        -- Null where it holds every project back.
        project_id TEXT,
        started_at INTEGER NOT NULL,
        -- While it is open: when it was last known to be so.
        ended_at INTEGER NOT NULL,
        is_open INTEGER NOT NULL CHECK (is_open IN (0, 1)),
        waiting INTEGER NOT NULL,
        message TEXT,
        clock_by INTEGER
      ) STRICT;
      CREATE INDEX night_spans_by_end ON night_spans(ended_at);

      -- The last sign of life of an engine with work: one row.
      CREATE TABLE night_beat (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        at INTEGER NOT NULL,
        waiting INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE night_reports (
        project_id TEXT NOT NULL,
        night INTEGER NOT NULL,
        ended_at INTEGER NOT NULL,
        seen_at INTEGER,
        PRIMARY KEY (project_id, night)
      ) STRICT, WITHOUT ROWID;
    `);
  },
};
