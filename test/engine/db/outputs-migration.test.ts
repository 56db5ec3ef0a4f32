import Database from 'better-sqlite3';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrate } from '../../../src/engine/db/migrate.ts';
import { migrations } from '../../../src/engine/db/migrations/index.ts';
import { databaseFile, openDatabase } from '../../../src/engine/db/open.ts';
import { OutputStore } from '../../../src/engine/db/output-store.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dailies-outputs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a database of the version before keeps its files, which were all checked, and its resume points', () => {
  const file = databaseFile(folder);
  const before = new Database(file);
  migrate(
    before,
    file,
    migrations.filter(({ version }) => version <= 50),
  );
  before.exec(`
    INSERT INTO projects (id, path, name, created_at, opened_at) VALUES ('p', '/film', 'Film', 1, 1);
    INSERT INTO batches VALUES ('b', 'p', 'Day 1', 'Day 1', '/lists', 'list.csv', '{shot}', 0, 1);
    INSERT INTO shots VALUES ('s', 'b', '0001', 0, 'hash', '{}', 1, 1);
    INSERT INTO jobs (id, project_id, batch_id, shot_id, shot_key, take, kind, model, priority, state, due_at, facts,
      created_at, updated_at)
    VALUES ('j', 'p', 'b', 's', '0001', 1, 'image', 'm', 0, 'ready', 0, '{"state":"ready"}', 1, 1);
    INSERT INTO outputs (job_id, number, bytes, sha256, format, file) VALUES ('j', 1, 5, 'ab', 'png', 'Day 1/a.png');
    INSERT INTO outputs (job_id, number, part_offset, part_etag) VALUES ('j', 2, 100, '"v1"');
  `);
  before.close();

  const db = openDatabase(folder);
  const outputs = new OutputStore(db);
  expect(outputs.outputs('j')).toEqual([
    { number: 1, file: 'Day 1/a.png', bytes: 5, sha256: 'ab', format: 'png', verified: true },
  ]);
  expect(outputs.part('j', 2)).toEqual({ offset: 100, etag: '"v1"' });
  expect(outputs.slots('j')).toEqual([
    { url: null, isFetched: true },
    { url: null, isFetched: false },
  ]);
  expect(db.facts.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(existsSync(`${file}.v50.bak`)).toBe(true);
  db.close();
});
