import { messageFor } from '../../contract/messages/message.ts';
import type Database from 'better-sqlite3';
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseError, toMessage, NewerDatabaseError, systemCode, toText } from '../base/errors.ts';
import { Connection, type EngineDatabase } from './connection.ts';
import { SCHEMA, SCHEMA_VERSION } from './schema.ts';

export type { EngineDatabase } from './connection.ts';

export const databaseFile = (dataFolder: string) => join(dataFolder, 'dailies.db');

/** How long a write waits for another program's lock, ms. The engine's thread does nothing else while it waits. */
const LOCK_WAIT_MS = 1000;

/** Opens the database of a data folder, and creates it as needed. Throws DatabaseError. */
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
    createSchema(facts, file);
    return { facts, hints: open('NORMAL'), close };
  } catch (error) {
    close();
    throw asDatabaseError(error, dataFolder);
  }
}

/** Opens an existing database read-only, beside any engine that holds it. Null when there is none. Throws DatabaseError. */
export function openDatabaseReadOnly(dataFolder: string): EngineDatabase | null {
  const file = databaseFile(dataFolder);
  if (!existsSync(file)) return null;
  let reader: Connection | null = null;
  try {
    reader = new Connection(file, { readonly: true, fileMustExist: true, timeout: 5000 });
    // Opening reads nothing yet: a file that is no database is only noticed by reading from it.
    reader.pragma('schema_version');
    checkVersion(reader, file);
    const db = reader;
    const opened = { facts: db, hints: db, close: () => db.close() };
    return toVersion(db) === 0 ? copyInMemory(opened) : opened;
  } catch (error) {
    reader?.close();
    throw asDatabaseError(error, dataFolder);
  }
}

/** A copy in memory, to change without a trace; empty if there is none. Closes the original. */
export function copyInMemory(original: EngineDatabase | null): EngineDatabase {
  const copy = original === null ? new Connection(':memory:') : new Connection(toImage(original));
  createSchema(copy, copy.name);
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
    throw new DatabaseError(
      messageFor('failure.databaseNotLocal', { file: db.name }),
      messageFor('remedy.localDataFolder'),
    );
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
  return new DatabaseError(
    messageFor('failure.databaseDamaged', { file: databaseFile(dataFolder), reason }),
    messageFor('remedy.moveDatabase', { count: answersKept(answers), folder: answers }),
    { cause },
  );
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

/** Gives a new file its tables. Throws a DatabaseError when another release wrote it. */
function createSchema(db: Database.Database, file: string): void {
  checkVersion(db, file);
  if (toVersion(db) === SCHEMA_VERSION) return;
  db.transaction(() => {
    db.exec(SCHEMA);
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
  }).immediate();
}

function checkVersion(db: Database.Database, file: string): void {
  const version = toVersion(db);
  if (version === 0 || version === SCHEMA_VERSION) return;
  const schema = String(version);
  if (version < SCHEMA_VERSION)
    throw new DatabaseError(messageFor('failure.databaseOlder', { file, schema }), messageFor('remedy.oldDatabase'));
  throw new NewerDatabaseError(
    messageFor('failure.databaseNewer', { file, schema, known: String(SCHEMA_VERSION) }),
    messageFor('remedy.installNewerOrOtherFolder'),
  );
}

const toVersion = (db: Database.Database): number => db.pragma('user_version', { simple: true }) as number;
