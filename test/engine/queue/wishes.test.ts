import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, vi } from 'vitest';
import { PauseReason } from '../../../src/contract/job.ts';
import { forEachTest, isSubmitBegun, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { databaseFile } from '../../../src/engine/db/open.ts';
import { DataFolderInUseError, lockHolder } from '../../../src/engine/base/instance-lock.ts';

const HOUR = 3_600_000;

let world: World;
forEachTest((opened) => (world = opened));

/** The state that the project folder's own files give for the first shot. */
function onDisk(): { recipe: string | undefined; manifest: string | undefined } {
  const row = world
    .manifest()
    .split('\r\n')
    .find((line) => line.startsWith('0001,'));
  return { recipe: world.recipe().state, manifest: row?.split(',')[2] };
}

/** A first shot whose submit hangs at the service, which has or has not made a task of it. */
async function whileSubmitting(commit: boolean): Promise<string> {
  world = await World.open({ settings: { submitTimeoutSeconds: 60 } });
  world.fault({ method: 'POST', prompt: 'Shot 1' }, { fault: 'hang', commit });
  await world.begin([shot(1)]);
  await world.until('a submit', () => world.posts().length === 1);
  return world.job('0001').id;
}

describe('a list that scouts', () => {
  it('sends the first take of every shot before a second one, and what waits takes on another order', async () => {
    world = await World.open({ settings: { concurrency: { submit: 1 } } });
    const list = [shot(1, { takes: 3 }), shot(2, { takes: 3 })];
    const sent = () => world.posts().map(({ body }) => (body as { prompt: string }).prompt.slice(-1));
    await world.run(list, { order: 'scout', cap: { takes: 3 } });
    expect(sent()).toEqual(['1', '2', '1']);
    await world.run(list, { order: 'list', cap: { takes: null } });
    expect(sent()).toEqual(['1', '2', '1', '1', '2', '2']);
  });
});

describe('a take that is held back', () => {
  it.each(PauseReason.options)('goes on when a person tries it again, though it was held for %s', async (reason) => {
    await world.import([shot(1)]);
    const { id } = world.job('0001');
    world.engine.jobs.hold(id, reason);
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'ready', paused: reason });
    expect(world.engine.jobs.retry(id)).toMatchObject({ ok: true });
    await world.comesTo({ saved: 1 });
  });
});

describe('cancelling', () => {
  it('keeps a shot that was not sent from ever being sent', async () => {
    await world.import([shot(1), shot(2)]);
    expect(world.engine.jobs.cancel(world.job('0001').id)).toMatchObject({ ok: true, job: { state: 'cancelled' } });
    await world.settle();
    expect(world.posts('0001')).toHaveLength(0);
    expect(world.counts()).toMatchObject({ cancelled: 1, saved: 1 });
  });

  it('stops following a task, which goes on at the service and can be followed again', async () => {
    world = await World.open({ service: { speed: { videoMs: HOUR } } });
    await world.begin([shot(1)]);
    await world.until('acceptance', () => world.job('0001').taskId !== undefined);
    const { id } = world.job('0001');
    expect(world.engine.jobs.cancel(id)).toMatchObject({ ok: true, job: { state: 'cancelled' } });
    const asked = world.service.ledger.received;
    await world.pass(2 * HOUR);
    expect(world.service.ledger.received).toBe(asked);

    expect(world.engine.jobs.retry(id)).toMatchObject({ ok: true, job: { state: 'polling' } });
    await world.comesTo({ '0001': 'saved', posts: 1 });
  });

  it('waits for a submit under way, and cancels what came of it', async () => {
    const drip = { fault: 'drip', bytes: 40, pauseMs: 5000 } as const;
    world.fault({ method: 'POST' }, drip);
    await world.begin([shot(1)]);
    await world.until('a submit', () => world.posts().length === 1);
    const { id } = world.job('0001');
    expect(world.engine.jobs.cancel(id)).toMatchObject({ ok: true });
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'cancelled', taskId: world.service.tasks.list()[0]?.id });
    await world.stop();
    expect(onDisk()).toEqual({ recipe: 'cancelled', manifest: 'cancelled' });
  });

  it('leaves a submit that turned out to be of unknown fate for a person to decide', async () => {
    const id = await whileSubmitting(true);
    world.engine.jobs.cancel(id);
    expect(await world.settle()).toEqual({ is: 'over' });
    expect(world.job('0001')).toMatchObject({ state: 'submit_unknown', failure: { cost: 'maybe' } });
  });

  it('lets a refusal that was already on its way stand', async () => {
    world = await World.open({ service: { speed: { imageMs: 5000 }, asyncImages: false } });
    const bad = { end: 'failed', message: 'Not allowed.' } as const;
    world.fault({ path: '/v1/images/generations' }, { fault: 'outcome', ...bad });
    await world.begin([shot(1, { kind: 'image', model: 'image-demo', params: {} })]);
    await world.until('a synchronous submit', () => world.posts().length === 2);
    world.engine.jobs.cancel(world.job('0001').id);
    expect(await world.settle()).toEqual({ is: 'over' });
    expect(world.job('0001')).toMatchObject({ state: 'rejected', failure: { cost: 'nothing' } });
    expect(world.engine.queue.status().gates).toEqual([]);
  });

  it('stops a download, and fetches the file when it is wanted after all', async () => {
    world = await World.open({ service: { tinyBytes: 200_000 } });
    world.fault({ path: '/media/*' }, { fault: 'stall', afterBytes: 100_000 });
    await world.begin([shot(1)]);
    await world.until('a download', () => world.service.ledger.downloads().length === 1);
    const { id } = world.job('0001');
    expect(world.engine.jobs.cancel(id)).toMatchObject({ ok: true, job: { state: 'cancelled' } });
    await world.comesTo({ '0001': 'cancelled' });
    expect(existsSync(join(world.projectPath, 'Day 1', '0001_t1.mp4'))).toBe(false);
    world.engine.jobs.retry(id);
    await world.comesTo({ '0001': 'saved', posts: 1 });
  });

  it('is refused for what is over', async () => {
    await world.run([shot(1)]);
    const { id } = world.job('0001');
    expect(world.engine.jobs.cancel(id)).toMatchObject({
      ok: false,
      problem: expect.saying(/ended or was cancelled already/),
    });
    expect(world.engine.jobs.retry(id)).toMatchObject({ ok: false, problem: expect.saying(/already saved/) });
  });
});

describe('holding a job back', () => {
  it('keeps it from being sent until it is let go', async () => {
    await world.import([shot(1), shot(2)]);
    world.engine.jobs.hold(world.job('0001').id, 'user');
    expect(await world.settle()).toEqual({ is: 'over' });
    expect(world.job('0001')).toMatchObject({ state: 'ready', paused: 'user', standing: 'unfinished' });
    expect(world.posts()).toHaveLength(1);
    world.engine.jobs.hold(world.job('0001').id, null);
    await world.comesTo({ saved: 2 });
  });

  it('never loses the task of a submit under way', async () => {
    world.fault({ method: 'POST' }, { fault: 'drip', bytes: 40, pauseMs: 5000 });
    await world.begin([shot(1)]);
    await world.until('a submit', () => world.posts().length === 1);
    world.engine.jobs.hold(world.job('0001').id, 'user');
    await world.settle();
    expect(world.job('0001')).toMatchObject({ state: 'accepted', paused: 'user' });
    expect(world.engine.jobs.retry(world.job('0001').id)).toMatchObject({ ok: true, job: { paused: null } });
    await world.comesTo({ '0001': 'saved', posts: 1 });
  });

  it('survives a restart', async () => {
    await world.import([shot(1)]);
    world.engine.jobs.hold(world.job('0001').id, 'user');
    await world.restart();
    await world.comesTo({ posts: 0 });
    expect(world.job('0001').paused).toBe('user');
  });
});

it('pausing the queue sends nothing new but brings home what was accepted', async () => {
  world = await World.open({ settings: { concurrency: { submit: 1 } } });
  await world.begin([shot(1), shot(2)]);
  await world.until('acceptance', () => world.job('0001').taskId !== undefined);
  world.engine.queue.pause();
  await world.pass(HOUR);
  world.has({ saved: 1, unfinished: 1, posts: 1 });
  expect(world.engine.queue.status().gates).toMatchObject([{ reason: 'paused_by_user' }]);
  world.engine.queue.resume();
  await world.comesTo({ saved: 2 });
});

describe('importing an edited list', () => {
  it('cancels the unsent take of a changed row, keeps the sent one, and makes a take of the new content @night', async () => {
    world = await World.open({ service: { speed: { videoMs: HOUR } } });
    await world.import([shot(1), shot(2)]);
    world.engine.jobs.hold(world.job('0002').id, 'user');
    world.engine.queue.run({});
    await world.until('acceptance', () => world.job('0001').taskId !== undefined);

    await world.run([shot(1, { prompt: 'Shot 11' }), shot(2, { prompt: 'Shot 22' })]);
    expect(world.jobs().map(({ shot: key, take, state, prompt }) => [key, take, state, prompt])).toEqual([
      ['0001', 1, 'saved', 'Shot 1'],
      ['0002', 1, 'cancelled', 'Shot 2'],
      ['0001', 2, 'saved', 'Shot 11'],
      ['0002', 2, 'saved', 'Shot 22'],
    ]);
    expect(world.posts('0002')).toHaveLength(0);
  });

  it('sends nothing of a list whose import was cut off, and all of it once it is imported again', async () => {
    await world.start();
    const many = Array.from({ length: 900 }, (_, index) => shot(index + 1));
    const cut = new AbortController();
    const project = await world.openProject();
    const request = { project, name: 'Day 1', listFolder: world.folder, source: 'list.csv', again: false };
    const importing = world.engine.batches.start({ ...request, shots: many, signal: cut.signal });
    cut.abort(new Error('cut off'));
    await expect(importing).rejects.toThrow('cut off');
    expect(await world.settle()).toEqual({ is: 'over' });
    await world.restart();
    expect(world.engine.recovery.interruptedImports).toEqual(['Day 1']);
    expect(await world.settle()).toEqual({ is: 'over' });
    expect(world.service.ledger.received).toBe(0);

    await world.run(many.slice(0, 2));
    expect(world.counts()).toMatchObject({ saved: 2 });
  });
});

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
