import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLimiter, type Limiter } from '../../../src/engine/api/request-queue.ts';

const start = Date.UTC(2030, 0, 1);

function take(limiter: Limiter, now: number): number {
  const taken = limiter.tryTake(now);
  return taken.ok ? now : taken.at;
}

describe('a limiter', () => {
  it('spaces requests evenly instead of letting them go in bursts', () => {
    const limiter = createLimiter({ maxRate: 4 });
    expect(limiter.tryTake(start)).toEqual({ ok: true });
    expect(limiter.tryTake(start)).toEqual({ ok: false, at: start + 250 });
    expect(limiter.tryTake(start + 249)).toEqual({ ok: false, at: start + 250 });
    expect(limiter.tryTake(start + 250)).toEqual({ ok: true });
  });

  it('halves its rate at a 429 and earns it back bit by bit', () => {
    const limiter = createLimiter({ maxRate: 4 });
    limiter.onThrottled(start, 0);
    expect(limiter.snapshot().rate).toBe(2);
    limiter.onSuccess(start + 2000);
    expect(limiter.snapshot().rate).toBeCloseTo(2.08);
    for (let n = 0; n < 100; n += 1) limiter.onSuccess(start + 3000);
    expect(limiter.snapshot().rate).toBe(4);
  });

  it('takes the 429s of requests that left together for one', () => {
    const limiter = createLimiter({ maxRate: 8 });
    for (let n = 0; n < 10; n += 1) limiter.onThrottled(start + n, 1000);
    limiter.onSuccess(start + 20);
    expect(limiter.snapshot()).toEqual({ rate: 4, notBefore: start + 1009 });
    limiter.onThrottled(start + 1009, 1000);
    expect(limiter.snapshot().rate).toBe(2);
  });

  it('keeps its rate at a 429 that is not about it, and its floor', () => {
    const limiter = createLimiter({ maxRate: 4 });
    limiter.onTooMany(start, 5000);
    expect(limiter.snapshot()).toEqual({ rate: 4, notBefore: start + 5000 });
  });

  it('knows whether what was refused had hurried: what came late, or after a 429 was waited out, had not', () => {
    const limiter = createLimiter({ maxRate: 4 });
    limiter.tryTake(start);
    expect(limiter.wasAtFullRate(start)).toBe(false);
    limiter.tryTake(start + 250);
    expect(limiter.wasAtFullRate(start + 250)).toBe(true);
    limiter.onThrottled(start + 250, 2000);
    expect(limiter.wasAtFullRate(start + 500)).toBe(true);
    limiter.tryTake(start + 2250);
    expect(limiter.wasAtFullRate(start + 2250)).toBe(false);
  });

  it('has hardly any 429s from a service that lasts at a tenth of its rate', () => {
    const limiter = createLimiter({ maxRate: 5 });
    let now = start;
    let lastTaken = 0;
    let refused = 0;
    for (let taken = 0; taken < 500;) {
      now = take(limiter, now);
      if (!limiter.tryTake(now).ok && now - lastTaken < 2000) {
        refused += 1;
        limiter.onThrottled(now, 2000);
      } else {
        taken += 1;
        lastTaken = now;
        limiter.onSuccess(now);
      }
      now += 1;
    }
    expect(refused).toBeLessThan(40);
    expect(now - start).toBeLessThan(1.3 * 500 * 2000);
  });

  it('waits longer after each 429 that names no floor, up to a minute', () => {
    const limiter = createLimiter({ maxRate: 4 });
    let now = start;
    const pauses = Array.from({ length: 8 }, () => {
      limiter.onThrottled(now, null);
      const pause = (limiter.snapshot().notBefore ?? 0) - now;
      now += pause;
      return pause;
    });
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('keeps its floor and its rate across a restart', () => {
    const before = createLimiter({ maxRate: 4 });
    before.onThrottled(start, 3_600_000);
    const after = createLimiter({ maxRate: 4, ...before.snapshot() });
    expect(after.tryTake(start + 3_599_999)).toEqual({ ok: false, at: start + 3_600_000 });
    expect(after.tryTake(start + 3_600_000)).toEqual({ ok: true });
    expect(after.snapshot().rate).toBe(2);
  });

  it('never takes over a rate above what is allowed now', () => {
    expect(createLimiter({ maxRate: 2, rate: 50, notBefore: null }).snapshot().rate).toBe(2);
    expect(createLimiter({ maxRate: 2, rate: 0, notBefore: null }).snapshot().rate).toBeGreaterThan(0);
  });

  it('does not stand still when the clock is set back', () => {
    const limiter = createLimiter({ maxRate: 4 });
    limiter.tryTake(start);
    expect(limiter.tryTake(start - 3_600_000)).toEqual({ ok: false, at: start - 3_600_000 + 250 });
  });

  const steps = fc.array(
    fc.record({
      wait: fc.nat(3000),
      then: fc.constantFrom('take', 'take', 'take', 'success', 'throttled', 'throttled for'),
      floor: fc.nat(20_000),
    }),
    { maxLength: 200 },
  );

  it('never lets more than its rate through in any stretch of time, nor anything before the floor', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.1, max: 50, noNaN: true }), steps, (maxRate, sequence) => {
        const limiter = createLimiter({ maxRate });
        const taken: number[] = [];
        let now = start;
        let floor = 0;
        for (const step of sequence) {
          now += step.wait;
          if (step.then === 'success') limiter.onSuccess(now);
          if (step.then === 'throttled') limiter.onThrottled(now, null);
          if (step.then === 'throttled for') {
            limiter.onThrottled(now, step.floor);
            floor = Math.max(floor, now + step.floor);
          }
          if (step.then === 'take' && limiter.tryTake(now).ok) {
            expect(now).toBeGreaterThanOrEqual(floor);
            taken.push(now);
          }
        }
        for (const [i, first] of taken.entries()) {
          for (const [j, last] of taken.slice(i).entries()) {
            expect(j).toBeLessThanOrEqual(((last - first) * maxRate) / 1000 + 1e-6);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('always names a time at which it gives way', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.1, max: 50, noNaN: true }), steps, (maxRate, sequence) => {
        const limiter = createLimiter({ maxRate });
        let now = start;
        for (const step of sequence) {
          now += step.wait;
          if (step.then === 'throttled') limiter.onThrottled(now, step.floor);
          const at = take(limiter, now);
          if (at > now) expect(limiter.tryTake(at)).toEqual({ ok: true });
          now = at;
        }
      }),
      { numRuns: 60 },
    );
  });
});
