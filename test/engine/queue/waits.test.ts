import { describe, expect, it } from 'vitest';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { watchTurns } from '../../support/turns.ts';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { starting, submitsOf } from '../library/media.ts';

let world: World;

const fast = { submit: 1000, poll: 1000, download: 1000 };
const settings = { maxRate: fast, concurrency: { submit: 16, poll: 16, download: 16 } };
forEachTest((opened) => (world = opened), { settings });

const still = (index: number, changes: Partial<ShotSpec> = {}): ShotSpec =>
  shot(index, { kind: 'image', model: 'image-demo', params: {}, ...changes });

const film = (index: number, of: string, changes: Partial<ShotSpec> = {}): ShotSpec =>
  starting(index, `Shot://${of}`, { waitFor: 'pick', ...changes });

const pick = (key: string, take = 1): void => {
  world.engine.review.judge([world.job(key, take).id], { flag: 'pick' });
};
const unpick = (key: string, take = 1): void => {
  world.engine.review.judge([world.job(key, take).id], { flag: null });
};

describe('a row that waits for picks', () => {
  it('sends nothing until each shot that it names has a pick, and is sent with these', async () => {
    expect(
      await world.run([
        still(1, { takes: 2 }),
        still(2),
        shot(3, { waitFor: 'pick', params: { reference_images: ['Shot://0001', 'Shot://0002'] } }),
      ]),
    ).toEqual({ is: 'over' });
    expect(world.job('0003')).toMatchObject({ state: 'needs_assets', wait: 'pick', waitsFor: '0001' });
    pick('0001', 1);
    await world.settle();
    expect(world.job('0003')).toMatchObject({ wait: 'pick', waitsFor: '0002' });
    expect(submitsOf(world)).toEqual([]);
    pick('0002');
    await world.comesTo({ saved: 4 });
    expect(world.job('0003').from).toMatchObject([{ shot: '0001', take: 1 }, { shot: '0002' }]);
    expect(submitsOf(world)).toHaveLength(1);
  });

  it('follows a pick and one that is taken back within five seconds, without polling', async () => {
    await world.run([still(1), film(2, '0001')]);
    const { updatedAt } = world.job('0002');
    await world.pass(1_800_000);
    expect(world.job('0002').updatedAt).toBe(updatedAt);
    world.engine.queue.pause();
    pick('0001');
    await world.until('its wait is over', () => world.job('0002').wait === undefined);
    unpick('0001');
    await world.until('it waits again', () => world.job('0002').wait === 'pick');
    world.engine.queue.resume();
    await world.settle();
    expect(submitsOf(world)).toEqual([]);
    pick('0001');
    const pickedAt = world.clock.now();
    await world.until('it is sent', () => submitsOf(world).length > 0);
    expect(world.clock.now() - pickedAt).toBeLessThan(5000);
  });

  it('uses the pick of the moment when it is sent, and a pick that moves later adds nothing', async () => {
    await world.run([still(1, { takes: 2 }), film(2, '0001')]);
    world.engine.queue.pause();
    pick('0001', 1);
    pick('0001', 2);
    world.engine.queue.resume();
    await world.comesTo({ saved: 3 });
    expect(world.job('0002').from).toMatchObject([{ take: 2 }]);
    pick('0001', 1);
    await world.settle();
    expect(world.counts()).toMatchObject({ saved: 3, unfinished: 0 });
    expect(submitsOf(world)).toHaveLength(1);
  });

  it('goes on waiting when all takes of its shot failed or were rejected, and says so', async () => {
    world.fault({ method: 'POST', prompt: 'Shot 1' }, { fault: 'status', status: 400 });
    await world.run([still(1), film(2, '0001'), still(3), film(4, '0003')]);
    expect(world.job('0002')).toMatchObject({ state: 'needs_assets', wait: 'failed', waitsFor: '0001' });
    world.engine.review.judge([world.job('0003').id], { flag: 'reject' });
    await world.settle();
    expect(world.job('0004')).toMatchObject({ state: 'needs_assets', wait: 'failed', waitsFor: '0003' });
    world.engine.jobs.retry(world.job('0001').id);
    await world.until('the take is there', () => world.job('0001').state === 'saved');
    await world.settle();
    expect(world.job('0002')).toMatchObject({ wait: 'pick' });
    expect(submitsOf(world)).toEqual([]);
  });
});

describe('a row that waits for a release', () => {
  it('is sent when a person releases it, which can be undone until then', async () => {
    await world.run([shot(1, { waitFor: 'release' }), shot(2)]);
    expect(world.job('0001')).toMatchObject({ state: 'needs_assets', wait: 'release' });
    expect(submitsOf(world)).toHaveLength(1);
    world.engine.queue.pause();
    const ids = [world.job('0001').id];
    const done = await world.act('jobs.release', { ids, released: true });
    expect(done?.result).toMatchObject({ done: 1 });
    expect(world.job('0001').wait).toBeUndefined();
    await world.engine.commands.undo(done?.undo ?? '', 'window');
    expect(world.job('0001').wait).toBe('release');
    world.engine.queue.resume();
    await world.settle();
    expect(submitsOf(world)).toHaveLength(1);
    const again = await world.act('jobs.release', { ids, released: true });
    await world.comesTo({ saved: 2 });
    await expect(world.engine.commands.undo(again?.undo ?? '', 'window')).rejects.toThrow();
  });

  it('keeps its release when it is retried, and loses none when the process is killed', async () => {
    world.fault({ method: 'POST', prompt: 'Shot 1' }, { fault: 'status', status: 400 });
    await world.run([shot(1, { waitFor: 'release' })]);
    await world.act('jobs.release', { ids: [world.job('0001').id], released: true });
    await world.kill();
    await world.start();
    await world.settle();
    expect(world.job('0001').state).toBe('rejected');
    world.engine.jobs.retry(world.job('0001').id);
    await world.comesTo({ saved: 1 });
  });
});

it('500 rows are released, and wait again, in turns below 50 ms', async () => {
  await world.run(Array.from({ length: 500 }, (_none, index) => shot(index + 1, { waitFor: 'release' })));
  world.engine.queue.pause();
  const ids = world.jobs().map(({ id }) => id);
  const waiting = () => world.jobs().filter(({ wait }) => wait === 'release').length;
  const turns = watchTurns();
  const done = await world.act('jobs.release', { ids, released: true });
  const release = turns.stop();
  expect([done?.result.done, waiting()]).toEqual([500, 0]);
  const again = watchTurns();
  await world.engine.commands.undo(done?.undo ?? '', 'window');
  const undo = again.stop();
  expect(waiting()).toBe(500);
  expect(Math.max(release.longestMs, undo.longestMs)).toBeLessThan(50);
});

it('a pick that 500 rows wait for lets all of them go, in turns below 50 ms', async () => {
  await world.run([still(1), ...Array.from({ length: 500 }, (_none, index) => film(index + 2, '0001'))]);
  world.engine.queue.pause();
  const turns = watchTurns();
  pick('0001');
  await world.until('no row waits', () => world.jobs().every(({ wait }) => wait === undefined));
  const { longestMs } = turns.stop();
  expect(longestMs).toBeLessThan(50);
});
