import Database from 'better-sqlite3';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { viewDataFolder } from '../../../src/cli/look.ts';
import { DatabaseError } from '../../../src/engine/base/errors.ts';
import { HistoryStore } from '../../../src/engine/db/history-store.ts';
import { LedgerStore } from '../../../src/engine/db/ledger-store.ts';
import { databaseFile, openDatabase } from '../../../src/engine/db/open.ts';
import { migrations } from '../../../src/engine/db/schema.ts';
import { ToolStore } from '../../../src/engine/db/tool-store.ts';
import { errorSaying } from '../../support/saying.ts';
import { databaseOfTest } from './database-of-test.ts';
import { folderOfTest } from '../../support/folders.ts';

/** As the 42 steps that came before the one schema left it. */
const earlier = readFileSync(join(import.meta.dirname, 'fixtures', 'schema-3810.sql'), 'utf8');

/** A data folder of that time, with a paid call. */
function folderOfThatTime(version = 3810): string {
  const folder = folderOfTest();
  const db = new Database(databaseFile(folder));
  db.exec(earlier);
  db.exec(`
    INSERT INTO projects (id, path, name, created_at, opened_at) VALUES ('p', '/film', 'Film', 1, 1);
    INSERT INTO tool_calls (id, tool, project_id, about, request, request_hash, origin, key_fingerprint, sent_at, state)
      VALUES ('call', 'rewrite', 'p', 'x', '{"body":{"model":"m"}}', 'h', 'o', 'k', 5, 'unclear');
    UPDATE ledger SET micros = 250000;
  `);
  db.pragma(`user_version = ${version}`);
  db.close();
  mkdirSync(join(folder, 'answers'));
  writeFileSync(join(folder, 'answers', 'call.answer'), 'paid');
  return folder;
}

/** What a database is made of, however it was written down. */
function partsOf(db: Database.Database): unknown {
  const parts = db.prepare(`SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name`).all() as {
    readonly type: string;
    readonly name: string;
    readonly sql: string | null;
  }[];
  return parts.map(({ type, name, sql }) => ({
    ...{ type, name },
    columns: type === 'table' ? db.pragma(`table_xinfo("${name}")`) : null,
    keys: type === 'table' ? db.pragma(`foreign_key_list("${name}")`) : null,
    // Comments, spaces and where a column was added say nothing.
    words: (sql ?? '')
      .replaceAll(/--.*/g, '')
      .split(/[\s,"]+|(?<=[()])|(?=[()])/)
      .filter(Boolean)
      .sort(),
  }));
}

it('is one schema, the same as the steps before it made', () => {
  const before = new Database(':memory:');
  before.exec(earlier);
  const now = new Database(':memory:');
  migrations[0]?.up(now);
  expect(partsOf(now)).toEqual(partsOf(before));
  expect(now.prepare('SELECT rating FROM ratings').pluck().all()).toEqual([0, 1, 2, 3, 4, 5]);
});

it('opens a data folder of that time as it is, with its ledger, tool calls and answers', () => {
  const folder = folderOfThatTime();
  const db = openDatabase(folder);
  expect([...new LedgerStore(db).lines({})]).toMatchObject([
    { id: 'call', state: 'unclear', tool: 'rewrite', price: 0.25, project: 'Film' },
  ]);
  expect(new ToolStore(db).inState('unclear')).toHaveLength(1);
  expect(readFileSync(join(folder, 'answers', 'call.answer'), 'utf8')).toBe('paid');
  db.close();
});

it('lets an agent be in the history of that time, and has the schema of a new data folder', () => {
  const folder = folderOfThatTime();
  const old = new Database(databaseFile(folder));
  const note = `INSERT INTO history (at, project_id, actor, code, facts) VALUES (1, 'p', ?, 'queue.paused', '{}')`;
  old.prepare(note).run('window');
  expect(() => old.prepare(note).run('agent')).toThrow('CHECK');
  old.close();
  const db = openDatabase(folder);
  const history = new HistoryStore(db);
  history.note({ code: 'queue.resumed', facts: {}, by: 'agent', at: 2, projectId: 'p' });
  expect(history.page({ projectId: 'p', count: 9 }).map(({ id, by, code }) => [id, by, code])).toEqual([
    [2, 'agent', 'queue.resumed'],
    [1, 'window', 'queue.paused'],
  ]);
  expect([...new LedgerStore(db).lines({})]).toMatchObject([{ id: 'call', price: 0.25 }]);
  expect(partsOf(db.facts)).toEqual(partsOf(databaseOfTest().facts));
  db.close();
  // What it was before is kept beside it.
  const copy = new Database(`${databaseFile(folder)}.v3810.bak`, { readonly: true });
  expect(copy.prepare('SELECT actor FROM history').pluck().all()).toEqual(['window']);
  copy.close();
});

it('keeps the newest pick of a shot, and makes alternates of the others', () => {
  const folder = folderOfThatTime();
  const old = new Database(databaseFile(folder));
  old.exec(`
    INSERT INTO batches (id, project_id, name, folder, list_folder, source, name_template, created_at)
      VALUES ('b', 'p', 'B', 'B', '', '', '', 1);
    INSERT INTO shots (id, batch_id, key, spec, position, content_hash, current, created_at)
      VALUES ('s', 'b', '010', '{}', 0, '', 1, 1), ('t', 'b', '020', '{}', 1, '', 1, 1);
  `);
  const take = old.prepare(`INSERT INTO jobs
    (id, project_id, batch_id, shot_id, shot_key, take, kind, model, priority, state, due_at, facts, created_at, updated_at)
    VALUES (?, 'p', 'b', ?, ?, ?, 'image', 'm', 0, 'cancelled', 0, '{}', 1, 1)`);
  const takes = [
    ...([
      ['s1', 's', '010', 1, 'pick'],
      ['s2', 's', '010', 2, 'pick'],
      ['s3', 's', '010', 3, 'reject'],
    ] as const),
    ['t1', 't', '020', 1, 'pick'],
  ] as const;
  for (const [id, shot, key, number, flag] of takes) {
    take.run(id, shot, key, number);
    old.prepare(`INSERT INTO verdicts (job_id, rating, flag, note, in_recipe) VALUES (?, 0, ?, '', 1)`).run(id, flag);
  }
  old.close();
  const db = openDatabase(folder);
  const flags = db.facts.prepare('SELECT jobs.id, jobs.flag, in_recipe FROM jobs JOIN verdicts ON job_id = jobs.id');
  expect(flags.raw().all()).toEqual([
    ['s1', 'alternate', 0],
    ['s2', 'pick', 1],
    ['s3', 'reject', 1],
    ['t1', 'pick', 1],
  ]);
  expect(() => db.facts.exec(`UPDATE verdicts SET flag = 'best' WHERE job_id = 's1'`)).toThrow('CHECK');
  expect(db.facts.pragma('integrity_check', { simple: true })).toBe('ok');
  db.close();
});

it('knows the service of each request of that time, and takes a cap for an account', () => {
  const folder = folderOfThatTime();
  const old = new Database(databaseFile(folder));
  old.exec(`UPDATE projects SET service = 'demo'`);
  const cap = `INSERT INTO caps (scope, scope_id, takes) VALUES (?, 'acme', 3)`;
  expect(() => old.prepare(cap).run('account')).toThrow('CHECK');
  old.close();
  const db = openDatabase(folder);
  expect(new LedgerStore(db).serviceOfLine('call')).toBe('demo');
  db.facts.prepare(cap).run('account');
  expect(() => db.facts.prepare(cap).run('client')).toThrow('CHECK');
  expect(db.facts.pragma('integrity_check', { simple: true })).toBe('ok');
  db.close();
});

it('refuses an older one with the way out, and changes nothing of it', () => {
  const folder = folderOfThatTime(3800);
  const before = readFileSync(databaseFile(folder));
  const older = errorSaying(/was created by an earlier version of Dailies \(schema 3800\)/);
  for (const open of [() => openDatabase(folder), () => viewDataFolder(folder, () => undefined)]) {
    expect(open).toThrow(DatabaseError);
    expect(open).toThrow(older);
  }
  const now = new Database(databaseFile(folder), { readonly: true });
  expect(now.prepare('SELECT id FROM tool_calls').pluck().all()).toEqual(['call']);
  now.close();
  expect(readFileSync(databaseFile(folder)).length).toBe(before.length);
});
