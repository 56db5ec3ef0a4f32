import { describe, expect, it } from 'vitest';
import type { Fault } from '../../support/demo/service.ts';
import { forEachTest, isSubmitBegun, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { continuesByItself } from '../../../src/contract/events.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let world: World;
forEachTest((opened) => (world = opened));

const polls = () => world.service.ledger.gets().filter(({ path }) => path.startsWith('/v1/videos/')).length;

/** Two takes whose tasks the service works on. */
async function followed(fault?: Fault): Promise<void> {
  world = await World.open({ service: { speed: { videoMs: 10 * MINUTE, jitter: 0 } } });
  if (fault) world.fault({ method: 'GET', path: '/v1/videos/*' }, fault);
  await world.begin([shot(1), shot(2)]);
  await world.until('polls', () => polls() > (fault ? 0 : 4));
}

describe.each([
  { by: 'an hour', ms: HOUR },
  { by: 'a year', ms: 365 * 24 * HOUR },
])('a clock that is set back by $by', ({ ms }) => {
  it('stops no poll while the queue runs', async () => {
    await followed();
    const before = polls();
    world.clock.setBack(ms);
    await world.pass(2 * MINUTE);
    expect(polls()).toBeGreaterThan(before + 2);
  });

  it('stops no poll when it was set back before the start', async () => {
    await followed();
    await world.stop();
    const before = polls();
    world.clock.setBack(ms);
    await world.start();
    world.engine.queue.run({});
    await world.pass(2 * MINUTE);
    expect(polls()).toBeGreaterThan(before + 2);
  });

  it('ends the wait after a 429, which the service may ask for once more', async () => {
    await followed({ fault: 'rate-limit', seconds: 600 });
    const before = polls();
    world.clock.setBack(ms);
    await world.pass(2 * MINUTE);
    expect(polls()).toBeGreaterThan(before);
  });

  it('is noticed at the next beat of the host, though the queue sleeps for hours', async () => {
    await followed({ fault: 'rate-limit', seconds: 10 * 3600 });
    const before = polls();
    world.engine.beat(true);
    await world.pass(2 * HOUR);
    expect(polls()).toBe(before);
    world.clock.setBack(ms);
    await world.pass(MINUTE);
    world.engine.beat(true);
    await world.pass(MINUTE);
    expect(polls()).toBeGreaterThan(before);
  });

  it('stops neither submits nor downloads', async () => {
    world.fault({ method: 'GET', path: '/media/*' }, { fault: 'rate-limit', seconds: 600 });
    await world.begin([shot(1)]);
    await world.until('the 429', () => world.service.ledger.downloads().length === 1);
    await world.service.faults.outage({ answer: 'refused' });
    await world.import([shot(1), shot(2)]);
    await world.pass(2 * MINUTE);
    world.clock.setBack(ms);
    await world.service.faults.lift();
    await world.pass(2 * MINUTE);
    expect(world.job('0001').state).toBe('saved');
    expect(world.posts('0002')).toHaveLength(1);
  });

  it('leaves a task its deadline', async () => {
    world = await World.open({ settings: { deadlineHours: 1 } });
    world.fault({ method: 'POST' }, { fault: 'outcome', end: 'never' });
    await world.begin([shot(1)]);
    await world.until('polls', () => polls() > 2);
    world.clock.setBack(ms);
    await world.pass(1.5 * HOUR);
    expect(world.job('0001')).toMatchObject({ paused: 'deadline', standing: 'unknown' });
  });
});

const SECOND = 1000;
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
