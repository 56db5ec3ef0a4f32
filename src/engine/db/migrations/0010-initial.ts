import type { Migration } from '../migrate.ts';

/**
 * The first schema. Times are milliseconds since the epoch. JSON columns hold shapes of `src/contract`.
 * A job and the take it makes are one row with one id. `shots` keeps every version of a row: a job points to the
 * version it was made from, so a re-import never rewrites history.
 */
export const initial: Migration = {
  version: 10,
  name: 'initial',
  up(db) {
    db.exec(`
      CREATE TABLE projects (
        id TEXT PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        opened_at INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE batches (
        id TEXT PRIMARY KEY,
        project_id TEXT NOT NULL REFERENCES projects(id),
        name TEXT NOT NULL,
        folder TEXT NOT NULL,
        list_folder TEXT NOT NULL,
        source TEXT NOT NULL,
        name_template TEXT NOT NULL,
        -- 1 until every row of an import is in: a half-imported list is never sent.
        importing INTEGER NOT NULL DEFAULT 0 CHECK (importing IN (0, 1)),
        created_at INTEGER NOT NULL,
        UNIQUE (project_id, name),
        UNIQUE (project_id, folder)
      ) STRICT;

      CREATE TABLE shots (
        id TEXT PRIMARY KEY,
        batch_id TEXT NOT NULL REFERENCES batches(id),
        key TEXT NOT NULL,
        position INTEGER NOT NULL,
        content_hash TEXT NOT NULL,
        spec TEXT NOT NULL,
        current INTEGER NOT NULL CHECK (current IN (0, 1)),
        created_at INTEGER NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX shots_current ON shots(batch_id, key) WHERE current = 1;

      CREATE TABLE jobs (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        project_id TEXT NOT NULL REFERENCES projects(id),
        batch_id TEXT NOT NULL REFERENCES batches(id),
        shot_id TEXT NOT NULL REFERENCES shots(id),
        shot_key TEXT NOT NULL,
        take INTEGER NOT NULL CHECK (take >= 1),
        kind TEXT NOT NULL,
        model TEXT NOT NULL,
        priority INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN (
          'ready', 'preparing', 'submitting', 'accepted', 'polling', 'result_ready', 'downloading', 'verifying', 'saved',
          'submit_unknown', 'rejected', 'remote_failed', 'remote_cancelled', 'download_blocked', 'result_lost', 'cancelled')),
        paused TEXT CHECK (paused IN ('user', 'key_refused', 'other_key', 'deadline', 'internal_error')),
        step TEXT GENERATED ALWAYS AS (CASE
          WHEN state = 'ready' THEN 'submit'
          WHEN state = 'preparing' THEN 'prepare'
          WHEN state IN ('accepted', 'polling') THEN 'poll'
          WHEN state IN ('result_ready', 'downloading', 'verifying') THEN 'download'
        END) VIRTUAL,
        due_at INTEGER NOT NULL,
        attempt_id TEXT,
        task_id TEXT,
        facts TEXT NOT NULL,
        -- Grows with each write; guards every transition together with the state.
        revision INTEGER NOT NULL DEFAULT 0,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        UNIQUE (batch_id, shot_key, take),
        CHECK (task_id IS NOT NULL OR state NOT IN ('accepted', 'polling', 'remote_failed', 'remote_cancelled')),
        CHECK (attempt_id IS NOT NULL OR state NOT IN (
          'submitting', 'accepted', 'polling', 'result_ready', 'downloading', 'verifying',
          'submit_unknown', 'remote_failed', 'remote_cancelled', 'download_blocked', 'result_lost'))
      ) STRICT;
      -- Each of these is written again with every step of a job that it takes part in: one more page to sync.
      CREATE INDEX jobs_to_submit ON jobs(priority DESC, seq) WHERE state = 'ready' AND paused IS NULL;
      CREATE INDEX jobs_due ON jobs(step, due_at) WHERE paused IS NULL AND step IS NOT NULL;
      CREATE INDEX jobs_by_task ON jobs(task_id) WHERE task_id IS NOT NULL;
      CREATE INDEX jobs_by_shot ON jobs(shot_id);

      -- The journal of every billable POST. Rows are written before the first byte and never deleted.
      CREATE TABLE attempts (
        job_id TEXT NOT NULL REFERENCES jobs(id),
        number INTEGER NOT NULL,
        id TEXT NOT NULL,
        request TEXT NOT NULL,
        body_hash TEXT NOT NULL,
        origin TEXT NOT NULL,
        key_fingerprint TEXT NOT NULL,
        intended_at INTEGER NOT NULL,
        outcome TEXT,
        ended_at INTEGER,
        PRIMARY KEY (job_id, number)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE outputs (
        job_id TEXT NOT NULL REFERENCES jobs(id),
        number INTEGER NOT NULL,
        -- What is safely on disk of the part file, and what the server said of the whole.
        part_offset INTEGER NOT NULL DEFAULT 0,
        part_etag TEXT,
        part_modified TEXT,
        part_length INTEGER,
        -- Known once the whole file has been checked; file once it is published.
        bytes INTEGER,
        sha256 TEXT,
        format TEXT,
        file TEXT,
        PRIMARY KEY (job_id, number)
      ) STRICT, WITHOUT ROWID;

      -- What we learned about the service. Losing it costs a few polls.
      CREATE TABLE rates (
        origin TEXT NOT NULL,
        key_fingerprint TEXT NOT NULL,
        class TEXT NOT NULL,
        rate REAL NOT NULL,
        not_before INTEGER,
        PRIMARY KEY (origin, key_fingerprint, class)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE task_times (
        origin TEXT NOT NULL,
        model TEXT NOT NULL,
        samples TEXT NOT NULL,
        PRIMARY KEY (origin, model)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE account_facts (
        origin TEXT NOT NULL,
        key_fingerprint TEXT NOT NULL,
        name TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (origin, key_fingerprint, name)
      ) STRICT, WITHOUT ROWID;
    `);
  },
};
