import type { Migration } from '../migrate.ts';

const hasEnded = `NEW.state IN ('saved', 'rejected', 'remote_failed', 'remote_cancelled', 'result_lost', 'cancelled')`;

const wakeWaiting = `UPDATE jobs SET due_at = 0
  WHERE batch_id = NEW.batch_id AND state = 'needs_assets' AND facts ->> '$.waitsFor' = NEW.shot_key;`;

/** Takes that came from other takes, and shots that wait for one. */
export const takeSources: Migration = {
  version: 131,
  name: 'take sources',
  up(db) {
    db.exec(`
      CREATE TABLE take_sources (
        job_id TEXT NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
        -- The cell that the source takes the place of; both empty where the take as a whole came from it.
        parameter TEXT NOT NULL,
        cell TEXT NOT NULL,
        how TEXT NOT NULL,
        -- A take that need not be known here: what came from it may have been adopted without it.
        source_id TEXT NOT NULL,
        output INTEGER,
        sha256 TEXT,
        -- Of a text: what was put into the cell.
        text TEXT,
        PRIMARY KEY (job_id, parameter, cell)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX take_sources_by_source ON take_sources(source_id);

      -- What waits for a shot is looked at again when a take of that shot comes to an end, whoever brings it there.
      CREATE INDEX jobs_waiting_for ON jobs(batch_id, facts ->> '$.waitsFor') WHERE state = 'needs_assets';
      CREATE TRIGGER take_ended AFTER UPDATE OF state ON jobs WHEN ${hasEnded} BEGIN ${wakeWaiting} END;
      CREATE TRIGGER ended_take_adopted AFTER INSERT ON jobs WHEN ${hasEnded} BEGIN ${wakeWaiting} END;
    `);
  },
};
