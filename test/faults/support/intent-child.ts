import Database from 'better-sqlite3';
import { subscribe } from 'node:diagnostics_channel';
import { writeSync } from 'node:fs';
import { databaseFile } from '../../../src/engine/db/open.ts';
import { runFilm, type FilmPlace } from './sample-film.ts';

/**
 * One run of the film that says, just before the first byte of each billable request, how its intent stands: one line
 * of JSON each. What it looks at is SQLite's own word; that a commit at `synchronous=FULL` is synced is SQLite's promise.
 */
const { place } = JSON.parse(process.argv[2] ?? '') as { place: FilmPlace };

interface Statement {
  readonly source: string;
  readonly database: Database.Database;
  run(...args: unknown[]): unknown;
}

let journal: Database.Database | null = null;
const prototype = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1')) as Statement;
const run = prototype.run;
prototype.run = function (this: Statement, ...args: unknown[]) {
  if (this.source.startsWith('INSERT INTO attempts')) journal = this.database;
  return run.apply(this, args);
};

subscribe('undici:client:sendHeaders', (message) => {
  const { method, path } = (message as { request: { method: string; path: string } }).request;
  if (method !== 'POST') return;
  // Another connection sees only what was committed.
  const other = new Database(databaseFile(place.dataFolder), { readonly: true });
  const intents = other.prepare('SELECT request FROM attempts WHERE outcome IS NULL').pluck().all() as string[];
  other.close();
  const intent = {
    path,
    isStored: intents.some((request) => (JSON.parse(request) as { path: string }).path === path),
    isCommitted: journal?.inTransaction === false,
    synchronous: journal?.pragma('synchronous', { simple: true }),
    journalMode: journal?.pragma('journal_mode', { simple: true }),
  };
  writeSync(1, `${JSON.stringify(intent)}\n`);
});

await runFilm(place);
