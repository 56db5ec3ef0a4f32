import { continuesByItself } from '../../../src/contract/events.ts';
import { describe, expect, it } from 'vitest';
import { isSubmitBegun, forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

let world: World;
forEachTest((opened) => (world = opened));

describe('a machine that is about to sleep', () => {
  it('starts nothing more, and goes on when the machine wakes', async () => {
    await world.import([shot(1), shot(2)]);
    world.engine.queue.rest();
    world.engine.queue.run({});
    await world.pass(30 * SECOND);
    expect(world.posts()).toHaveLength(0);
    // Nobody has paused anything, and nobody is told so.
    expect(world.engine.queue.status().gates).toEqual([]);

    world.engine.queue.wake();
    await world.comesTo({ saved: 2 });
  });

  it.each([
    ['the machine is about to sleep', 'rest', 'wake'],
    ['a person pauses the queue', 'pause', 'resume'],
  ] as const)(
    'a shot that is just being prepared is not sent when %s, but afterwards',
    async (_what, hold, release) => {
      await world.import([shot(1)]);
      const stop = world.engine.subscribe((event) => {
        if (!isSubmitBegun(event)) return;
        stop();
        world.engine.queue[hold]();
      });
      world.engine.queue.run({});
      await world.pass(30 * SECOND);
      expect(world.posts()).toHaveLength(0);
      expect(world.job('0001')).toMatchObject({ state: 'ready', paused: null, failure: { cost: 'nothing' } });
      world.engine.queue[release]();
      await world.comesTo({ posts: 1 });
    },
  );

  it('goes on by itself when the sleep did not come, or its end was never reported', async () => {
    await world.import([shot(1)]);
    world.engine.queue.rest();
    world.engine.queue.run({});
    await world.pass(10 * MINUTE);
    expect(world.counts()).toMatchObject({ saved: 1 });
  });

  it('is told whether anything would go on without a person', async () => {
    const hasPendingWork = async () => continuesByItself(await world.engine.views.queue());
    await world.import([shot(1), shot(2)]);
    expect(await hasPendingWork()).toBe(false);
    world.engine.queue.pause();
    world.engine.queue.run({});
    expect(await hasPendingWork()).toBe(false);
    world.engine.queue.resume();
    expect(await hasPendingWork()).toBe(true);
    await world.settle();
    expect(await hasPendingWork()).toBe(false);

    world.key = null;
    await world.import([shot(1), shot(2), shot(3)]);
    await world.pass(MINUTE);
    expect(world.engine.queue.status().gates).toMatchObject([{ reason: 'key_missing' }]);
    expect(await hasPendingWork()).toBe(false);
  });

  it('leaves the pause of a person as it is', async () => {
    await world.import([shot(1)]);
    world.engine.queue.pause();
    world.engine.queue.run({});
    world.engine.queue.rest();
    world.engine.queue.wake();
    await world.pass(10 * MINUTE);
    expect(world.posts()).toHaveLength(0);
    expect((await world.engine.views.queue()).pausedByUser).toBe(true);
  });
});
