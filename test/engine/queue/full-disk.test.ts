import { existsSync, renameSync } from 'node:fs';
import { afterEach, describe, expect, it, type TestContext } from 'vitest';
import { mountSmallDisk, type SmallDisk } from '../../support/small-disk.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shot, shots } from '../db/seed.ts';

const MINUTE = 60_000;

let world: World;
forEachTest((opened) => (world = opened));
let disk: SmallDisk | null = null;
afterEach(async () => {
  await world.stop();
  disk?.unmount();
  disk = null;
});

const downloads = () => world.service.ledger.downloads();

/** Failed tries that the jobs remember: a full disk must not count as one. */
const triesBurnt = () => world.sql(`SELECT SUM(facts ->> '$.tries') AS tries FROM jobs WHERE state = 'downloading'`);

function smallDisk(context: TestContext, path: string): SmallDisk {
  const mounted = mountSmallDisk(path, 2 * 1024 ** 2);
  if ('reason' in mounted) return context.skip(mounted.reason);
  disk = mounted;
  return mounted;
}

describe('a disk with too little room', () => {
  it('keeps everything from being sent, says why, and goes on by itself when there is room', async () => {
    world.freeBytes = 1024 ** 2;
    await world.begin(shots(2));
    await world.pass(10 * MINUTE);
    expect(world.service.ledger.received).toBe(0);
    const [gate] = world.engine.queue.status().gates;
    expect(gate).toMatchObject({
      reason: 'disk_low',
      message: expect.saying(/Only 1\.0 MB are free.*automatically/),
    });
    expect(world.journal(world.job('0001').id)).toEqual([]);

    world.freeBytes = 1024 ** 4;
    await world.comesTo({ saved: 2, posts: 2 });
  });

  it('keeps results where they are until there is room, while their tasks are still followed', async () => {
    await world.begin(shots(2));
    await world.until('acceptance', () => world.service.ledger.commits === 2);
    world.freeBytes = 0;
    await world.pass(10 * MINUTE);
    expect(world.jobs().map(({ state }) => state)).toEqual(['downloading', 'downloading']);
    expect(downloads()).toEqual([]);

    world.freeBytes = 1024 ** 4;
    await world.comesTo({ saved: 2, posts: 2 });
  });
});

describe('a disk that is full', () => {
  it('stops a shot before its POST when not even word of it can be left in the folder', async (context) => {
    const small = smallDisk(context, world.projectPath);
    await world.import(shots(2));
    small.fill();
    world.engine.queue.run({});
    await world.pass(3 * MINUTE);
    expect(world.service.ledger.received).toBe(0);
    expect(world.engine.queue.status().gates).toMatchObject([{ reason: 'disk_low' }]);
    const waiting = world.jobs().find(({ failure }) => failure);
    expect(waiting).toMatchObject({ state: 'ready', failure: { cost: 'nothing' } });
    expect(waiting?.failure?.message).saying(/disk of the project is full or read-only/);

    small.free();
    await world.comesTo({ saved: 2, posts: 2 });
  });

  it('pauses downloads in the middle, burns no try, and goes on when there is room', async (context) => {
    world = await World.open({ service: { tinyBytes: 400_000 } });
    const small = smallDisk(context, world.projectPath);
    await world.begin(shots(4));
    await world.until('acceptance', () => world.service.ledger.commits === 4);
    small.fill();
    await world.pass(3 * MINUTE);
    expect(world.counts()).toMatchObject({ saved: 0, unfinished: 4, failed: 0 });
    expect(world.engine.queue.status().gates).toMatchObject([{ reason: 'disk_low' }]);
    expect(triesBurnt()).toEqual([{ tries: 0 }]);

    small.free();
    await world.comesTo({ saved: 4, posts: 4 });
  });

  it('keeps the answer of a synchronous picture until it can be put away', async (context) => {
    world = await World.open({ service: { asyncImages: false, tinyBytes: 100_000, speed: { imageMs: 5000 } } });
    const small = smallDisk(context, world.projectPath);
    await world.begin([
      shot(1, { kind: 'image', model: 'image-demo', params: { response_format: 'b64_json' } }),
      shot(2),
    ]);
    await world.until('the synchronous submit', () => world.service.ledger.commits === 2);
    small.fill();
    await world.pass(3 * MINUTE);
    expect(world.job('0001').standing).toBe('unfinished');

    small.free();
    await world.comesTo({ saved: 2, commits: 2 });
  });

  it('under the database sends nothing, and the queue goes on by itself when there is room', async (context) => {
    const small = smallDisk(context, world.dataFolder);
    await world.import(shots(3));
    small.fill();
    world.engine.queue.run({});
    await world.pass(10 * MINUTE);
    expect(world.posts().length).toBe(0);
    expect(world.engine.queue.status().gates).toMatchObject([{ reason: 'database_rest' }]);

    small.free();
    await world.comesTo({ saved: 3, commits: 3 });
  });

  it('under the database just as tasks are accepted, keeps their ids and goes on by itself', async (context) => {
    const small = smallDisk(context, world.dataFolder);
    world.fault({ method: 'POST', times: 'always' }, { fault: 'drip', bytes: 40, pauseMs: 8000 });
    await world.begin(shots(3));
    await world.until('the submits', () => world.posts().length > 0);
    small.fill();
    await world.pass(10 * MINUTE);
    const { commits } = world.service.ledger;
    expect(commits).toBeGreaterThan(0);
    small.free();
    await world.comesTo({ saved: 3, commits: 3 });
  });
});

describe('a disk that turns read-only', () => {
  it('holds its shots back before their POST and its results where they are, until it can be written', async (context) => {
    world = await World.open({ service: { tinyBytes: 400_000 } });
    const small = smallDisk(context, world.projectPath);
    await world.import(shots(3));
    world.engine.jobs.hold(world.job('0003').id, 'user');
    world.engine.queue.run({});
    await world.until('acceptance', () => world.service.ledger.commits === 2);
    small.setWritable(false);
    world.engine.jobs.hold(world.job('0003').id, null);
    await world.pass(10 * MINUTE);
    world.has({ saved: 0, unfinished: 3, failed: 0, posts: 2 });
    expect(world.engine.queue.status().gates).toMatchObject([
      { reason: 'disk_low', message: expect.saying(/read-only.*automatically/) },
    ]);

    small.setWritable(true);
    await world.comesTo({ saved: 3, posts: 3 });
  });
});

describe('a project folder that is away', () => {
  const away = () => `${world.projectPath} (away)`;

  it('holds its shots back, is not made a second time, and continues when it is back', async () => {
    await world.import(shots(2));
    renameSync(world.projectPath, away());
    world.engine.queue.run({});
    await world.pass(3 * MINUTE);
    expect(world.posts()).toEqual([]);
    expect(existsSync(world.projectPath)).toBe(false);
    expect(world.job('0001')).toMatchObject({ state: 'ready', failure: { cost: 'nothing' } });

    renameSync(away(), world.projectPath);
    await world.comesTo({ saved: 2 });
  });

  it('is waited for by its results, even when some of its tasks fail meanwhile', async () => {
    world.fault({ method: 'POST', prompt: 'Shot 2' }, { fault: 'outcome', end: 'failed' });
    await world.begin(shots(2));
    await world.until('acceptance', () => world.service.ledger.commits === 2);
    renameSync(world.projectPath, away());
    await world.pass(3 * MINUTE);
    expect(world.job('0001')).toMatchObject({ state: 'downloading', failure: { code: 'project_away' } });
    expect(existsSync(world.projectPath)).toBe(false);

    renameSync(away(), world.projectPath);
    await world.comesTo({ saved: 1, failed: 1, posts: 2 });
  });
});
