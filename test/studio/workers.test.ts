import { describe, expect, it } from 'vitest';
import { hasPostgres } from '../support/studio.ts';
import { shots } from '../engine/db/seed.ts';
import { openShared, withoutLimits } from './machines.ts';

describe.runIf(hasPostgres)('two machines', () => {
  it('share a list, and send nothing twice', async () => {
    const shared = await openShared();
    const one = await shared.machine('one').start();
    const two = await shared.machine('two').start();
    expect(await one.handOver(shots(12))).toBe(12);
    await withoutLimits(shared, one);
    one.work();
    two.work();
    await Promise.all([one.worker?.untilIdle(), two.worker?.untilIdle()]);
    expect([...shared.posts().values()]).toEqual(Array.from({ length: 12 }, () => 1));
    expect(shared.files()).toHaveLength(12);
    const makers = new Set(shared.recipes().map(({ studio }) => studio?.worker));
    expect(makers).toEqual(new Set(['one', 'two']));
    const saved = Array.from({ length: 12 }, (_, index) => `${String(index + 1).padStart(4, '0')} 1 saved`);
    await expect.poll(() => one.takes()).toEqual(saved);
    await expect.poll(() => two.takes()).toEqual(saved);
  });
});
