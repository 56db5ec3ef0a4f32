import type { Migration } from '../migrate.ts';

/** The journal of billable calls that make no take. A row is written before the first byte of its request. */
export const toolCalls: Migration = {
  version: 141,
  name: 'tool-calls',
  up(db) {
    db.exec(`
      CREATE TABLE tool_calls (
        id TEXT PRIMARY KEY,
        tool TEXT NOT NULL,
        project_id TEXT REFERENCES projects (id),
        about TEXT NOT NULL,
        request TEXT NOT NULL,
        -- sha256 of the path and the body: the same question is not paid for twice unknowingly.
        request_hash TEXT NOT NULL,
        origin TEXT NOT NULL,
        key_fingerprint TEXT NOT NULL,
        sent_at INTEGER NOT NULL,
        state TEXT NOT NULL,
        ended_at INTEGER,
        task_id TEXT,
        failure TEXT
      ) STRICT;
      CREATE INDEX tool_calls_by_request ON tool_calls (request_hash, sent_at);
      CREATE INDEX tool_calls_by_state ON tool_calls (state);
    `);
  },
};
