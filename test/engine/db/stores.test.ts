import { errorSaying } from '../../support/saying.ts';
import Database from 'better-sqlite3';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { migrate } from '../../../src/engine/db/open.ts';
import { migrations } from '../../../src/engine/db/schema.ts';
import { AssetStore } from '../../../src/engine/db/asset-store.ts';
import { StaleJobError } from '../../../src/engine/db/job-store.ts';
import { databaseFile, openDatabase, openDatabaseReadOnly } from '../../../src/engine/db/open.ts';
import { ServiceStore, type Account } from '../../../src/engine/db/service-store.ts';
import { DatabaseError } from '../../../src/engine/base/errors.ts';
import {
  DataFolderInUseError,
  DataFolderUnusableError,
  lockDataFolder,
} from '../../../src/engine/base/instance-lock.ts';
import { IllegalTransitionError } from '../../../src/engine/machine/job-machine.ts';
import { attempt, failure, task } from '../jobs/events.ts';
import { databaseOfTest } from './database-of-test.ts';
import { PlaceStore } from '../../../src/engine/db/stores.ts';
import { seedOfTest } from './seed.ts';
import { UploadStore } from '../../../src/engine/db/upload-store.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dailies-db-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const request = {
  operation: 'videos.create',
  method: 'POST' as const,
  path: '/v1/videos',
  encoding: 'json' as const,
  body: {},
  files: [],
  answers: 'task' as const,
};

const newest = migrations.at(-1)?.version ?? 0;

describe('the database', () => {
  it('is created at the newest version, private, synced at every commit of facts', () => {
    const db = openDatabase(folder);
    expect(db.facts.pragma('user_version', { simple: true })).toBe(newest);
    expect(db.facts.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(db.facts.pragma('synchronous', { simple: true })).toBe(2);
    expect(db.hints.pragma('synchronous', { simple: true })).toBe(1);
    expect(db.facts.pragma('foreign_keys', { simple: true })).toBe(1);
    if (process.platform !== 'win32') expect(statSync(databaseFile(folder)).mode & 0o077).toBe(0);
    db.close();
  });

  it('keeps no transaction open while something is waited for: such work is refused, and leaves nothing', () => {
    const { db, jobs, batches, projects } = seedOfTest(1);
    const assets = new AssetStore(db);
    // Types let a function that waits stand for one that returns nothing.
    const doors: readonly [Database.Database, (work: () => void) => void][] = [
      [db.facts, (work) => jobs.inOneCommit(work)],
      [db.facts, (work) => batches.inOneCommit(work)],
      [db.facts, (work) => batches.inUnsyncedCommit(work)],
      [db.facts, (work) => assets.inOneCommit(work)],
      [db.hints, (work) => db.hints.transaction(work)()],
    ];
    for (const [connection, commit] of doors) {
      const renaming = (): Promise<void> => {
        connection.exec(`UPDATE projects SET name = 'Half done'`);
        return Promise.resolve();
      };
      expect(() => commit(renaming)).toThrow('cannot return a promise');
      expect(connection.inTransaction).toBe(false);
      expect(projects.get('project')?.name).toBe('Film');
    }
  });

  it('is looked at beside an engine, and a file that is no database is told in words', () => {
    expect(openDatabaseReadOnly(folder)).toBe(null);
    writeFileSync(databaseFile(folder), 'no database at all, but long enough to be looked at as one');
    expect(() => openDatabaseReadOnly(folder)).toThrow(DatabaseError);
  });

  it('is copied before an upgrade, and upgraded step by step', () => {
    openDatabase(folder).close();
    const file = databaseFile(folder);
    const db = new Database(file);
    migrate(db, file, [...migrations, { version: newest + 1, up: (at) => at.exec('CREATE TABLE next (x)') }]);
    expect(db.pragma('user_version', { simple: true })).toBe(newest + 1);
    db.close();
    const copy = new Database(`${file}.v${newest}.bak`, { readonly: true });
    expect(copy.pragma('user_version', { simple: true })).toBe(newest);
    copy.close();
  });

  it('keeps its old version whole when an upgrade fails', () => {
    openDatabase(folder).close();
    const file = databaseFile(folder);
    const db = new Database(file);
    const broken = {
      version: newest + 1,
      up(at: Database.Database) {
        at.exec('DROP TABLE attempts');
        throw new Error('power cut');
      },
    };
    expect(() => migrate(db, file, [...migrations, broken])).toThrow('power cut');
    expect(db.pragma('user_version', { simple: true })).toBe(newest);
    expect(db.prepare('SELECT COUNT(*) FROM attempts').pluck().get()).toBe(0);
    db.close();
  });

  it('of a newer release is refused and left alone', () => {
    openDatabase(folder).close();
    const file = databaseFile(folder);
    const db = new Database(file);
    db.pragma('user_version = 999999');
    db.close();
    expect(() => openDatabase(folder)).toThrow(DatabaseError);
    expect(existsSync(`${file}.v999999.bak`)).toBe(false);
  });

  it.each([
    [
      'jobs_to_submit',
      `SELECT id FROM jobs WHERE paused IS NULL AND state = 'ready' AND due_at <= 5 ORDER BY priority DESC, turn, seq LIMIT 4`,
    ],
    ['jobs_due', `SELECT id FROM jobs WHERE paused IS NULL AND step = 'poll' AND due_at <= 5 ORDER BY due_at LIMIT 4`],
    ['jobs_due', `SELECT MIN(due_at) FROM jobs WHERE paused IS NULL AND step = 'poll' AND due_at > 5`],
    [
      'jobs_to_prepare',
      `SELECT id FROM jobs WHERE paused IS NULL AND state = 'needs_assets' AND due_at <= 5 ORDER BY priority DESC, turn, due_at, seq LIMIT 4`,
    ],
  ])('answers the queue from the index %s, without sorting', (index, sql) => {
    const db = openDatabase(folder);
    const plan = db.facts.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
    const text = plan.map((row) => row.detail).join('\n');
    expect(text).toContain(index);
    expect(text).not.toContain('USE TEMP B-TREE');
    db.close();
  });

  it('refuses states without their facts, also from plain SQL', () => {
    const { db, jobIds } = seedOfTest(1);
    const write = (sql: string) => () => db.facts.prepare(sql).run(jobIds[0]);
    expect(write(`UPDATE jobs SET state = 'polling' WHERE id = ?`)).toThrow('CHECK');
    expect(write(`UPDATE jobs SET state = 'submitting' WHERE id = ?`)).toThrow('CHECK');
    expect(write(`UPDATE jobs SET state = 'nonsense' WHERE id = ?`)).toThrow('CHECK');
  });
});

describe('the job store', () => {
  it('writes intent, journal and state as one', () => {
    const { jobs, jobIds } = seedOfTest(1);
    const ready = jobs.get(jobIds[0] as string) as never;
    const { id } = jobs.intend(ready, attempt(1), request);
    expect(jobs.get(id)?.state).toEqual({ state: 'submitting', attempt: attempt(1) });
    expect(jobs.attempts.lastRequest(id)).toEqual(request);
    expect(jobs.attempts.count(id)).toBe(1);
  });

  it('lets only one of two writers take a step', () => {
    const { jobs, jobIds } = seedOfTest(1);
    const seenByBoth = jobs.get(jobIds[0] as string) as never;
    jobs.intend(seenByBoth, attempt(1), request);
    expect(() => jobs.intend(seenByBoth, attempt(2), request)).toThrow(StaleJobError);
    expect(jobs.attempts.count(jobIds[0] as string)).toBe(1);
  });

  it('leaves no trace of a step that fails', () => {
    const { jobs, jobIds } = seedOfTest(1);
    const ready = jobs.get(jobIds[0] as string) as never;
    expect(() => jobs.advance(ready, { type: 'saved', at: 1 }, 1)).toThrow(IllegalTransitionError);
    expect(() =>
      jobs.advance(ready, { type: 'intended', attempt: attempt(1) }, 1, () => {
        throw new Error('disk');
      }),
    ).toThrow('disk');
    expect(jobs.get(jobIds[0] as string)?.state.state).toBe('ready');
  });

  it('claims due jobs by priority and order, without those that are held or running', () => {
    const { jobs, jobIds } = seedOfTest(6, (index) => ({ priority: index === 4 ? 9 : 0 }));
    jobs.setPaused(jobIds[1] as string, 'user', 1);
    jobs.advance(jobs.get(jobIds[2] as string) as never, { type: 'postponed', notBefore: 1000, failure }, 1);
    const claimed = jobs.due.claim('submit', 999, 10, {}, { jobs: new Set([jobIds[3] as string]) });
    expect(claimed.map((job) => job.id)).toEqual([jobIds[4], jobIds[0], jobIds[5]]);
    expect(jobs.due.nextAt('submit', 999)).toBe(1000);
  });

  it('claims what needs assets by priority too, once it is to be looked at again', () => {
    const { jobs, jobIds } = seedOfTest(3, (index) => ({ priority: index }));
    for (const [index, id] of jobIds.entries()) {
      jobs.advance(jobs.get(id) as never, { type: 'await_assets', since: 1, nextCheckAt: index === 1 ? 1000 : 5 }, 1);
    }
    const claimed = jobs.due.claim('prepare', 999, 10, {});
    expect(claimed.map(({ id }) => id)).toEqual([jobIds[2], jobIds[0]]);
    expect(jobs.due.nextAt('prepare', 999)).toBe(1000);
  });

  it('sends nothing of a batch whose import has not finished', () => {
    const { jobs, batches, batch } = seedOfTest(2);
    batches.setImporting(batch.id, true);
    expect(jobs.due.claim('submit', 999, 10, {})).toEqual([]);
    expect(jobs.due.canContinue({ scope: {}, service: null, steps: ['submit'] })).toBe(false);
    batches.setImporting(batch.id, false);
    expect(jobs.due.claim('submit', 999, 10, {})).toHaveLength(2);
  });

  it('finds the job that a task belongs to', () => {
    const { jobs, jobIds } = seedOfTest(1);
    const sent = jobs.intend(jobs.get(jobIds[0] as string) as never, attempt(1), request);
    jobs.advance(sent, { type: 'accepted', task, nextPollAt: 5, deadlineAt: 9 }, 1);
    const { origin } = attempt(1);
    expect(jobs.ofTask(task.id, origin, 'another job')?.id).toBe(jobIds[0]);
    expect(jobs.ofTask(task.id, origin, jobIds[0] as string)).toBeNull();
    // Services give out ids of their own, so that two of them may use the same.
    expect(jobs.ofTask(task.id, 'https://other.example', 'another job')).toBeNull();
    expect(jobs.ofTask('other', origin, 'another job')).toBeNull();
  });
});

it('refuses a disk that keeps the database in another mode than ours, as a network disk does', () => {
  const pragma = vi.spyOn(Database.prototype, 'pragma').mockReturnValue('delete');
  onTestFinished(() => pragma.mockRestore());
  const refused = errorSaying(
    /^Nothing was sent\. The database .* is on a disk .* such as a network disk\. Keep the data folder/,
  );
  expect(() => openDatabase(folder)).toThrow(refused);
});

describe('the lock of a data folder', () => {
  it('belongs to one engine, and tells the second who has it', () => {
    const lock = lockDataFolder(folder, 'dailies run', 1);
    expect(() => lockDataFolder(folder, 'dailies resume', 2)).toThrow(DataFolderInUseError);
    const holder = errorSaying(new RegExp(`process ${process.pid} `));
    expect(() => lockDataFolder(folder, 'dailies resume', 2)).toThrow(holder);
    lock.release();
    lockDataFolder(folder, 'dailies resume', 3).release();
  });

  it('is refused in words where there can be no folder', () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    expect(() => lockDataFolder(file, 'dailies run', 1)).toThrow(DataFolderUnusableError);
    const unusable = errorSaying(/Nothing was sent\. .*cannot be used: /);
    expect(() => lockDataFolder(join(file, 'below'), 'dailies run', 1)).toThrow(unusable);
  });
});

it('the journal of attempts keeps its first end, whatever we learn later', () => {
  const { jobs, jobIds } = seedOfTest(1);
  const [id = ''] = jobIds;
  jobs.intend(jobs.get(id) as never, attempt(1), request);
  const submitting = jobs.get(id) as never;
  jobs.advance(
    submitting,
    { type: 'accepted', task: { ...task, traceId: 'trace-1' }, nextPollAt: 9, deadlineAt: 99 },
    3,
  );
  jobs.attempts.end(id, 1, { type: 'unclear', failure }, 4);
  expect(jobs.attempts.of(id)).toMatchObject([
    { outcome: 'accepted', endedAt: 3, taskId: task.id, traceId: 'trace-1' },
  ]);
  jobs.advance(jobs.get(id) as never, { type: 'task_failed', failure }, 5);
  expect(jobs.attempts.of(id)).toMatchObject([{ outcome: 'accepted', endedAt: 3, failure }]);
});

describe('the batch store', () => {
  it('asks for takes in rounds', () => {
    const { batches, jobs, jobIds, batch } = seedOfTest(1);
    expect(jobs.get(jobIds[0] ?? '')).toMatchObject({ round: 0 });
    expect(batches.takes.round(batch.id)).toEqual({ number: 0, isOpen: false });
    expect(batches.takes.enterRound(batch.id)).toBe(1);
    expect(batches.takes.round(batch.id)).toEqual({ number: 1, isOpen: true });
  });

  it('reads a batch of many slices whole, shots in the order of the list', () => {
    const { batches, batch } = seedOfTest(1001, (index) => ({ key: `SC${2000 - index}` }));
    const positions = batches.currentShots(batch.id).map(({ position }) => position);
    expect(positions).toEqual(Array.from({ length: 1001 }, (_, index) => index));
    const counts = batches.takes.counts(batch.id);
    expect(counts.size).toBe(1001);
    expect(counts.get('SC1000')).toEqual({ key: 'SC1000', last: 1, current: 1, waiting: 1, again: 1 });
  });
});

describe('the store of uploads', () => {
  it('says so where the intent of a request cannot be committed', () => {
    const db = databaseOfTest((facts) => {
      facts.exec(`CREATE TABLE none (id INTEGER PRIMARY KEY);
        CREATE TABLE late (id INTEGER REFERENCES none (id) DEFERRABLE INITIALLY DEFERRED);
        CREATE TRIGGER fails AFTER INSERT ON uploads BEGIN INSERT INTO late VALUES (1); END`);
    });
    const account = { origin: 'https://a.test', keyFingerprint: 'ab' };
    const of = { model: 'm', mode: 'asset', purpose: '', role: '', groupId: '' } as const;
    const file = { content: 'sha', source: '/a.png', type: 'image', name: 'a.png', bytes: 1 } as const;
    const uploads = new UploadStore(db);
    expect(() => uploads.intend(account, 'u1', { ...of, ...file }, 1)).toThrow('FOREIGN KEY');
    db.facts.exec('DROP TRIGGER fails');
    expect(uploads.intend(account, 'u1', { ...of, ...file }, 1)).toMatchObject({
      id: 'u1',
      state: 'intended',
      tries: 0,
    });
  });
});

describe('the service store', () => {
  it('learns how long tasks of a model take, and knows it after a restart', () => {
    const first = openDatabase(folder);
    const store = new ServiceStore(first);
    expect(store.learnedTaskTimes('https://a.example', 'one')).toBeNull();
    for (const seconds of [50, 10, 40, 20, 30]) store.learnTaskTime('https://a.example', 'one', seconds * 1000);
    const learned = { usual: 30_000, bulk: { early: 10_000, late: 50_000 } };
    expect(store.learnedTaskTimes('https://a.example', 'one')).toEqual(learned);
    first.close();
    const second = openDatabase(folder);
    expect(new ServiceStore(second).learnedTaskTimes('https://a.example', 'one')).toEqual(learned);
    expect(new ServiceStore(second).learnedTaskTimes('https://a.example', 'two')).toBeNull();
    second.close();
  });

  it('keeps the ceilings that are learned', () => {
    const account: Account = { origin: 'https://api.example', keyFingerprint: 'one' };
    const db = databaseOfTest();
    const store = new ServiceStore(db);
    expect(store.ceilings(account)).toEqual(new Map());
    store.saveCeiling(account, 'a', { own: 3, all: 5, triedAt: 1000.4, waitMs: 30_000 });
    store.saveCeiling(account, 'a', { own: 4, all: 6, triedAt: 2000, waitMs: 60_000 });
    store.saveCeiling(account, 'b', { own: 0, all: 1, triedAt: 1000, waitMs: 30_000 });
    store.saveCeiling(account, 'b', null);
    expect(store.ceilings(account)).toEqual(new Map([['a', { own: 4, all: 6, triedAt: 2000, waitMs: 60_000 }]]));
    expect(store.ceilings({ ...account, keyFingerprint: 'two' })).toEqual(new Map());
    expect(db.facts.pragma('integrity_check', { simple: true })).toBe('ok');
  });
});

it('the place where a window was last is kept', () => {
  const db = databaseOfTest();
  const places = new PlaceStore(db);
  expect(places.last()).toBeNull();
  const review = { view: 'review', projectId: 'film', detail: { take: 't' } } as const;
  places.keep({ view: 'queue', projectId: null, detail: {} });
  places.keep(review);
  expect(places.last()).toEqual(review);
  db.hints.prepare('UPDATE last_place SET place = ?').run('{"view":"cinema"}');
  expect(places.last()).toBeNull();
  expect(db.facts.pragma('integrity_check', { simple: true })).toBe('ok');
});
