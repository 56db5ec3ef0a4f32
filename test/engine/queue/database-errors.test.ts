import { errorSaying } from '../../support/saying.ts';
import Database from 'better-sqlite3';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NightWindow } from '../../../src/contract/night-window.ts';
import type { Fault } from '../../support/demo/service.ts';
import { databaseFile } from '../../../src/engine/db/open.ts';
import { readRecipe } from '../../../src/engine/projects/recipe-file.ts';
import { isSubmitBegun, forEachTest, type World } from '../../support/world.ts';
import { shots } from '../db/seed.ts';

const MINUTE = 60_000;

let world: World;
forEachTest((opened) => (world = opened));

/** The clock of a world begins on a Monday at 20:00 UTC. */
const closedNow: NightWindow = { days: ['mon'], opens: '23:00', closes: '23:30', timeZone: 'UTC' };

const refuse = (when: string): string =>
  `CREATE TRIGGER broken BEFORE ${when} BEGIN SELECT RAISE(ABORT, 'the disk is broken'); END`;

describe('a database that fails', () => {
  it.each([
    { what: 'the journal is gone', sql: 'DROP TABLE attempts' },
    { what: 'the journal cannot be written', sql: refuse('INSERT ON attempts') },
    { what: 'the intent cannot be written', sql: refuse(`UPDATE ON jobs WHEN NEW.state = 'submitting'`) },
    { what: 'no job can be written', sql: refuse('UPDATE ON jobs') },
    { what: 'the jobs are gone', sql: 'ALTER TABLE jobs RENAME TO elsewhere' },
  ])('sends nothing at all when $what, and says so', async ({ sql }) => {
    await world.import(shots(3));
    world.sql(sql);
    const settled = await world.settle();
    expect(settled).toMatchObject({ is: 'halted', gate: { reason: 'database', until: null } });
    expect(settled).toMatchObject({ gate: { message: expect.saying(/Nothing more is sent/) } });
    expect(world.service.ledger.received).toBe(0);
    await world.pass(3_600_000);
    expect(world.service.ledger.received).toBe(0);
  });

  it.each([
    { what: 'cap', table: 'caps', limit: { cap: { takes: 1 } }, sent: [1, 1] },
    { what: 'night window', table: 'windows', limit: { window: closedNow }, sent: [0, 3] },
  ])('sends nothing of a start before its $what is stored, while the queue works', async ({ table, limit, sent }) => {
    await world.start();
    world.engine.queue.run({});
    world.sql(refuse(`INSERT ON ${table}`));
    await expect(world.import(shots(3), limit)).rejects.toThrow('the disk is broken');
    expect(world.counts()).toMatchObject({ unfinished: 3 });
    await world.pass(60 * MINUTE);
    expect(world.service.ledger.received).toBe(0);
    world.sql('DROP TRIGGER broken');
    await world.import(shots(3), limit);
    for (const posts of sent) {
      await world.pass(90 * MINUTE);
      expect(world.posts()).toHaveLength(posts);
    }
  });

  it('after a POST sends no other, and the next start goes on with the task, whose id lies in the recipe', async () => {
    await world.import(shots(3));
    world.sql(refuse(`UPDATE ON jobs WHEN NEW.state = 'accepted'`));
    expect(await world.settle()).toMatchObject({ is: 'halted', gate: { reason: 'database' } });
    expect(world.posts()).toHaveLength(1);

    await world.stop();
    world.sql('DROP TRIGGER broken');
    await world.start();
    expect(world.engine.recovery.unknownSubmits).toBe(0);
    await world.comesTo({ unknown: 0, saved: 3, commits: 3 });
  });

  it('does not stop the program when it fails while a poll is being written', async () => {
    await world.begin(shots(2));
    await world.until('acceptance', () => world.service.ledger.commits === 2);
    world.sql(refuse('UPDATE ON jobs'));
    expect(await world.settle()).toMatchObject({ is: 'halted', gate: { reason: 'database' } });
    await world.stop();
    world.sql('DROP TRIGGER broken');
    await world.start();
    await world.comesTo({ saved: 2, posts: 2 });
  });

  it('lets a new start say what is wrong instead of sending', async () => {
    await world.import(shots(1));
    await world.stop();
    const [{ user_version: version }] = world.sql('PRAGMA user_version') as [{ user_version: number }];
    world.sql('PRAGMA user_version = 999999');
    await expect(world.start()).rejects.toThrow(errorSaying(/newer/));
    world.sql(`PRAGMA user_version = ${String(version)}`);
    await world.start();
    await world.comesTo({ saved: 1 });
  });
});

describe('a database that another program has locked', () => {
  /** Holds the lock until the returned function is called. */
  function lock(): () => void {
    const other = new Database(databaseFile(world.dataFolder));
    other.exec('BEGIN IMMEDIATE');
    return () => void other.close();
  }

  const gates = () => world.engine.queue.status().gates;

  it('is a gate with a time: nothing is sent, and the queue goes on by itself when it is free', async () => {
    await world.import(shots(3));
    const unlock = lock();
    world.engine.queue.run({});
    await world.pass(10 * MINUTE);
    expect(world.service.ledger.received).toBe(0);
    expect(gates()).toMatchObject([{ reason: 'database_rest', message: expect.saying(/locked/) }]);
    expect(gates()[0]?.until).toBeGreaterThan(world.clock.now());
    unlock();
    await world.comesTo({ saved: 3, posts: 3 });
  });

  it('holds up polls and downloads no longer than it is locked', async () => {
    await world.begin(shots(3));
    await world.until('acceptance', () => world.service.ledger.commits === 3);
    const unlock = lock();
    await world.pass(10 * MINUTE);
    expect(world.counts()).toMatchObject({ saved: 0, unfinished: 3 });
    unlock();
    await world.comesTo({ saved: 3, posts: 3 });
  });

  /** Locked while the first shot is on its way to the service. */
  async function lockedWhileSubmitting(fault?: Fault): Promise<() => void> {
    const drip: Fault = { fault: 'drip', bytes: 40, pauseMs: 8000 };
    world.fault({ method: 'POST' }, fault ?? drip);
    await world.import(shots(1));
    let unlock: (() => void) | null = null;
    world.engine.subscribe((event) => {
      if (event.type === 'job' && event.job.state === 'submitting') unlock ??= lock();
    });
    world.engine.queue.run({});
    await world.until('the lock', () => unlock !== null);
    await world.pass(10 * MINUTE);
    world.has({ '0001': 'submitting', posts: 1 });
    expect(gates()).toMatchObject([{ reason: 'database_rest' }]);
    return () => unlock?.();
  }

  it('is told at once with the task when the disk of the project does not take it either @night', async () => {
    const drip: Fault = { fault: 'drip', bytes: 40, pauseMs: 8000 };
    world.fault({ method: 'POST' }, drip);
    await world.import(shots(1));
    let unlock: (() => void) | null = null;
    world.engine.subscribe((event) => {
      if (event.type !== 'job' || event.job.state !== 'submitting' || unlock) return;
      unlock = lock();
      renameSync(world.projectPath, `${world.projectPath} (away)`);
    });
    world.engine.queue.run({});
    await world.until('the lock', () => unlock !== null);
    await world.pass(10 * MINUTE);
    const [task] = world.service.tasks.list();
    expect(world.saidAtOnce).toEqual([expect.saying(new RegExp(`0001.*${task?.id ?? ''}`))]);
    await world.stop();
    expect(world.saidAtOnce).toHaveLength(1);
    (unlock as (() => void) | null)?.();
    renameSync(`${world.projectPath} (away)`, world.projectPath);
    await world.start();
    expect(world.job('0001').state).toBe('submit_unknown');
    world.engine.jobs.resolve(world.job('0001').id, { action: 'attach', taskId: task?.id ?? '' });
    await world.comesTo({ saved: 1, posts: 1 });
  });

  it('goes into the recipe as soon as that can be written, though the database still takes nothing', async () => {
    world.fault({ method: 'POST' }, { fault: 'drip', bytes: 40, pauseMs: 8000 });
    await world.import(shots(1));
    const takes = join(world.projectPath, '.dailies', 'takes');
    let unlock: (() => void) | null = null;
    world.engine.subscribe((event) => {
      if (event.type !== 'job' || event.job.state !== 'submitting' || unlock) return;
      unlock = lock();
      renameSync(takes, `${takes} elsewhere`);
      writeFileSync(takes, 'no folder');
    });
    world.engine.queue.run({});
    await world.until('the lock', () => unlock !== null);
    await world.pass(10 * MINUTE);
    expect(world.saidAtOnce).toHaveLength(1);
    rmSync(takes);
    renameSync(`${takes} elsewhere`, takes);
    const { id } = world.job('0001');
    await world.stop();
    expect(await readRecipe(world.projectPath, id)).toMatchObject({ state: 'accepted' });
    (unlock as (() => void) | null)?.();
    await world.start();
    await world.comesTo({ saved: 1, unknown: 0, posts: 1 });
  });

  it('just as a task is accepted, keeps the id in memory until it can be written', async () => {
    const unlock = await lockedWhileSubmitting();
    unlock();
    await world.comesTo({ saved: 1, posts: 1 });
  });

  it.each([
    { end: 'a stop', leave: () => world.stop() },
    { end: 'a kill', leave: () => world.kill() },
  ])('just as a task is accepted, and until $end, has the id from the recipe at the next start', async ({ leave }) => {
    const unlock = await lockedWhileSubmitting();
    await leave();
    unlock();
    await world.start();
    expect(world.engine.recovery.unknownSubmits).toBe(0);
    expect(world.job('0001')).toMatchObject({ state: 'accepted', taskId: world.service.tasks.list()[0]?.id });
    await world.comesTo({ saved: 1, posts: 1 });
  });

  it('just as a shot is refused, leaves no doubt about money at the next start', async () => {
    const unlock = await lockedWhileSubmitting({ fault: 'status', status: 400 });
    await world.stop();
    unlock();
    await world.start();
    expect(world.engine.recovery.unknownSubmits).toBe(0);
    expect(world.job('0001')).toMatchObject({ state: 'rejected', failure: { cost: 'nothing', httpStatus: 400 } });
  });

  it('just as a 429 comes, leaves it a clear 429', async () => {
    const unlock = await lockedWhileSubmitting({ fault: 'rate-limit', seconds: 60 });
    unlock();
    await world.comesTo({ saved: 1, commits: 1 });
  });

  it('just as the intent is written, sends nothing and leaves no word of a submit', async () => {
    await world.import(shots(1));
    let unlock: (() => void) | null = null;
    world.engine.subscribe((event) => {
      if (isSubmitBegun(event)) unlock ??= lock();
    });
    world.engine.queue.run({});
    await world.pass(10 * MINUTE);
    expect(unlock).not.toBeNull();
    expect(world.posts()).toEqual([]);
    expect((await readRecipe(world.projectPath, world.job('0001').id))?.state).toBe('ready');
    (unlock as (() => void) | null)?.();
    await world.comesTo({ saved: 1, posts: 1 });
  });
});
