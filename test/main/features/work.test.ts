import type { RunState } from '../../../src/contract/events.ts';
import { describe, expect, it } from 'vitest';
import { nothingRemembered, projectsToRead, toShare, workFor } from '../../../src/main/features/work.ts';
import { watchWork } from '../../../src/main/features/work.ts';
import type { Work } from '../../../src/main/features/work.ts';
import { aBatch, aProject, aQueue, FakeDesktop, noCounts, settled } from './support.ts';

const reading = (...batches: ReturnType<typeof aBatch>[]) => ({
  queue: aQueue(),
  projects: [aProject('film', { unknown: 2 }), aProject('reel', { unknown: 1, failed: 3 })],
  batches,
});

describe('what the engine is at', () => {
  it('counts the run, and what needs a decision anywhere', () => {
    const [work] = workFor(nothingRemembered, reading(aBatch('a', { saved: 2, unfinished: 2 })));
    expect(work).toMatchObject({
      run: { saved: 2, unfinished: 2 },
      undecided: 3,
      hasPendingWork: true,
      paused: false,
      ended: [],
    });
    expect(toShare(work)).toBe(0.5);
  });

  it('has ended batches only when they were seen under way', () => {
    const [first, before] = workFor(
      nothingRemembered,
      reading(aBatch('old', { saved: 9 }), aBatch('a', { unfinished: 3 })),
    );
    expect(first.ended).toEqual([]);
    const done = aBatch('a', { saved: 2, failed: 1 });
    const [second, after] = workFor(before, reading(aBatch('old', { saved: 9 }), done));
    expect(second.ended).toEqual([done]);
    expect(toShare(second)).toBeNull();
    expect(workFor(after, reading(done))[0].ended).toEqual([]);
  });

  it('keeps what has ended in the run until another begins', () => {
    const [, before] = workFor(
      nothingRemembered,
      reading(aBatch('a', { unfinished: 1 }), aBatch('b', { unfinished: 1 })),
    );
    const [work, after] = workFor(before, reading(aBatch('a', { saved: 1 }), aBatch('b', { unfinished: 1 })));
    expect(work.run).toEqual({ ...noCounts, saved: 1, unfinished: 1 });
    const [, idle] = workFor(after, reading(aBatch('a', { saved: 1 }), aBatch('b', { saved: 1 })));
    const [next] = workFor(idle, reading(aBatch('a', { saved: 1 }), aBatch('c', { unfinished: 4 })));
    expect(next.run).toEqual({ ...noCounts, unfinished: 4 });
  });

  it('is halted when only the person can open what is closed, and they have not closed it', () => {
    const gate = { reason: 'key_refused', message: 'No.', until: null } as const;
    const haltedOf = (run: RunState) =>
      workFor(nothingRemembered, { queue: aQueue({ run }), projects: [], batches: [] })[0].halted;
    expect(haltedOf({ is: 'halted', gate })).toBe('No.');
    for (const is of ['going', 'over', 'paused'] as const) expect(haltedOf({ is })).toBeNull();
  });

  it('is read in the projects where something is, or was, under way', () => {
    const [, before] = workFor(nothingRemembered, reading(aBatch('a', { unfinished: 1 })));
    const projects = [aProject('film', { saved: 1 }), aProject('reel', { unfinished: 2 }), aProject('album', {})];
    expect(projectsToRead(before, projects)).toEqual(['film', 'reel']);
  });
});

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
