import type { Migration } from '../migrate.ts';

/** The outcome of a request for a take. A task that a person named was charged, however its request ended. */
const stateOfAttempt = (row: string): string => `CASE
  WHEN ${row}.outcome IS NULL THEN 'reserved'
  WHEN ${row}.outcome IN ('not_accepted', 'refused') THEN 'released'
  WHEN ${row}.outcome = 'unclear' AND ${row}.task_id IS NOT NULL THEN 'settled'
  WHEN ${row}.failure IS NULL AND (${row}.task_id IS NOT NULL OR ${row}.outcome = 'answered') THEN 'settled'
  ELSE 'unclear' END`;

const stateOfCall = (row: string): string => `CASE ${row}.state
  WHEN 'sent' THEN 'reserved'
  WHEN 'not_charged' THEN 'released'
  WHEN 'unclear' THEN 'unclear'
  WHEN 'dismissed' THEN 'unclear'
  ELSE 'settled' END`;

/**
 * One line for each billable request. The journals of takes and tools write it in their own transactions, so one table
 * knows every charge. `micros` is the price by the table of prices, in millionths; null without a price.
 */
export const ledger: Migration = {
  version: 168,
  name: 'ledger',
  up(db) {
    db.exec(`
      CREATE TABLE ledger (
        id TEXT PRIMARY KEY,
        at INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('reserved', 'settled', 'released', 'unclear')),
        job_id TEXT REFERENCES jobs(id),
        tool TEXT,
        project_id TEXT,
        batch_id TEXT,
        model TEXT NOT NULL,
        micros INTEGER,
        -- JSON: what its price depends on, and what the answer said of its cost.
        facts TEXT,
        told TEXT
      ) STRICT;

      INSERT INTO ledger (id, at, state, job_id, project_id, batch_id, model)
        SELECT attempts.id, attempts.intended_at, ${stateOfAttempt('attempts')}, jobs.id, jobs.project_id, jobs.batch_id,
          jobs.model
        FROM attempts JOIN jobs ON jobs.id = attempts.job_id WHERE TRUE
        ON CONFLICT DO NOTHING;
      INSERT INTO ledger (id, at, state, tool, project_id, model)
        SELECT id, sent_at, ${stateOfCall('tool_calls')}, tool, project_id, IFNULL(request ->> '$.body.model', '')
        FROM tool_calls;

      CREATE INDEX ledger_by_batch ON ledger(batch_id, tool, micros) WHERE state <> 'released';
      CREATE INDEX ledger_by_project ON ledger(project_id, tool, micros) WHERE state <> 'released';
      CREATE INDEX ledger_by_time ON ledger(at, tool, micros) WHERE state <> 'released';
      CREATE INDEX ledger_by_job ON ledger(job_id);

      CREATE TRIGGER attempt_in_ledger AFTER INSERT ON attempts BEGIN
        INSERT INTO ledger (id, at, state, job_id, project_id, batch_id, model)
          SELECT NEW.id, NEW.intended_at, ${stateOfAttempt('NEW')}, id, project_id, batch_id, model
          FROM jobs WHERE id = NEW.job_id
          ON CONFLICT DO NOTHING;
      END;
      CREATE TRIGGER attempt_settled AFTER UPDATE OF outcome, failure, task_id ON attempts BEGIN
        UPDATE ledger SET state = ${stateOfAttempt('NEW')} WHERE id = NEW.id;
      END;
      CREATE TRIGGER call_in_ledger AFTER INSERT ON tool_calls BEGIN
        INSERT INTO ledger (id, at, state, tool, project_id, model)
          VALUES (NEW.id, NEW.sent_at, ${stateOfCall('NEW')}, NEW.tool, NEW.project_id,
            IFNULL(NEW.request ->> '$.body.model', ''));
      END;
      CREATE TRIGGER call_settled AFTER UPDATE OF state ON tool_calls BEGIN
        UPDATE ledger SET state = ${stateOfCall('NEW')} WHERE id = NEW.id;
      END;

      -- The most that a batch, a project or a night may cost. A night has one cap, with an empty id.
      CREATE TABLE caps (
        scope TEXT NOT NULL CHECK (scope IN ('night', 'project', 'batch')),
        scope_id TEXT NOT NULL,
        micros INTEGER CHECK (micros >= 0),
        takes INTEGER CHECK (takes >= 0),
        PRIMARY KEY (scope, scope_id)
      ) STRICT, WITHOUT ROWID;
    `);
  },
};
