import Database from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { migrate } from '../../../src/engine/db/migrate.ts';
import { migrations } from '../../../src/engine/db/migrations/index.ts';
import { databaseFile, openDatabase, type EngineDatabase } from '../../../src/engine/db/open.ts';

/** Makes the database of a data folder as it was before a migration, with what `fill` writes. Returns its file. */
export function makeEarlierDatabase(folder: string, version: number, fill: (db: Database.Database) => void): string {
  const file = databaseFile(folder);
  const db = new Database(file);
  migrate(
    db,
    file,
    migrations.filter((migration) => migration.version < version),
  );
  fill(db);
  db.close();
  return file;
}

/** A folder that is gone after the test. */
export function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dailies-migration-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A database as it was before a migration, opened with all of them. Closed and removed after the test. */
export function migratedFrom(version: number, fill: (db: Database.Database) => void): EngineDatabase {
  const folder = folderOfTest();
  makeEarlierDatabase(folder, version, fill);
  const db = openDatabase(folder);
  onTestFinished(() => db.close());
  return db;
}
