import Database from 'better-sqlite3';
import { describe, expect, it, vi } from 'vitest';
import { databaseFile } from '../../../src/engine/db/open.ts';
import { DataFolderInUseError, lockHolder } from '../../../src/engine/base/instance-lock.ts';
import { isSubmitBegun, forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

let world: World;
forEachTest((opened) => (world = opened));

async function running(shots: number): Promise<void> {
  await world.begin(Array.from({ length: shots }, (_, index) => shot(index + 1)));
}

/** Sockets of this process that are open. */
const openSockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

describe('stopping', () => {
  it('waits for a submit under way, and keeps its answer', async () => {
    world.fault({ method: 'POST' }, { fault: 'drip', bytes: 40, pauseMs: 8000 });
    await running(3);
    await world.until('a submit', () => world.posts().length > 0);
    const sent = world.posts().length;
    await world.stop();
    expect(world.posts()).toHaveLength(sent);
    await world.start();
    expect(world.engine.recovery.unknownSubmits).toBe(0);
    expect(world.job('0001')).toMatchObject({ state: 'accepted', taskId: world.service.tasks.list()[0]?.id });
    await world.comesTo({ saved: 3, posts: 3 });
  });

  it.each([
    { what: 'poll', path: '/v1/videos/*' },
    { what: 'download', path: '/media/*' },
  ])('cuts a $what short at once, and goes on with it later', async ({ path }) => {
    world.fault({ method: 'GET', path }, { fault: 'hang' });
    await running(1);
    await world.until('it', () => world.service.ledger.entries.some(({ ending }) => ending === 'hung'));
    const before = world.clock.now();
    await world.stop();
    expect(world.clock.now()).toBe(before);
    await world.start();
    await world.comesTo({ '0001': 'saved', posts: 1 });
  });

  it('leaves nothing running: no timer, no connection', async () => {
    const socketsBefore = openSockets();
    world.fault({ method: 'GET', path: '/media/*' }, { fault: 'stall' });
    await running(6);
    await world.until('downloads', () => world.service.ledger.downloads().length > 1);
    await world.stop();
    await world.rest();
    expect(world.clock.nextWakeAt()).toBeNull();
    expect(openSockets()).toBe(socketsBefore);
  });

  it('leaves nothing running right after a person decided something, and the folder tells of it', async () => {
    world.fault({ method: 'POST' }, { fault: 'reset' });
    await running(1);
    await world.settle();
    await world.pass(1000);
    world.engine.jobs.resolve(world.job('0001').id, { action: 'lost' });
    await world.stop();
    await world.rest();
    expect(world.clock.nextWakeAt()).toBeNull();
    expect(world.recipe().state).toBe('result_lost');
    expect(world.manifest()).toContain('result_lost');
  });

  it('sends nothing of what was only being prepared', async () => {
    await world.import([shot(1)]);
    let stopped: Promise<void> | null = null;
    world.engine.subscribe((event) => {
      if (isSubmitBegun(event)) stopped ??= world.stop();
    });
    world.engine.queue.run({});
    await world.until('the stop', () => stopped !== null);
    await stopped;
    expect(world.posts()).toEqual([]);
    await world.start();
    expect(world.job('0001').state).toBe('ready');
    await world.comesTo({ posts: 1 });
  });

  it('closes the database before another engine may have the data folder', async () => {
    const engine = await world.start();
    const isHeldAtClose: boolean[] = [];
    const { close } = Database.prototype;
    const closing = vi.spyOn(Database.prototype, 'close').mockImplementation(function (this: Database.Database) {
      if (this.name === databaseFile(world.dataFolder)) isHeldAtClose.push(lockHolder(world.dataFolder) !== null);
      return close.call(this);
    });
    await engine.stop();
    closing.mockRestore();
    expect(isHeldAtClose).toEqual([true, true]);
    expect(lockHolder(world.dataFolder)).toBeNull();
  });

  it('frees the data folder, which nobody else could use meanwhile', async () => {
    const engine = await world.start();
    await expect(world.start()).rejects.toThrow(DataFolderInUseError);
    await engine.stop();
    await expect(world.start()).resolves.toBeDefined();
  });
});

describe('a shot that is just being prepared', () => {
  it.each([
    { done: 'cancelled', state: 'cancelled', make: (id: string) => world.engine.jobs.cancel(id) },
    { done: 'held back', state: 'ready', make: (id: string) => world.engine.jobs.hold(id, 'user') },
  ])('is not sent when it is $done, and its recipe speaks of no submit', async ({ state, make }) => {
    await world.import([shot(1)]);
    let commands = 0;
    world.engine.subscribe((event) => {
      if (isSubmitBegun(event) && (commands += 1) === 1) make(world.job('0001').id);
    });
    expect(await world.settle()).toEqual({ is: 'over' });
    await world.stop();
    expect(commands).toBeGreaterThan(0);
    expect(world.posts()).toEqual([]);
    expect(world.recipe().state).toBe(state);
  });
});
