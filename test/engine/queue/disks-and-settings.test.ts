import { sayText } from '../../../src/contract/messages/words.ts';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Settings } from '../../../src/contract/settings.ts';
import { DueJobs } from '../../../src/engine/db/due-jobs.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const MB = 1024 ** 2;

let world: World;
forEachTest((opened) => (world = opened));

/** A second project, on a disk of its own. */
async function startElsewhere(name: string, shots: number): Promise<string> {
  const path = join(world.folder, name);
  mkdirSync(path);
  const project = await world.engine.projects.open(path);
  await world.engine.batches.start({
    project,
    name: 'Day 1',
    listFolder: world.folder,
    source: 'list.csv',
    shots: Array.from({ length: shots }, (_, index) => shot(100 + index)),
    again: false,
  });
  return path;
}

const gates = () => world.engine.queue.status().gates;
const savedOf = (project: string) =>
  world.jobs().filter((job) => job.project === project && job.state === 'saved').length;

describe('a project whose disk is nearly full', () => {
  it('holds back no project on another disk, and is named', async () => {
    await world.import([shot(1), shot(2), shot(3)]);
    await startElsewhere('reel', 2);
    world.disks.set(world.projectPath, 12 * MB);
    world.engine.queue.run({});
    await world.pass(10 * MINUTE);
    expect(savedOf('reel')).toBe(2);
    expect(world.jobs().filter(({ project }) => project === 'film')).toMatchObject(
      [1, 2, 3].map(() => ({ state: 'ready' })),
    );
    expect(gates()).toMatchObject([{ reason: 'disk_low', message: expect.saying(/12\.6 MB.*“film”/) }]);

    world.disks.delete(world.projectPath);
    await world.comesTo({ saved: 5, posts: 5 });
  });

  it('is not full where its system frees room for a program that writes', async () => {
    world = await World.open({ settings: { minFreeBytes: 100 * MB } });
    world.freeBytes = 0;
    const asked: [string, number][] = [];
    world.makesRoom = (folder, bytes) => asked.push([folder, bytes]) > 0;
    expect(await world.run([shot(1)])).toEqual({ is: 'over' });
    expect(world.counts()).toMatchObject({ saved: 1 });
    expect(asked).toContainEqual([world.dataFolder, 64 * 1000 ** 2]);
    expect(asked).toContainEqual([world.projectPath, 100 * MB]);
    expect(asked.at(-1)?.[1], 'of a download, with what is to come').toBeGreaterThan(100 * MB);
  });

  it('leaves results of others their way home', async () => {
    await world.import([shot(1)]);
    await startElsewhere('reel', 1);
    world.engine.queue.run({});
    await world.until('acceptance', () => world.service.ledger.commits === 2);
    world.disks.set(world.projectPath, 0);
    await world.pass(10 * MINUTE);
    expect(savedOf('reel')).toBe(1);
    expect(world.job('0001')).toMatchObject({ state: 'downloading' });

    world.disks.delete(world.projectPath);
    await world.comesTo({ saved: 2 });
  });

  it('goes on at once where it is moved to another disk', async () => {
    await world.import([shot(1)]);
    world.disks.set(world.projectPath, 0);
    world.engine.queue.run({});
    await world.pass(SECOND);
    expect(gates()).toHaveLength(1);
    const [project] = world.engine.stores.projects.list();
    renameSync(world.projectPath, join(world.folder, 'roomy'));
    const movedAt = world.clock.now();
    await world.engine.projects.relink(project?.id ?? '', join(world.folder, 'roomy'));
    await world.until('a submit', () => world.posts().length === 1);
    expect(world.clock.now() - movedAt).toBeLessThan(SECOND);
  });

  it('costs the others little time, however many of its takes wait before theirs @night', async () => {
    world = await World.open({ settings: { maxRate: { submit: 50 } } });
    await world.import(Array.from({ length: 300 }, (_, index) => shot(index + 1000)));
    await startElsewhere('reel', 40);
    world.disks.set(world.projectPath, 0);
    const claims = vi.spyOn(DueJobs.prototype, 'claim');
    world.engine.queue.run({});
    const startedAt = world.clock.now();
    await world.until('the other project to be done', () => world.counts().saved === 40);
    const past = claims.mock.calls.filter(([, , , , passedOver]) => (passedOver?.projects?.length ?? 0) > 0);
    claims.mockRestore();
    const seconds = (world.clock.now() - startedAt) / SECOND;
    expect(past.length).toBeGreaterThan(0);
    expect(past.length).toBeLessThanOrEqual(2 * 4 * (seconds + 1));
  });

  it('is reported for each disk, once', async () => {
    await world.import([shot(1), shot(2)]);
    const reel = await startElsewhere('reel', 2);
    world.disks.set(world.projectPath, 12 * MB).set(reel, 7 * MB);
    world.engine.queue.run({});
    await world.pass(MINUTE);
    expect(gates().map(({ message }) => /“(\w+)”/.exec(sayText(message))?.[1])).toEqual(['film', 'reel']);
    expect(world.service.ledger.received).toBe(0);
  });
});

describe('too little room where the database lies', () => {
  it('holds everything back: an id that cannot be written down would be lost', async () => {
    await world.import([shot(1)]);
    world.disks.set(world.dataFolder, 3 * MB);
    world.engine.queue.run({});
    await world.pass(MINUTE);
    expect(world.service.ledger.received).toBe(0);
    expect(gates()).toMatchObject([
      {
        reason: 'disk_low',
        message: expect.objectContaining({ values: expect.objectContaining({ folder: world.dataFolder }) }),
      },
    ]);

    world.disks.delete(world.dataFolder);
    await world.comesTo({ saved: 1 });
  });
});

describe('a setting that is corrected', () => {
  const changeTo = (change: object) =>
    world.engine.updateSettings(Settings.parse({ baseUrl: world.service.url, ...change }));

  it('lets the queue look at the disk again at once', async () => {
    world.freeBytes = 100 * MB;
    await world.begin([shot(1)]);
    await world.pass(SECOND);
    expect(gates()).toMatchObject([{ reason: 'disk_low' }]);
    const changedAt = world.clock.now();
    changeTo({ minFreeBytes: 50 * MB });
    await world.until('a submit', () => world.posts().length === 1);
    expect(world.clock.now() - changedAt).toBeLessThan(SECOND);
  });

  it('lets the queue try another address at once', async () => {
    await world.start({ baseUrl: 'http://127.0.0.1:9' });
    await world.begin([shot(1)]);
    await world.pass(MINUTE);
    expect(gates()).toMatchObject([{ reason: 'unreachable' }]);
    const changedAt = world.clock.now();
    changeTo({});
    await world.until('a submit', () => world.posts().length === 1);
    expect(world.clock.now() - changedAt).toBeLessThan(SECOND);
  });

  it('lets sends go on at another address after unclear answers of the first; another key does not', async () => {
    world = await World.open({ settings: { concurrency: { submit: 1 } } });
    const unclear = { match: { method: 'POST', times: 5 }, do: { fault: 'reset', commit: true } } as const;
    world.service.faults.add(unclear);
    await world.begin(Array.from({ length: 7 }, (_, index) => shot(index + 1)));
    await world.until('the breaker', () => gates().some(({ reason }) => reason === 'breaker'));
    expect(world.counts()).toMatchObject({ unknown: 5 });
    world.engine.keyChanged();
    await world.pass(SECOND);
    expect(gates()).toMatchObject([{ reason: 'breaker' }]);
    expect(world.posts()).toHaveLength(5);
    changeTo({ baseUrl: world.service.url.replace('127.0.0.1', 'localhost') });
    expect(gates()).toEqual([]);
    await world.comesTo({ saved: 2, unknown: 5, posts: 7 });
  });

  it('that has nothing to do with a refused key does not have it asked again', async () => {
    world = await World.open({ key: 'wrong' });
    expect(await world.run([shot(1)])).toMatchObject({ is: 'halted', gate: { reason: 'key_refused' } });
    const asked = world.service.ledger.received;
    changeTo({ appearance: 'light' });
    await world.pass(MINUTE);
    expect(world.service.ledger.received).toBe(asked);
    expect(gates()).toMatchObject([{ reason: 'key_refused' }]);
  });
});
