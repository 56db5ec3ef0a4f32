import Database from 'better-sqlite3';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseError, messageOf, systemCode } from '../errors.ts';
import { migrate } from './migrate.ts';

export const databaseFile = (dataFolder: string) => join(dataFolder, 'dailies.db');

/**
 * Two connections to one file. `facts` syncs every commit to disk (`synchronous=FULL`): intents, task ids, results.
 * `hints` does not: next poll times, learned rates; losing the last of them costs a poll, never money. Both are
 * used from one thread and never hold a transaction across an await, so they cannot wait for each other.
 */
export interface EngineDatabase {
  readonly facts: Database.Database;
  readonly hints: Database.Database;
  close(): void;
}

/** Opens (creating and migrating as needed) the database of a data folder. Throws DatabaseError. */
export function openDatabase(dataFolder: string): EngineDatabase {
  const file = databaseFile(dataFolder);
  try {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    const facts = connect(file, 'FULL');
    // Prompts and file paths are the producer's business alone.
    chmodSync(file, 0o600);
    migrate(facts, file);
    const hints = connect(file, 'NORMAL');
    return {
      facts,
      hints,
      close() {
        hints.close();
        facts.close();
      },
    };
  } catch (error) {
    throw asDatabaseError(error, file);
  }
}

/** Opens an existing database for looking only, beside whichever engine holds it. Null when there is none yet. */
export function openDatabaseReadOnly(dataFolder: string): EngineDatabase | null {
  const file = databaseFile(dataFolder);
  if (!existsSync(file)) return null;
  try {
    const reader = new Database(file, { readonly: true, fileMustExist: true, timeout: 5000 });
    // Opening reads nothing yet: a file that is no database is only noticed by looking into it.
    reader.pragma('schema_version');
    return { facts: reader, hints: reader, close: () => reader.close() };
  } catch (error) {
    throw asDatabaseError(error, file);
  }
}

function connect(file: string, synchronous: 'FULL' | 'NORMAL'): Database.Database {
  const db = new Database(file, { timeout: 5000 });
  db.pragma('journal_mode = WAL');
  db.pragma(`synchronous = ${synchronous}`);
  // macOS answers fsync before the drive has written; this asks for the real thing. No effect elsewhere.
  db.pragma('fullfsync = ON');
  db.pragma('foreign_keys = ON');
  return db;
}

/** SQLite's own errors; everything it could not write must be treated as not written. */
export function isDatabaseTrouble(error: unknown): boolean {
  return systemCode(error)?.startsWith('SQLITE') === true;
}

function asDatabaseError(error: unknown, file: string): DatabaseError {
  if (error instanceof DatabaseError) return error;
  return new DatabaseError(
    `The database ${file} cannot be used: ${messageOf(error)}. Nothing was sent.`,
    'Check that the data folder is on a writable local disk with room; a backup from before the last upgrade lies beside it.',
    { cause: error },
  );
}
