import type { Migration } from '../migrate.ts';

/** What a project's folder says of its limits, and of what was sent against them. */
export const limits: Migration = {
  version: 3110,
  name: 'limits',
  up(db) {
    db.exec(`
      -- When a person set or removed a cap or a window last, ms; 0 where that is not known.
      CREATE TABLE limit_decisions (
        what TEXT NOT NULL CHECK (what IN ('cap', 'window')),
        scope TEXT NOT NULL CHECK (scope IN ('project', 'batch')),
        scope_id TEXT NOT NULL,
        at INTEGER NOT NULL CHECK (at >= 0),
        PRIMARY KEY (what, scope, scope_id)
      ) STRICT, WITHOUT ROWID;

      INSERT INTO limit_decisions SELECT 'cap', scope, scope_id, 0 FROM caps WHERE scope <> 'night';
      INSERT INTO limit_decisions SELECT 'window', scope, scope_id, 0 FROM windows;

      -- What other data folders sent in all, where this one does not know every request: it counts in place of the lines of
      -- the ledger up to this one if these are fewer.
      CREATE TABLE sent_before (
        scope TEXT NOT NULL CHECK (scope IN ('project', 'batch')),
        scope_id TEXT NOT NULL,
        takes INTEGER NOT NULL CHECK (takes >= 0),
        micros INTEGER NOT NULL CHECK (micros >= 0),
        line INTEGER NOT NULL,
        PRIMARY KEY (scope, scope_id)
      ) STRICT, WITHOUT ROWID;
    `);
  },
};
