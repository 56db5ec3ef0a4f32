import type { Migration } from '../migrate.ts';

/**
 * One state for each meaning. The steps before the intent are no state: nothing has happened until then. A finished
 * task is fetched, checked and published in one state; the outputs say how far that has come.
 */
export const jobStates: Migration = {
  version: 80,
  name: 'job states',
  up(db) {
    // A CHECK and a generated column can only be changed with their table.
    db.exec(`
      CREATE TABLE jobs_by_new_states (
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
        round INTEGER NOT NULL DEFAULT 0 CHECK (round >= 0),
        state TEXT NOT NULL CHECK (state IN (
          'needs_assets', 'ready', 'submitting', 'accepted', 'polling', 'downloading', 'saved',
          'submit_unknown', 'rejected', 'remote_failed', 'remote_cancelled', 'download_blocked', 'result_lost', 'cancelled')),
        paused TEXT CHECK (paused IN ('user', 'key_refused', 'other_key', 'deadline', 'internal_error')),
        step TEXT GENERATED ALWAYS AS (CASE state
          WHEN 'needs_assets' THEN 'prepare'
          WHEN 'ready' THEN 'submit'
          WHEN 'accepted' THEN 'poll'
          WHEN 'polling' THEN 'poll'
          WHEN 'downloading' THEN 'download'
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
        CHECK (attempt_id IS NOT NULL OR state NOT IN ('submitting', 'accepted', 'polling', 'downloading',
          'submit_unknown', 'remote_failed', 'remote_cancelled', 'download_blocked', 'result_lost'))
      ) STRICT;

      UPDATE jobs SET due_at = 0, facts = '{"state":"ready","notBefore":null,"lastFailure":null}'
        WHERE state = 'preparing' AND facts ->> '$.nextCheckAt' IS NULL;
      UPDATE jobs SET facts = json_set(facts, '$.state', 'needs_assets', '$.since', COALESCE(facts ->> '$.since', created_at))
        WHERE state = 'preparing' AND facts ->> '$.nextCheckAt' IS NOT NULL;
      UPDATE jobs SET facts = json_set(facts, '$.state', 'downloading', '$.tries', COALESCE(facts ->> '$.tries', 0),
          '$.retryAt', NULL, '$.lastFailure', NULL)
        WHERE state = 'verifying' OR (state = 'result_ready' AND task_id IS NULL);
      -- Its addresses were not placed among its outputs yet. The task tells them once more, at no charge.
      UPDATE jobs SET facts = json_set(json_remove(facts, '$.results'), '$.state', 'polling', '$.nextPollAt', 0,
          '$.deadlineAt', updated_at + 86400000, '$.polls', 0, '$.pollErrors', 0, '$.remoteStatus', 'succeeded',
          '$.lastFailure', NULL)
        WHERE state = 'result_ready' AND task_id IS NOT NULL;

      INSERT INTO jobs_by_new_states (seq, id, project_id, batch_id, shot_id, shot_key, take, kind, model, priority, round,
          state, paused, due_at, attempt_id, task_id, facts, revision, created_at, updated_at)
        SELECT seq, id, project_id, batch_id, shot_id, shot_key, take, kind, model, priority, round,
          iif(state IN ('preparing', 'result_ready', 'verifying'), facts ->> '$.state', state), paused, due_at,
          attempt_id, task_id, facts, revision, created_at, updated_at
        FROM jobs;

      DROP TABLE jobs;
      ALTER TABLE jobs_by_new_states RENAME TO jobs;

      -- Each of these is written again with every step of a job that it takes part in: one more page to sync.
      CREATE INDEX jobs_to_prepare ON jobs(priority DESC, due_at, seq) WHERE state = 'needs_assets' AND paused IS NULL;
      CREATE INDEX jobs_to_submit ON jobs(priority DESC, seq) WHERE state = 'ready' AND paused IS NULL;
      CREATE INDEX jobs_due ON jobs(step, due_at) WHERE paused IS NULL AND step IS NOT NULL;
      CREATE INDEX jobs_by_task ON jobs(task_id) WHERE task_id IS NOT NULL;
      CREATE INDEX jobs_by_shot ON jobs(shot_id);
      CREATE INDEX jobs_saved ON jobs(updated_at) WHERE state = 'saved';
      CREATE INDEX jobs_by_round ON jobs(batch_id, round) WHERE round > 0;
    `);
  },
};
