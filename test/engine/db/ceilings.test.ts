import Database from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrate } from '../../../src/engine/db/migrate.ts';
import { migrations } from '../../../src/engine/db/migrations/index.ts';
import { databaseFile, openDatabase } from '../../../src/engine/db/open.ts';
import { ServiceStore, type Account } from '../../../src/engine/db/service-store.ts';

const account: Account = { origin: 'https://api.example', keyFingerprint: 'one' };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dailies-ceilings-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a database of the previous version has no ceiling, and keeps those that are learned from now on', () => {
  const file = databaseFile(folder);
  const before = new Database(file);
  migrate(
    before,
    file,
    migrations.filter(({ version }) => version < 120),
  );
  before.close();

  const db = openDatabase(folder);
  const store = new ServiceStore(db);
  expect(store.ceilings(account)).toEqual(new Map());
  store.saveCeiling(account, 'a', { own: 3, all: 5, triedAt: 1000.4, waitMs: 30_000 });
  store.saveCeiling(account, 'a', { own: 4, all: 6, triedAt: 2000, waitMs: 60_000 });
  store.saveCeiling(account, 'b', { own: 0, all: 1, triedAt: 1000, waitMs: 30_000 });
  store.saveCeiling(account, 'b', null);
  expect(store.ceilings(account)).toEqual(new Map([['a', { own: 4, all: 6, triedAt: 2000, waitMs: 60_000 }]]));
  expect(store.ceilings({ ...account, keyFingerprint: 'two' })).toEqual(new Map());
  expect(db.facts.pragma('integrity_check', { simple: true })).toBe('ok');
  db.close();
});
