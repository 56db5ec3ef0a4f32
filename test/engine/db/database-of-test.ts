import type Database from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openDatabase, type EngineDatabase } from '../../../src/engine/db/open.ts';

/** A folder that is gone after the test. */
export function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dailies-database-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A database with what `fill` writes. Closed and removed after the test. */
export function databaseOfTest(fill: (db: Database.Database) => void = () => undefined): EngineDatabase {
  const db = openDatabase(folderOfTest());
  onTestFinished(() => db.close());
  fill(db.facts);
  return db;
}
