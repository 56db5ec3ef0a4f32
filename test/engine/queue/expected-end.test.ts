import { describe, expect, it } from 'vitest';
import { spanByPace } from '../../../src/engine/machine/expected-end.ts';
import { forEachTest, World } from '../../support/world.ts';
import { shots } from '../db/seed.ts';

const MINUTE = 60_000;

let world: World;
forEachTest((opened) => (world = opened));

describe('the expected end', () => {
  it('follows the pace since the first take was saved, in a span that narrows with the takes it is told from', () => {
    const now = 100_000;
    expect(spanByPace(26, { takes: 11, since: now - 5000 }, now)?.usual).toBe(13_000);
    expect(spanByPace(4, { takes: 3, since: now - 8 * MINUTE }, now)?.usual).toBe(16 * MINUTE);
    const widthOf = (takes: number): number => {
      const { early = 0, usual = 1, late = 0 } = spanByPace(10, { takes, since: 0 }, now) ?? {};
      return (late - early) / usual;
    };
    expect(widthOf(101)).toBeLessThan(widthOf(5));
  });

  it('is absent after two takes, and when nothing is left to do', () => {
    expect(spanByPace(9, { takes: 2, since: 0 }, 1000)).toBeNull();
    expect(spanByPace(0, { takes: 50, since: 0 }, 1000)).toBeNull();
  });

  it('is absent while each take that is left is on hold', async () => {
    await world.run(shots(4), { name: 'Earlier' });
    await world.settle();
    world.engine.queue.pause();
    await world.import(shots(1), { name: 'Held' });
    const held = world.jobs().filter(({ state }) => state !== 'saved');
    await world.act('jobs.hold', { ids: held.map(({ id }) => id), held: true });
    world.engine.queue.resume();
    world.engine.queue.run({});
    const { counts, status } = await world.engine.views.queue();
    expect(counts).toMatchObject({ saved: 4, unfinished: 1 });
    expect(status.expectedEnd).toBeUndefined();
  });

  it('is near the truth soon after a run began, whatever was saved in an earlier one @night', async () => {
    world = await World.open({ settings: { maxRate: { submit: 1 } } });
    const { engine, clock } = { engine: await world.start(), clock: world.clock };
    await world.run(shots(20), { name: 'Earlier' });
    await world.pass(4 * MINUTE);
    await world.import(shots(40), { name: 'Now' });
    await world.until('six takes of the run', () => world.counts().saved === 26);
    const { status, taskTimes } = await engine.views.queue();
    const expected = status.expectedEnd?.usual;
    const at = clock.now();
    await world.settle();
    const took = clock.now() - at;
    expect((expected ?? 0) - at).toBeGreaterThan(took / 2);
    expect((expected ?? 0) - at).toBeLessThan(took * 2);
    expect(taskTimes).toMatchObject([{ model: 'vgen-2.0-cl-fast', ms: expect.any(Number) }]);
  });
});
