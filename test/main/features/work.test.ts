import { describe, expect, it } from 'vitest';
import { watchWork, type Work } from '../../../src/main/features/work.ts';
import { FakeDesktop, settled } from './support.ts';

describe('the watch', () => {
  const watching = () => {
    const fake = new FakeDesktop();
    const seen: Work[] = [];
    const stop = watchWork(fake.desktop, (work) => seen.push(work));
    return { fake, seen, stop };
  };

  it('reads once a second at most, however much is told, and not without a reason', async () => {
    const { fake, seen } = watching();
    await fake.tell({ library: true });
    expect(seen).toHaveLength(0);
    await fake.tell({ resync: true });
    expect(seen).toHaveLength(1);
    for (let times = 0; times < 50; times += 1) await fake.tellAtOnce({ projects: ['film'] });
    expect(seen).toHaveLength(1);
    fake.clock.advance(1000);
    await settled();
    expect(seen).toHaveLength(2);
  });

  it('takes an engine that does not answer any more for one that is not at work', async () => {
    const { fake, seen } = watching();
    await fake.tell({ resync: true });
    expect(seen.at(-1)?.hasPendingWork).toBe(true);
    const { queue } = fake;
    Object.defineProperty(fake, 'queue', { get: () => new Promise(() => undefined), configurable: true });
    fake.clock.advance(5 * 60_000);
    await settled();
    fake.clock.advance(60_000);
    await settled();
    expect(seen.at(-1)?.hasPendingWork).toBe(false);
    Object.defineProperty(fake, 'queue', { value: queue });
    await fake.tell({ resync: true });
    expect(seen.at(-1)?.hasPendingWork).toBe(true);
  });

  it('leaves nothing behind that would keep the app when it ends', async () => {
    const { fake, seen, stop } = watching();
    await fake.tell({ resync: true });
    stop();
    await settled();
    expect(fake.clock.nextWakeAt()).toBeNull();
    await fake.tellAtOnce({ resync: true });
    expect(seen).toHaveLength(1);
  });

  it('goes on after an engine that died while it was asked', async () => {
    const { fake, seen } = watching();
    const { queue } = fake;
    Object.defineProperty(fake, 'queue', { get: () => Promise.reject(new Error('gone')), configurable: true });
    await fake.tell({ resync: true });
    expect(seen).toHaveLength(0);
    expect(fake.logged.join()).toContain('gone');
    Object.defineProperty(fake, 'queue', { value: queue });
    await fake.tell({ resync: true });
    expect(seen).toHaveLength(1);
  });
});
