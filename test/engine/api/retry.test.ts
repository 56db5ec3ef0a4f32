import { firstPollDelay, nextPollDelay, taskTimes } from '../../../src/engine/machine/expected-end.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoff, parseRetryAfter } from '../../../src/engine/api/retry.ts';

const now = Date.UTC(2030, 0, 1, 12);

describe('Retry-After', () => {
  it.each<[string | undefined, number | null]>([
    ['0', 0],
    ['3', 3000],
    [' 3 ', 3000],
    ['1.5', 1500],
    ['0.0001', 1],
    ['86400', 86_400_000],
    ['86401', null],
    ['31536000', null],
    ['1893499200', null],
    ['99999999999999999999', null],
    ['Wed, 02 Jan 2030 12:00:00 GMT', 86_400_000],
    ['Wed, 02 Jan 2030 12:00:01 GMT', null],
    ['Fri, 01 Jan 2083 12:00:00 GMT', null],
    ['Tue, 01 Jan 2030 12:00:30 GMT', 30_000],
    ['Tuesday, 01-Jan-30 12:00:30 GMT', 30_000],
    ['Tue Jan  1 12:00:30 2030', 30_000],
    ['Tue, 01 Jan 2030 11:00:00 GMT', 0],
    ['-5', null],
    ['5 apples', null],
    ['soon', null],
    ['', null],
    ['1e3', null],
    ['9'.repeat(400), null],
    ['Tue, 99 Foo 2030 12:00:30 GMT', null],
    [undefined, null],
  ])('%j asks for %s ms', (header, ms) => {
    expect(parseRetryAfter(header, now)).toBe(ms);
  });

  it('is nothing or a wait of a day at most, whatever it says', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.bigInt({ min: 0n }).map(String)), (header) => {
        const ms = parseRetryAfter(header, now);
        expect(ms === null || (ms >= 0 && ms <= 24 * 3_600_000)).toBe(true);
      }),
    );
  });

  it('counts whole seconds exactly', () => {
    fc.assert(
      fc.property(fc.nat(86_400), (seconds) => {
        expect(parseRetryAfter(String(seconds), now)).toBe(seconds * 1000);
        const date = new Date(now + seconds * 1000).toUTCString();
        expect(parseRetryAfter(date, now)).toBe(seconds * 1000);
      }),
    );
  });
});

describe('waits', () => {
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  it('between tries lie anywhere below a bound that doubles, up to a minute', () => {
    expect([0, 1, 2, 10].map((n) => backoff(n, () => 0.5))).toEqual([500, 1000, 2000, 30_000]);
    fc.assert(
      fc.property(fc.nat(5000), chance, (attempt, random) => {
        const wait = backoff(attempt, () => random);
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(Math.min(60_000, 1000 * 2 ** attempt));
      }),
    );
  });

  const few = taskTimes([90_000]);
  const videos = taskTimes(Array.from({ length: 20 }, (_, index) => 150_000 + index * 5000));

  it('before the first poll are half of what is usual for the model', () => {
    expect([null, few, taskTimes([10]), videos].map(firstPollDelay)).toEqual([3000, 45_000, 500, 100_000]);
  });

  it('before the first poll last until tasks of the model begin to end, when that is just after the half', () => {
    const images = taskTimes([6000, 7000, 8000, 12_000, 40_000]);
    expect(images).toEqual({ usual: 8000, bulk: { early: 6000, late: 40_000 } });
    expect(firstPollDelay(images)).toBe(6000);
    expect(nextPollDelay(images, { elapsed: 6000, polls: 1 }, () => 0.5)).toBeCloseTo(8000 / 3);
  });

  it('between polls grow to 30 s, each a fifth up or down, while little is known of a model', () => {
    for (const times of [null, few]) {
      const wait = (polls: number) => nextPollDelay(times, { elapsed: 0, polls }, () => 0.5);
      expect([0, 1, 2, 9].map(wait)).toEqual([3000, 4500, 6750, 30_000]);
    }
    fc.assert(
      fc.property(fc.nat(5000), chance, (polls, random) => {
        const middle = Math.min(30_000, 3000 * 1.5 ** polls);
        const wait = nextPollDelay(null, { elapsed: 0, polls }, () => random);
        expect(wait).toBeGreaterThanOrEqual(middle * 0.8 - 1e-6);
        expect(wait).toBeLessThanOrEqual(middle * 1.2 + 1e-6);
      }),
    );
  });

  it('between polls are short where most tasks of the model end, and long before and behind', () => {
    const wait = (elapsed: number) => nextPollDelay(videos, { elapsed, polls: 7 }, () => 0.5);
    expect(videos).toEqual({ usual: 200_000, bulk: { early: 160_000, late: 245_000 } });
    expect([100_000, 130_001, 159_000].map(wait)).toEqual([30_000, 29_999, 6300]);
    expect([160_000, 245_000, 345_000, 900_000].map(wait)).toEqual([6300, 6300, 8300, 19_400]);
  });

  const known = fc.array(fc.integer({ min: 1, max: 3_600_000 }), { minLength: 5, maxLength: 64 }).map(taskTimes);
  const time = fc.integer({ min: 0, max: 86_400_000 });

  it('between polls are shorter while a shot waits for the place of the task, never longer', () => {
    const wait = (elapsed: number) => nextPollDelay(videos, { elapsed, polls: 7, isAwaited: true }, () => 0.5);
    expect([10_000, 159_000, 160_000, 345_000, 900_000].map(wait)).toEqual([25_000, 6300, 6300, 8000, 8000]);
    const first = (elapsed: number) => nextPollDelay(null, { elapsed, polls: 3, isAwaited: true }, () => 0.5);
    expect([3000, 60_000, 900_000].map(first)).toEqual([1000, 6000, 10_125]);
    fc.assert(
      fc.property(fc.option(known), time, fc.nat(50), chance, (times, elapsed, polls, random) => {
        const awaited = nextPollDelay(times, { elapsed, polls, isAwaited: true }, () => random);
        expect(awaited).toBeGreaterThanOrEqual(1000);
        expect(awaited).toBeLessThanOrEqual(nextPollDelay(times, { elapsed, polls }, () => random));
      }),
    );
  });

  it('between polls are never shorter than 1 s nor longer than 30 s, whatever was learned', () => {
    fc.assert(
      fc.property(known, time, fc.nat(5000), chance, (times, elapsed, polls, random) => {
        const wait = nextPollDelay(times, { elapsed, polls }, () => random);
        expect(wait).toBeGreaterThanOrEqual(1000);
        expect(wait).toBeLessThanOrEqual(30_000);
      }),
    );
  });

  it('between polls never get shorter once tasks of the model begin to end', () => {
    fc.assert(
      fc.property(known, time, time, (times, one, other) => {
        const early = times?.bulk?.early ?? 0;
        const [sooner, later] = [one, other]
          .toSorted((a, b) => a - b)
          .map((ms) => nextPollDelay(times, { elapsed: early + ms, polls: 0 }, () => 0.5));
        expect(later).toBeGreaterThanOrEqual(sooner ?? 0);
      }),
    );
  });
});
