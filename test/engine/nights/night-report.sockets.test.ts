import { describe, expect, it } from 'vitest';
import { toWaits } from '../../../src/engine/nights/nights.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shots } from '../db/seed.ts';

const HOUR = 3_600_000;

let world: World;
forEachTest((opened) => (world = opened));

const projectId = () => world.projectId;
const report = (hours = 12) => {
  const until = world.clock.now() + 1;
  return world.engine.nights.report({ since: until - hours * HOUR, until, projectId: projectId() });
};

describe('the report of a night', () => {
  it('counts its takes, requests, failures and what they cost against what was expected', async () => {
    world = await World.open({
      settings: { prices: [{ model: 'vgen-*', per: 'take', price: 2 }], currency: 'USD', concurrency: { submit: 1 } },
    });
    world.fault({ method: 'POST', nth: 1 }, { fault: 'status', status: 400 });
    world.fault({ method: 'POST', nth: 2 }, { fault: 'status', status: 502 });
    world.fault({ method: 'POST', nth: 3 }, { fault: 'status', status: 429 });
    await world.run(shots(6));
    expect(await report()).toMatchObject({
      project: { id: projectId() },
      takes: { saved: 4, failed: 1, unknown: 1, cancelled: 0, unfinished: 0 },
      failures: [{ code: 'demo_fault', takes: 1, shots: ['0001'], charged: 0 }],
      decisions: [expect.any(String)],
      requests: { sent: 7, again: 1 },
      spend: {
        currency: 'USD',
        estimate: { price: 12, unpriced: 0 },
        totals: { settled: { price: 8 }, unclear: { price: 2 }, released: { requests: 2 } },
      },
      waits: [{ cause: 'throttled', times: 1 }],
      awake: [],
      next: [
        { step: 'decide', takes: 1 },
        { step: 'fix_failed', takes: 1 },
        { step: 'review', takes: 4 },
      ],
    });
    const { timeline, firstTakes, batches } = await report();
    expect(timeline?.saved.reduce((sum, count) => sum + count, 0)).toBe(4);
    expect(timeline?.sent.reduce((sum, count) => sum + count, 0)).toBe(7);
    expect(firstTakes.map((take) => take.shot).slice(-3)).toEqual(['0004', '0005', '0006']);
    expect(firstTakes).toHaveLength(4);
    expect(batches).toMatchObject([{ takes: { saved: 4, failed: 1 } }]);
  });

  it('says what a cap holds back, and what to do', async () => {
    await world.run(shots(5), { cap: { takes: 2 } });
    expect(await report()).toMatchObject({
      takes: { saved: 2, unfinished: 3 },
      spend: { estimate: { price: null }, caps: [{ cap: { takes: 2 }, spent: { takes: 2 } }] },
      next: [
        { step: 'raise_cap', takes: 3 },
        { step: 'review', takes: 2 },
      ],
    });
  });

  it('of a night before knows nothing of this one, and an empty one is empty', async () => {
    await world.run(shots(2));
    const before = world.clock.now() + 1;
    await world.pass(24 * HOUR);
    await world.run(shots(3), { name: 'Day 2' });
    const first = await world.engine.nights.report({ since: before - 12 * HOUR, until: before });
    expect(first).toMatchObject({ takes: { saved: 2, unfinished: 0 }, batches: [{ takes: { saved: 2 } }] });
    const empty = await world.engine.nights.report({ since: before + HOUR, until: before + 2 * HOUR });
    expect(empty).toMatchObject({ takes: { saved: 0, unfinished: 0 }, batches: [], timeline: null, next: [] });
  });

  it('is news until a person has seen it, and again when more was made', async () => {
    await world.run(shots(2));
    const { nights } = world.engine;
    const night = nights.ended([projectId()]);
    expect(await nights.unseen()).toMatchObject([{ night, isOver: true, report: { takes: { saved: 2 } } }]);
    nights.seen(projectId(), night);
    expect(await nights.unseen()).toEqual([]);
    nights.ended([projectId()]);
    expect(await nights.unseen()).toHaveLength(1);
    await world.pass(8 * 24 * HOUR);
    expect(await nights.unseen()).toEqual([]);
  });
});

describe('a night that goes on', () => {
  it('is news once a take of it failed or needs a decision, until a person has seen that', async () => {
    world = await World.open({ settings: { concurrency: { submit: 1 } } });
    await world.run(shots(1));
    const { nights } = world.engine;
    expect(await nights.unseen()).toEqual([]);
    world.fault({ method: 'POST', nth: 1 }, { fault: 'status', status: 400 });
    world.fault({ method: 'POST', nth: 2 }, { fault: 'status', status: 502 });
    await world.run(shots(4), { name: 'Day 2' });
    const [news] = await nights.unseen();
    expect(news).toMatchObject({ projectId: projectId(), isOver: false, report: { takes: { failed: 1, unknown: 1 } } });
    nights.seen(projectId(), news?.night ?? 0);
    expect(await nights.unseen()).toEqual([]);
    nights.ended([projectId()]);
    expect(await nights.unseen()).toMatchObject([{ isOver: true, report: { takes: { failed: 1, unknown: 1 } } }]);
  });

  it('is news when a cap holds the rest of it, and no more once that is cancelled', async () => {
    await world.run(shots(3), { cap: { takes: 2 } });
    const { nights } = world.engine;
    expect(await nights.unseen()).toMatchObject([
      { isOver: false, report: { next: [{ step: 'raise_cap' }, { step: 'review' }] } },
    ]);
    world.engine.jobs.cancel(world.job('0003').id);
    await world.settle();
    expect(await nights.unseen()).toEqual([]);
  });

  it('takes the place of an earlier night of its project', async () => {
    await world.run(shots(2));
    world.engine.nights.ended([projectId()]);
    await world.pass(24 * HOUR);
    world.fault({ method: 'POST' }, { fault: 'status', status: 400 });
    await world.run(shots(1), { name: 'Day 2' });
    expect(await world.engine.nights.unseen()).toMatchObject([{ isOver: false, report: { takes: { failed: 1 } } }]);
  });
});

it('time lost counts each moment of a cause once', () => {
  const span = (from: number, until: number) => ({
    ...{ cause: 'throttled', from, until, waiting: until, message: null, isOpen: false, clockBy: null },
  });
  expect(toWaits([span(0, 10), span(5, 20), span(30, 40)])).toEqual([
    { cause: 'throttled', ms: 30, times: 3, waiting: 40 },
  ]);
});
