import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spanInWords } from '../../../src/contract/in-words.ts';
import { expectedSpan, type ModelWork } from '../../../src/engine/machine/expected-end.ts';

const MINUTE = 60_000;
const minutes = (...values: readonly number[]): number[] => values.map((value) => value * MINUTE);
const work = (changes: Partial<ModelWork> = {}): ModelWork => ({
  ...{ model: 'm', waiting: 100, running: 0, times: minutes(4, 5, 5, 5, 6), places: null },
  ...changes,
});

describe('how long the work takes', () => {
  it('has no answer while one of its models has too few tasks', () => {
    expect(expectedSpan({ models: [work(), work({ times: minutes(1, 2, 3, 4) })], submitsPerSecond: 1 })).toBeNull();
    expect(expectedSpan({ models: [], submitsPerSecond: 1 })).toBeNull();
    const done = work({ times: [], waiting: 0 });
    expect(expectedSpan({ models: [work(), done], submitsPerSecond: 1 })).not.toBeNull();
  });

  it('is one task long where everything runs at once', () => {
    const span = expectedSpan({ models: [work()], submitsPerSecond: 1000 });
    expect(span?.usual).toBeGreaterThanOrEqual(5 * MINUTE);
    expect(span?.usual).toBeLessThanOrEqual(6.1 * MINUTE);
  });

  it('follows the places at the service, and the rate where that is what holds back', () => {
    const usualOf = (places: number | null, submitsPerSecond: number, waiting = 100) =>
      (expectedSpan({ models: [work({ places, waiting })], submitsPerSecond })?.usual ?? 0) / MINUTE;
    expect(usualOf(10, 1000)).toBeGreaterThan(47);
    expect(usualOf(10, 1000)).toBeLessThan(56);
    // As many as are not played one by one.
    expect(usualOf(10, 1000, 5000)).toBeGreaterThan(2350);
    expect(usualOf(10, 1000, 5000)).toBeLessThan(2650);
    expect(usualOf(null, 1 / 60)).toBeGreaterThan(99);
    expect(usualOf(null, 1 / 60)).toBeLessThan(106);
  });

  it('begins when the window opens, unless all of it was sent already', () => {
    const models = [work({ waiting: 1 })];
    const now = expectedSpan({ models, submitsPerSecond: 1 });
    expect(expectedSpan({ models, submitsPerSecond: 1, opensIn: MINUTE })?.usual).toBe((now?.usual ?? 0) + MINUTE);
    const sent = { models: [work({ waiting: 0, running: 3 })], submitsPerSecond: 1 };
    expect(expectedSpan({ ...sent, opensIn: MINUTE })).toEqual(expectedSpan(sent));
  });

  it('is the same for the same work, is in order, and is longer with more takes or fewer places', () => {
    const model = fc.record({
      model: fc.constant('m'),
      waiting: fc.integer({ min: 1, max: 60 }),
      running: fc.integer({ min: 0, max: 4 }),
      times: fc.array(fc.integer({ min: MINUTE, max: 9 * MINUTE }), { minLength: 5, maxLength: 20 }),
      places: fc.integer({ min: 1, max: 8 }),
    });
    fc.assert(
      fc.property(model, (each) => {
        const spanOf = (changes: Partial<ModelWork> = {}) =>
          expectedSpan({ models: [{ ...each, ...changes }], submitsPerSecond: 10 });
        const span = spanOf();
        expect(spanOf()).toEqual(span);
        expect([span?.early, span?.usual, span?.late]).toEqual(
          [span?.early, span?.usual, span?.late].toSorted((a = 0, b = 0) => a - b),
        );
        expect(spanOf({ waiting: each.waiting * 4 })?.usual).toBeGreaterThan(span?.early ?? 0);
        expect(spanOf({ places: each.places * 4 })?.early).toBeLessThanOrEqual(span?.late ?? 0);
      }),
      { numRuns: 60 },
    );
  });
});

it('a span is as exact as the times it comes from', () => {
  expect(spanInWords({ early: 98 * MINUTE, usual: 131 * MINUTE, late: 181 * MINUTE })).toBe(
    '2 h 10 min (1 h 40 min – 3 h)',
  );
  expect(spanInWords({ early: 5 * MINUTE, usual: 5.1 * MINUTE, late: 5.2 * MINUTE })).toBe('5 min');
  expect(spanInWords({ early: 9000, usual: 10_000, late: 20_000 })).toBe('10 s');
});
