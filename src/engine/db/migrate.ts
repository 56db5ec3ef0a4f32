import { messageFor } from '../../contract/messages/message.ts';
import type Database from 'better-sqlite3';
import { existsSync } from 'node:fs';
import { DatabaseError, NewerDatabaseError } from '../base/errors.ts';
import { migrations } from './schema.ts';

/**
 * Brings the schema to the newest version, each step in one transaction together with its `user_version`.
 * A database that already holds data is copied first to `<file>.v<version>.bak`.
 * Throws a DatabaseError when the file was written by a newer release, or by one of before the schema began.
 */
export function migrate(db: Database.Database, file: string, steps = migrations): void {
  const current = versionOf(db);
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
export function runMigrations(db: Database.Database, steps = migrations): void {
  const current = versionOf(db);
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
export function checkNotOlder(db: Database.Database, file: string): void {
  const current = versionOf(db);
  if (current === 0 || current >= (migrations[0]?.version ?? 0)) return;
  throw new DatabaseError(
    messageFor('failure.databaseOlder', { file, schema: String(current) }),
    messageFor('remedy.oldDatabase'),
  );
}

export const isNewest = (db: Database.Database): boolean => versionOf(db) >= (migrations.at(-1)?.version ?? 0);

const versionOf = (db: Database.Database): number => db.pragma('user_version', { simple: true }) as number;

function backUp(db: Database.Database, file: string, version: number): void {
  const copy = `${file}.v${version}.bak`;
  // A copy from an earlier try of the same upgrade is better: it was made before that try.
  if (existsSync(copy)) return;
  db.prepare('VACUUM INTO ?').run(copy);
}
