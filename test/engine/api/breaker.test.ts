import { describe, expect, it } from 'vitest';
import { createBreaker, type Breaker } from '../../../src/engine/jobs/gates.ts';

const start = Date.UTC(2030, 0, 1);

function unclear(breaker: Breaker, times: number, now = start): Breaker {
  for (let n = 0; n < times; n += 1) breaker.onOutcome('unclear', now);
  return breaker;
}

/** How long the breaker, just opened or just probed at `now`, waits for its next probe. */
function restOf(breaker: Breaker, now: number): number | null {
  const allowed = breaker.allow(now);
  return allowed.ok ? null : allowed.probeAt - now;
}

describe('the breaker', () => {
  it('opens at the fifth unclear answer in a row', () => {
    const breaker = unclear(createBreaker(), 4);
    expect(breaker.allow(start)).toEqual({ ok: true });
    unclear(breaker, 1);
    expect(breaker.allow(start)).toEqual({ ok: false, probeAt: start + 5000, probeDue: false });
    expect(breaker.allow(start + 5000)).toMatchObject({ ok: false, probeDue: true });
  });

  it('counts from the start again after a clear one', () => {
    const breaker = unclear(createBreaker(), 4);
    breaker.onOutcome('clear', start);
    expect(unclear(breaker, 4).allow(start)).toEqual({ ok: true });
  });

  it('keeps to its probe while late answers of earlier submits come in', () => {
    const breaker = unclear(createBreaker(), 5);
    expect(restOf(unclear(breaker, 3, start + 4000), start)).toBe(5000);
  });

  it('lets submits go again once a probe is answered, on trial', () => {
    const breaker = unclear(createBreaker(), 5);
    breaker.onProbe(true, start + 5000);
    expect(breaker.allow(start + 5000)).toEqual({ ok: true });
    unclear(breaker, 1, start + 6000);
    expect(restOf(breaker, start + 6000)).toBe(20_000);
  });

  it('asks less and less often while probes fail, down to once a minute', () => {
    const breaker = unclear(createBreaker(), 5);
    let now = start + 5000;
    const rests = Array.from({ length: 6 }, () => {
      breaker.onProbe(false, now);
      const rest = restOf(breaker, now) ?? 0;
      now += rest;
      return rest;
    });
    expect(rests).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
  });

  it('rests longer each time it opens again, until a submit ends clearly', () => {
    const breaker = unclear(createBreaker(), 5);
    const rests = Array.from({ length: 6 }, () => {
      const rest = restOf(breaker, start);
      breaker.onProbe(true, start);
      unclear(breaker, 1);
      return rest;
    });
    expect(rests).toEqual([5000, 20_000, 80_000, 320_000, 600_000, 600_000]);
    breaker.onOutcome('clear', start);
    expect(restOf(unclear(breaker, 5), start)).toBe(5000);
  });

  it('does not care for a probe while it is closed', () => {
    const breaker = createBreaker();
    breaker.onProbe(false, start);
    expect(breaker.allow(start)).toEqual({ ok: true });
  });

  it('goes on from where it was', () => {
    const breaker = createBreaker(unclear(createBreaker(), 5).snapshot());
    expect(restOf(breaker, start)).toBe(5000);
  });
});
