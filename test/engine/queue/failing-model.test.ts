import { describe, expect, it } from 'vitest';
import { forEachTest, World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

const MINUTE = 60_000;
const GOOD = 'vgen-2.0-cl';
const FAILING = 'vgen-2.0-cl-fast';

let world: World;

const shots = (count: number, model = FAILING, from = 1) =>
  Array.from({ length: count }, (_, index) => shot(from + index, { model }));
const oneAtATime = { concurrency: { submit: 1 } };
forEachTest((opened) => (world = opened), { settings: oneAtATime });
const sent = (model = FAILING) =>
  world.posts().filter(({ body }) => (body as { model: string }).model === model).length;
const gate = () => world.engine.queue.status().gates.find(({ reason }) => reason === 'model_failing');

/** What the service does to the submits of the model from now on. */
function refuse(status: number): void {
  const match = { method: 'POST', model: FAILING, times: 'always' } as const;
  world.fault(match, { fault: 'status', status });
}

describe('a model whose takes fail one after the other', () => {
  it('is held after five of them, while takes of other models go on', async () => {
    refuse(403);
    await world.begin([...shots(8), ...shots(3, GOOD, 20)]);
    await world.until('the other model', () => world.counts().saved === 3);
    expect(sent()).toBe(5);
    expect(world.counts()).toMatchObject({ failed: 5, unfinished: 3 });
    expect(gate()).toMatchObject({
      model: FAILING,
      message: expect.saying(/^5 takes of vgen-2\.0-cl-fast failed in a row\. /),
    });
    expect(gate()?.until).toBeGreaterThan(world.clock.now());
  });

  it('is tried by one take after each pause, each twice as long, and goes on when that one is taken', async () => {
    refuse(403);
    await world.begin(shots(10));
    await world.until('the hold', () => gate() !== undefined);
    await world.pass(9 * MINUTE);
    expect(sent()).toBe(5);
    await world.pass(2 * MINUTE);
    expect(sent()).toBe(6);
    await world.pass(18 * MINUTE);
    expect(sent()).toBe(6);
    await world.pass(3 * MINUTE);
    expect(sent()).toBe(7);
    world.service.faults.clear();
    await world.comesTo({ saved: 3, failed: 7 });
    expect(gate()).toBeUndefined();
  });

  it('stays held after a restart, and one take tries at once when a person resumes', async () => {
    refuse(403);
    await world.begin(shots(9));
    await world.until('the hold', () => gate() !== undefined);
    await world.restart();
    world.engine.queue.run({});
    await world.pass(5 * MINUTE);
    expect(sent()).toBe(5);
    world.engine.queue.resume();
    await world.pass(MINUTE);
    expect(sent()).toBe(6);
    world.service.faults.clear();
    world.engine.queue.resume();
    await world.comesTo({ saved: 3, failed: 6 });
  });

  it('is not held for shots that are wrong, nor for failures that differ', async () => {
    refuse(400);
    await world.run(shots(7));
    expect(world.counts()).toMatchObject({ failed: 7, unfinished: 0 });
    world.service.faults.clear();
    for (const nth of [1, 2, 3, 4, 5, 6]) {
      const match = { method: 'POST', prompt: `Shot ${20 + nth}` } as const;
      world.fault(match, { fault: 'status', status: nth % 2 === 0 ? 403 : 404 });
    }
    await world.run(shots(6, FAILING, 21), { name: 'Day 2' });
    expect(world.counts()).toMatchObject({ failed: 13, unfinished: 0 });
  });

  it('is held for tasks that fail at the service, and none of them is sent again', async () => {
    world = await World.open({ settings: { ...oneAtATime, maxRate: { submit: 1 } } });
    const match = { method: 'POST', model: FAILING, times: 'always' } as const;
    world.fault(match, { fault: 'outcome', end: 'failed', code: 'upstream_error' });
    await world.begin(shots(60));
    await world.until('the hold', () => gate() !== undefined);
    await world.pass(5 * MINUTE);
    const charged = sent();
    await world.pass(4 * MINUTE);
    expect(sent()).toBe(charged);
    expect(world.counts()).toMatchObject({ failed: charged, unfinished: 60 - charged });
    expect(charged).toBeLessThan(60);
  });
});
