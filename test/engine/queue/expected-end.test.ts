import { afterEach, describe, expect, it } from 'vitest';
import { expectedEnd } from '../../../src/engine/queue-view.ts';
import { World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

const MINUTE = 60_000;

let world: World | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

const shots = (count: number) => Array.from({ length: count }, (_, index) => shot(index + 1));

describe('the expected end', () => {
  it('follows the pace since the first take was saved', () => {
    const now = 100_000;
    expect(expectedEnd(26, { takes: 11, since: now - 5000 }, now)).toBe(now + 13_000);
    expect(expectedEnd(4, { takes: 3, since: now - 8 * MINUTE }, now)).toBe(now + 16 * MINUTE);
  });

  it('moves away while no take is saved', () => {
    const saved = { takes: 5, since: 0 };
    expect(expectedEnd(10, saved, 20_000)).toBe(70_000);
    expect(expectedEnd(10, saved, 40_000)).toBe(140_000);
  });

  it('is not told from two takes, nor when nothing is left to do', () => {
    expect(expectedEnd(9, { takes: 2, since: 0 }, 1000)).toBeNull();
    expect(expectedEnd(0, { takes: 50, since: 0 }, 1000)).toBeNull();
  });

  it('is near the truth soon after a run began, whatever was saved in an earlier one', async () => {
    world = await World.open({ settings: { maxRate: { submit: 1 } } });
    const { engine, clock } = { engine: await world.start(), clock: world.clock };
    await world.import(shots(20), { name: 'Earlier' });
    await world.settle();
    await world.pass(4 * MINUTE);
    await world.import(shots(40), { name: 'Now' });
    await world.until('six takes of the run', () => world?.counts().saved === 26);
    const { expectedEnd: foretold, taskTimes } = await engine.views.queue();
    const at = clock.now();
    await world.settle();
    const took = clock.now() - at;
    expect((foretold ?? 0) - at).toBeGreaterThan(took / 2);
    expect((foretold ?? 0) - at).toBeLessThan(took * 2);
    expect(taskTimes).toMatchObject([{ model: 'vgen-2.0-cl-fast', ms: expect.any(Number) }]);
  });
});
