import Database from 'better-sqlite3';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../../../src/engine/db/migrate.ts';
import { initial } from '../../../src/engine/db/migrations/0010-initial.ts';
import { library } from '../../../src/engine/db/migrations/0020-library.ts';

let folder: string;
let file: string;
let db: Database.Database;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dailies-migration-'));
  file = join(folder, 'dailies.db');
  db = new Database(file);
  db.pragma('foreign_keys = ON');
  migrate(db, file, [initial]);
  db.exec(`
    INSERT INTO projects VALUES ('p', '/film', 'Film', 1, 1);
    INSERT INTO batches VALUES ('b', 'p', 'Day 1', 'Day 1', '/lists', 'list.csv', '{shot}', 0, 1);
    INSERT INTO shots VALUES ('s', 'b', '0001', 0, 'hash', '{}', 1, 1);
    INSERT INTO jobs (id, project_id, batch_id, shot_id, shot_key, take, kind, model, priority, state, due_at, facts,
      created_at, updated_at)
    VALUES ('j', 'p', 'b', 's', '0001', 1, 'video', 'm', 0, 'preparing', 0, '{"state":"preparing"}', 1, 1);
  `);
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

const upload = (id: string, changes: Record<string, unknown> = {}) =>
  db
    .prepare(
      `INSERT INTO uploads (id, account_id, content, source, model, mode, purpose, role, group_id, type, name, state, asset_id,
         tries, intended_at)
       VALUES (@id, 1, @content, '/a.png', 'm', 'asset', '', '', '', 'image', 'a.png', @state, @asset, 0, 1)`,
    )
    .run({ id, content: 'hash', state: 'intended', asset: null, ...changes });

describe('the migration to the library', () => {
  it('keeps the rows of a database of version 10, and a copy of it', () => {
    migrate(db, file, [initial, library]);
    expect(db.pragma('user_version', { simple: true })).toBe(20);
    expect(db.prepare('SELECT id, state, step FROM jobs').all()).toEqual([
      { id: 'j', state: 'preparing', step: 'prepare' },
    ]);
    expect(db.pragma('foreign_key_check')).toEqual([]);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(existsSync(`${file}.v10.bak`)).toBe(true);
  });

  it('lets no identity have two uploads, and no upload arrive without an asset', () => {
    migrate(db, file, [initial, library]);
    db.exec(`INSERT INTO accounts VALUES (1, 'http://127.0.0.1', 'key')`);
    upload('u1');
    expect(() => upload('u2')).toThrow(/UNIQUE/);
    expect(() => upload('u3', { content: 'other', state: 'arrived' })).toThrow(/CHECK/);
    expect(() => upload('u4', { content: 'other', state: 'lost' })).toThrow(/CHECK/);
    upload('u5', { content: 'other', state: 'arrived', asset: 'a' });
  });

  it('lets what a take was prepared with go with a take that goes', () => {
    migrate(db, file, [initial, library]);
    db.exec(`INSERT INTO accounts VALUES (1, 'http://127.0.0.1', 'key');
      INSERT INTO asset_uses VALUES ('j', 'image', 'a.png', 1, 'asset', 'hash');
      DELETE FROM jobs WHERE id = 'j';`);
    expect(db.prepare('SELECT COUNT(*) FROM asset_uses').pluck().get()).toBe(0);
  });

  it.each([
    ['uploads by identity', 'SELECT * FROM uploads WHERE account_id = 1 AND content = ?', 'uploads_identity'],
    ['uploads by asset', 'SELECT * FROM uploads WHERE account_id = 1 AND asset_id = ?', 'uploads_by_asset'],
    ['uses by asset', 'SELECT * FROM asset_uses WHERE asset_id = ?', 'asset_uses_by_asset'],
    ['files by size', 'SELECT 1 FROM media_files WHERE bytes = ?', 'media_files_by_size'],
    ['paths by content', 'SELECT path FROM media_paths WHERE sha256 = ?', 'media_paths_by_content'],
    ['due preparations', `SELECT id FROM jobs WHERE paused IS NULL AND step = 'prepare' AND due_at <= ?`, 'jobs_due'],
  ])('finds %s by an index', (_what, query, index) => {
    migrate(db, file, [initial, library]);
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${query}`).all('x') as { detail: string }[];
    expect(plan.map(({ detail }) => detail).join()).toMatch(new RegExp(`USING (COVERING )?INDEX ${index}`));
  });
});
