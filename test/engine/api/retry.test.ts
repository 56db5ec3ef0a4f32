import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoff, firstPollDelay, nextPollDelay, parseRetryAfter } from '../../../src/engine/api/retry.ts';

const now = Date.UTC(2030, 0, 1, 12);

describe('Retry-After', () => {
  it.each<[string | undefined, number | null]>([
    ['0', 0],
    ['3', 3000],
    [' 3 ', 3000],
    ['1.5', 1500],
    ['0.0001', 1],
    ['31536000', 31_536_000_000],
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

  it('is nothing or a wait that ends, whatever it says', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const ms = parseRetryAfter(header, now);
        expect(ms === null || (Number.isFinite(ms) && ms >= 0)).toBe(true);
      }),
    );
  });

  it('counts whole seconds exactly', () => {
    fc.assert(
      fc.property(fc.nat(10 ** 9), (seconds) => {
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

  it('before the first poll are half of what the model has taken', () => {
    expect([firstPollDelay(null), firstPollDelay(90_000), firstPollDelay(10)]).toEqual([3000, 45_000, 500]);
  });

  it('between polls grow to 30 s, each a fifth up or down', () => {
    expect([0, 1, 2, 9].map((n) => nextPollDelay(n, () => 0.5))).toEqual([3000, 4500, 6750, 30_000]);
    fc.assert(
      fc.property(fc.nat(5000), chance, (n, random) => {
        const middle = Math.min(30_000, 3000 * 1.5 ** n);
        const wait = nextPollDelay(n, () => random);
        expect(wait).toBeGreaterThanOrEqual(middle * 0.8 - 1e-6);
        expect(wait).toBeLessThanOrEqual(middle * 1.2 + 1e-6);
      }),
    );
  });
});
