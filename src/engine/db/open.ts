import { messageFor } from '../../contract/messages/message.ts';
import type Database from 'better-sqlite3';
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseError, toMessage, NewerDatabaseError, systemCode, toText } from '../base/errors.ts';
import { Connection, type EngineDatabase } from './connection.ts';
import { migrations } from './schema.ts';

export type { EngineDatabase } from './connection.ts';

export const databaseFile = (dataFolder: string) => join(dataFolder, 'dailies.db');

/** How long a write waits for another program's lock, ms. The engine's thread does nothing else while it waits. */
const LOCK_WAIT_MS = 1000;

/** Opens (creates and migrates as needed) the database of a data folder. Throws DatabaseError. */
export function openDatabase(dataFolder: string, lockWaitMs = LOCK_WAIT_MS): EngineDatabase {
  const file = databaseFile(dataFolder);
  const opened: Connection[] = [];
  const close = (): void => {
    for (const db of opened.toReversed()) db.close();
  };
  const open = (synchronous: 'FULL' | 'NORMAL'): Connection => {
    const db = new Connection(file, { timeout: lockWaitMs });
    opened.push(db);
    return prepared(db, synchronous);
  };
  try {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    const facts = open('FULL');
    // Prompts and file paths are private.
    chmodSync(file, 0o600);
    migrate(facts, file);
    return { facts, hints: open('NORMAL'), close };
  } catch (error) {
    close();
    throw asDatabaseError(error, dataFolder);
  }
}

/**
 * Opens an existing database read-only, beside any engine that holds it; an earlier one as its migrations would leave it.
 * Null when there is none yet. Throws DatabaseError.
 */
export function openDatabaseReadOnly(dataFolder: string): EngineDatabase | null {
  const file = databaseFile(dataFolder);
  if (!existsSync(file)) return null;
  let reader: Connection | null = null;
  try {
    reader = new Connection(file, { readonly: true, fileMustExist: true, timeout: 5000 });
    // Opening reads nothing yet: a file that is no database is only noticed by reading from it.
    reader.pragma('schema_version');
    checkNotOlder(reader, file);
    const db = reader;
    const opened = { facts: db, hints: db, close: () => db.close() };
    return isNewest(db) ? opened : copyInMemory(opened);
  } catch (error) {
    reader?.close();
    throw asDatabaseError(error, dataFolder);
  }
}

/** A copy in memory with the newest schema, to change without a trace; empty if there is none. Closes the original. */
export function copyInMemory(original: EngineDatabase | null): EngineDatabase {
  const copy = original === null ? new Connection(':memory:') : new Connection(toImage(original));
  runMigrations(copy);
  copy.pragma('foreign_keys = ON');
  return { facts: copy, hints: copy, close: () => copy.close() };
}

function toImage(original: EngineDatabase): Buffer {
  // A damaged one has no image, and only reading its tables says why.
  for (const table of original.facts.prepare('SELECT name FROM sqlite_schema WHERE type = ?').pluck().all('table'))
    original.facts.prepare(`SELECT 1 FROM "${String(table)}" LIMIT 1`).get();
  const image = original.facts.serialize();
  original.close();
  // A database in memory has no log beside it: these two bytes of the header say so.
  image.fill(1, 18, 20);
  return image;
}

function prepared(db: Connection, synchronous: 'FULL' | 'NORMAL'): Connection {
  const mode = db.pragma('journal_mode = WAL', { simple: true });
  // On a disk without shared memory SQLite stays in its own mode, in which our two connections lock each other out.
  if (mode !== 'wal') {
    throw new DatabaseError(messageFor('failure.databaseNotLocal', { file: db.name }), '');
  }
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

export const isLockedDatabase = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(systemCode(error) ?? '');

export const isFullDatabase = (error: unknown): boolean => systemCode(error) === 'SQLITE_FULL';

/** It may be writable again soon, and what could not be written now is worth keeping until then. */
export function mayPass(error: unknown): boolean {
  const ofItsDisk = /^SQLITE_(IOERR|CANTOPEN)|^SQLITE_READONLY$/.test(systemCode(error) ?? '');
  return isLockedDatabase(error) || isFullDatabase(error) || ofItsDisk;
}

const isDamage = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(systemCode(error) ?? '');

/** The error for a database that turned out to be damaged while it was used; null for any other error. */
export const damageFor = (error: unknown, dataFolder: string): DatabaseError | null =>
  isDamage(error) ? damagedDatabase(dataFolder, toMessage(error), error) : null;

/** `reason`: what SQLite says. Names the paid answers beside it, which no project has yet. */
export function damagedDatabase(dataFolder: string, reason: string, cause?: unknown): DatabaseError {
  const answers = join(dataFolder, 'answers');
  const facts = { file: databaseFile(dataFolder), reason, count: answersKept(answers), folder: answers };
  return new DatabaseError(messageFor('failure.databaseDamaged', facts), '', { cause });
}

function answersKept(folder: string): number {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.answer')).length;
  } catch {
    return 0;
  }
}

function asDatabaseError(error: unknown, dataFolder: string): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const file = databaseFile(dataFolder);
  return (
    damageFor(error, dataFolder) ??
    new DatabaseError(
      messageFor('failure.databaseUnusable', { file, reason: toText(error) }),
      messageFor('remedy.databaseUnusable'),
      { cause: error },
    )
  );
}

/**
 * Brings the schema to the newest version, each step in one transaction together with its `user_version`.
 * A database that already holds data is copied first to `<file>.v<version>.bak`.
 * Throws a DatabaseError when the file was written by a newer release, or by one of before the schema began.
 */
export function migrate(db: Database.Database, file: string, steps = migrations): void {
  const current = toVersion(db);
  checkNotOlder(db, file);
  const newest = steps.at(-1)?.version ?? 0;
  if (current > newest) {
    throw new NewerDatabaseError(
      messageFor('failure.databaseNewer', { file, schema: String(current), known: String(newest) }),
      messageFor('remedy.installNewerOrOtherFolder'),
    );
  }
  const pending = steps.filter((step) => step.version > current);
  if (pending.length > 0 && current > 0) backUp(db, file, current);
  runMigrations(db, steps);
}

/** Takes every step that is pending, without a copy. */
function runMigrations(db: Database.Database, steps = migrations): void {
  const current = toVersion(db);
  // While references are enforced, dropping a table to replace it deletes what refers to its rows.
  const enforced = db.pragma('foreign_keys', { simple: true }) as number;
  db.pragma('foreign_keys = OFF');
  try {
    for (const step of steps.filter(({ version }) => version > current)) {
      db.transaction(() => {
        step.up(db);
        db.pragma(`user_version = ${step.version}`);
      }).immediate();
    }
  } finally {
    db.pragma(`foreign_keys = ${String(enforced)}`);
  }
}

/** Throws a DatabaseError for the database of a version whose schema none of the steps begins with. */
function checkNotOlder(db: Database.Database, file: string): void {
  const current = toVersion(db);
  if (current === 0 || current >= (migrations[0]?.version ?? 0)) return;
  throw new DatabaseError(messageFor('failure.databaseOlder', { file, schema: String(current) }), '');
}

const isNewest = (db: Database.Database): boolean => toVersion(db) >= (migrations.at(-1)?.version ?? 0);

const toVersion = (db: Database.Database): number => db.pragma('user_version', { simple: true }) as number;

function backUp(db: Database.Database, file: string, version: number): void {
  const copy = `${file}.v${version}.bak`;
  // A copy from an earlier try of the same upgrade is better: it was made before that try.
  if (existsSync(copy)) return;
  db.prepare('VACUUM INTO ?').run(copy);
}
