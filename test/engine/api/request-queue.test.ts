import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NotStartedError, RequestQueue, type RunOptions } from '../../../src/engine/api/request-queue.ts';
import type { LimiterSnapshot } from '../../../src/engine/api/request-queue.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A queue on a clock of its own, with what was started in it and when, ms from its beginning. */
function bench(limits: { concurrency?: number; maxRate?: number } = {}, learned: LimiterSnapshot | null = null) {
  const clock = new FakeClock();
  const begin = clock.now();
  const saved: LimiterSnapshot[] = [];
  const queue = new RequestQueue({
    clock,
    limits: { concurrency: Infinity, maxRate: Infinity, ...limits },
    learned,
    save: (snapshot) => void saved.push(snapshot),
  });
  const started: string[] = [];
  const at: number[] = [];
  const open = new Map<string, () => void>();
  return {
    clock,
    begin,
    queue,
    saved,
    started,
    at,
    /** Work that goes on until it is ended by its name. */
    run(name: string, options: RunOptions = {}): Promise<string> {
      return queue.run(() => {
        started.push(name);
        at.push(clock.now() - begin);
        return new Promise((resolve) => open.set(name, () => resolve(name)));
      }, options);
    },
    async end(name: string): Promise<void> {
      open.get(name)?.();
      await nextTurn();
    },
    async pass(ms: number): Promise<void> {
      for (const until = clock.now() + ms; clock.now() < until;) {
        const next = clock.nextWakeAt();
        clock.advance(Math.min(until, next ?? until) - clock.now());
        await nextTurn();
      }
    },
  };
}

describe('a queue of requests', () => {
  it('runs so many at once, those of higher priority first, else in the order they came', async () => {
    const { run, end, started } = bench({ concurrency: 1 });
    const all = [run('v1'), run('v2'), run('audio', { priority: 2 }), run('i1', { priority: 3 })];
    all.push(run('i2', { priority: 3 }));
    for (const name of ['v1', 'i1', 'i2', 'audio', 'v2']) {
      expect(started.at(-1)).toBe(name);
      await end(name);
    }
    expect(await Promise.all(all)).toEqual(['v1', 'v2', 'audio', 'i1', 'i2']);
  });

  it('has its place free again after a failure', async () => {
    const { queue } = bench({ concurrency: 1 });
    await expect(queue.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await queue.run(() => Promise.resolve('yes'))).toBe('yes');
  });

  it('starts them evenly spaced, by the clock alone', async () => {
    const { run, pass, at } = bench({ maxRate: 2 });
    for (const name of ['a', 'b', 'c']) void run(name);
    expect(at).toEqual([0]);
    await pass(2000);
    expect(at).toEqual([0, 500, 1000]);
  });

  it('starts nothing before the time a 429 named, waiting work included, and runs no timer while nothing waits', async () => {
    const { run, pass, at, queue, clock, begin } = bench({ maxRate: 1 });
    for (const name of ['a', 'b', 'c']) void run(name);
    queue.note({ type: 'throttled', retryAfterMs: 60_000 });
    expect(queue.heldUntil()).toBe(begin + 60_000);
    await pass(59_000);
    expect(at).toEqual([0]);
    await pass(6000);
    // Half as fast as before: the 429 said so.
    expect(at).toEqual([0, 60_000, 62_000]);
    expect(clock.nextWakeAt()).toBeNull();
  });

  it('gives work without patience back, unsent, with the end of the floor', async () => {
    const { run, queue, begin, started } = bench({ maxRate: 1 });
    void run('a');
    const waiting = run('waits for its token', { patienceMs: 0 });
    queue.note({ type: 'throttled', retryAfterMs: 60_000 });
    const late = run('late', { patienceMs: 5000 });
    for (const each of [waiting, late]) {
      await expect(each).rejects.toThrow(NotStartedError);
      await expect(each).rejects.toMatchObject({ until: begin + 60_000 });
    }
    expect(started).toEqual(['a']);
  });

  it('starts nothing that is not wanted any more, and gives its token to the next', async () => {
    const { run, pass, queue, at, started } = bench({ maxRate: 1 });
    let isWanted = true;
    void run('a');
    const unwanted = run('b', { isWanted: () => isWanted });
    void run('c');
    isWanted = false;
    await Promise.all([expect(unwanted).rejects.toThrow(NotStartedError), pass(1000)]);
    expect({ started, at }).toEqual({ started: ['a', 'c'], at: [0, 1000] });
    expect(queue.heldUntil()).toBeNull();
  });

  it('counts a floor from the end of the request, once its outcome is written down', async () => {
    const { run, end, queue, saved, begin } = bench({ maxRate: 8 });
    const work = run('a');
    queue.note({ type: 'throttled', retryAfterMs: 60_000 });
    expect(saved).toEqual([]);
    await end('a');
    await work;
    expect(saved).toEqual([{ rate: 4, notBefore: begin + 60_000 }]);
  });

  it('goes on with what an earlier process has learned', async () => {
    const notBefore = new FakeClock().now() + 5000;
    const { run, pass, at } = bench({ maxRate: 8 }, { rate: 2, notBefore });
    void run('a');
    void run('b');
    await pass(10_000);
    expect(at).toEqual([5000, 5500]);
  });

  it('takes new limits at once, and room for what goes on apart', () => {
    const { run, queue, started } = bench({ concurrency: 1 });
    for (const name of ['a', 'b', 'c']) void run(name);
    queue.setApart(1);
    expect(started).toEqual(['a', 'b']);
    queue.setLimits({ concurrency: 2, maxRate: Infinity });
    expect(started).toEqual(['a', 'b', 'c']);
  });

  it('is drained: what runs ends, what waits is given back, and nothing is started any more', async () => {
    const { run, end, queue, started, clock } = bench({ concurrency: 1, maxRate: 1 });
    const running = run('a');
    const waiting = run('b');
    let isDrained = false;
    const drained = queue.drain().then(() => (isDrained = true));
    await expect(waiting).rejects.toThrow(NotStartedError);
    await expect(run('c')).rejects.toThrow(NotStartedError);
    expect(isDrained).toBe(false);
    await end('a');
    await drained;
    expect(await running).toBe('a');
    expect({ started, sleeper: clock.nextWakeAt() }).toEqual({ started: ['a'], sleeper: null });
  });

  it('ends the wait of what its caller gives up', async () => {
    const { run, started, queue } = bench();
    const stop = new AbortController();
    queue.note({ type: 'throttled', retryAfterMs: 60_000 });
    const waiting = run('a', { signal: stop.signal });
    stop.abort(new Error('given up'));
    await expect(waiting).rejects.toThrow('given up');
    expect(started).toEqual([]);
  });

  it('never runs more than its concurrency, never faster than its rate, never within a floor, and loses nothing', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('add' as const), priority: fc.nat(3) }),
      fc.record({ do: fc.constant('end' as const) }),
      fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 3000 }) }),
      fc.record({ do: fc.constant('throttle' as const), ms: fc.integer({ min: 1, max: 5000 }) }),
      fc.record({ do: fc.constant('success' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 10 }),
        fc.array(step, { maxLength: 40 }),
        async (concurrency, maxRate, steps) => {
          const { run, end, pass, queue, clock, begin, started, at } = bench({ concurrency, maxRate });
          const all: Promise<string>[] = [];
          const ended = new Set<string>();
          const floors: { from: number; until: number }[] = [];
          const endOne = (): Promise<void> => {
            const next = started.find((name) => !ended.has(name));
            return next === undefined ? Promise.resolve() : end((ended.add(next), next));
          };
          for (const [index, each] of steps.entries()) {
            if (each.do === 'add') all.push(run(String(index), { priority: each.priority }));
            if (each.do === 'end') await endOne();
            if (each.do === 'pass') await pass(each.ms);
            if (each.do === 'success') queue.note({ type: 'answered' });
            if (each.do === 'throttle') {
              const from = clock.now() - begin;
              floors.push({ from, until: from + each.ms });
              queue.note({ type: 'throttled', retryAfterMs: each.ms });
              await nextTurn();
            }
            expect(started.length - ended.size).toBeLessThanOrEqual(concurrency);
          }
          while (ended.size < all.length) {
            await pass(60_000);
            await endOne();
          }
          expect((await Promise.all(all)).toSorted()).toEqual(started.toSorted());
          for (const [index, time] of at.entries()) {
            expect(time - (at[index - 1] ?? -Infinity)).toBeGreaterThanOrEqual(1000 / maxRate);
          }
          for (const { from, until } of floors) {
            expect(at.filter((time) => time > from && time < until)).toEqual([]);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
