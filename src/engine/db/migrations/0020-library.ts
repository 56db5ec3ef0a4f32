import type { Migration } from '../migrate.ts';

/**
 * The library: local media by content, the service's groups and assets as last seen, uploads, and which take used
 * which asset. Nothing here is ever deleted because the service no longer has it. Times are milliseconds since the
 * epoch; `facts` hold shapes of `src/contract/asset.ts`.
 */
export const library: Migration = {
  version: 20,
  name: 'library',
  up(db) {
    db.exec(`
      -- What belongs to whom: an address and a key there.
      CREATE TABLE accounts (
        id INTEGER PRIMARY KEY,
        origin TEXT NOT NULL,
        key_fingerprint TEXT NOT NULL,
        UNIQUE (origin, key_fingerprint)
      ) STRICT;

      CREATE TABLE asset_groups (
        account_id INTEGER NOT NULL REFERENCES accounts(id),
        id TEXT NOT NULL,
        facts TEXT NOT NULL,
        missing_since INTEGER,
        hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
        PRIMARY KEY (account_id, id)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE assets (
        account_id INTEGER NOT NULL REFERENCES accounts(id),
        id TEXT NOT NULL,
        facts TEXT NOT NULL,
        missing_since INTEGER,
        hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
        PRIMARY KEY (account_id, id)
      ) STRICT, WITHOUT ROWID;

      -- Local media: one row for the same bytes, wherever they lie.
      CREATE TABLE media_files (
        sha256 TEXT PRIMARY KEY,
        bytes INTEGER NOT NULL,
        content_type TEXT,
        width INTEGER,
        height INTEGER,
        duration REAL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX media_files_by_size ON media_files(bytes);
      -- Where they were seen, with what tells that a file is still the one that was hashed.
      CREATE TABLE media_paths (
        path TEXT PRIMARY KEY,
        sha256 TEXT NOT NULL REFERENCES media_files(sha256),
        bytes INTEGER NOT NULL,
        modified_ms REAL NOT NULL,
        changed_ms REAL NOT NULL,
        seen_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX media_paths_by_content ON media_paths(sha256);

      -- The journal of uploads, one row for an identity. Written before the first byte leaves.
      CREATE TABLE uploads (
        id TEXT PRIMARY KEY,
        account_id INTEGER NOT NULL REFERENCES accounts(id),
        -- sha256 of a local file, or the public address that the service was to fetch; 'unread:' and the id while a
        -- file is read for the first time on its way out.
        content TEXT NOT NULL,
        -- Path of the file, or the address.
        source TEXT NOT NULL,
        model TEXT NOT NULL,
        mode TEXT NOT NULL,
        purpose TEXT NOT NULL,
        role TEXT NOT NULL,
        group_id TEXT NOT NULL,
        type TEXT NOT NULL,
        name TEXT NOT NULL,
        bytes INTEGER,
        state TEXT NOT NULL CHECK (state IN ('intended', 'sent_unknown', 'arrived', 'failed')),
        asset_id TEXT,
        -- Uploads in a row whose fate was unclear.
        tries INTEGER NOT NULL,
        failure TEXT,
        intended_at INTEGER NOT NULL,
        ended_at INTEGER,
        CHECK (asset_id IS NOT NULL OR state <> 'arrived'),
        CHECK (failure IS NOT NULL OR state <> 'failed')
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX uploads_identity ON uploads(account_id, content, model, mode, purpose, role, group_id);
      CREATE INDEX uploads_by_asset ON uploads(account_id, asset_id) WHERE asset_id IS NOT NULL;

      CREATE TABLE asset_uses (
        job_id TEXT NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
        parameter TEXT NOT NULL,
        -- The local path as written in the list.
        cell TEXT NOT NULL,
        account_id INTEGER NOT NULL REFERENCES accounts(id),
        asset_id TEXT NOT NULL,
        sha256 TEXT,
        PRIMARY KEY (job_id, parameter, cell)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX asset_uses_by_asset ON asset_uses(asset_id);
    `);
  },
};
