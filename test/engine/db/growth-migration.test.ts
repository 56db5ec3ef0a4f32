import Database from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { BatchStore } from '../../../src/engine/db/batch-store.ts';
import { migrate } from '../../../src/engine/db/migrate.ts';
import { migrations } from '../../../src/engine/db/migrations/index.ts';
import { databaseFile, openDatabase } from '../../../src/engine/db/open.ts';

it('a database of the version before has no project that was cut off while it was taken over', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dailies-growth-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = databaseFile(folder);
  const before = new Database(file);
  migrate(
    before,
    file,
    migrations.filter(({ version }) => version <= 80),
  );
  before.exec(`
    INSERT INTO projects (id, path, name, created_at, opened_at) VALUES ('p', '/film', 'Film', 1, 1);
    INSERT INTO batches VALUES ('b', 'p', 'Day 1', 'Day 1', '/lists', 'list.csv', '{shot}', 0, 1);
    INSERT INTO shots VALUES ('s', 'b', '0001', 0, 'hash', '{}', 1, 1);
  `);
  before.close();

  const db = openDatabase(folder);
  onTestFinished(() => db.close());
  const batches = new BatchStore(db);
  expect(batches.isWhole('b')).toBe(true);
  expect(batches.interruptedAdoptions()).toEqual([]);
  expect(batches.versionOf('b', '0001', 'hash')).toBe('s');
  expect(db.facts.pragma('integrity_check', { simple: true })).toBe('ok');
});
