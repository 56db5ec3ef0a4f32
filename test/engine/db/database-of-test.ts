import type Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { folderOfTest } from '../../support/folders.ts';
import { openDatabase, type EngineDatabase } from '../../../src/engine/db/open.ts';

/** A database with what `fill` writes. Closed and removed after the test. */
export function databaseOfTest(fill: (db: Database.Database) => void = () => undefined): EngineDatabase {
  const db = openDatabase(folderOfTest());
  onTestFinished(() => db.close());
  fill(db.facts);
  return db;
}
