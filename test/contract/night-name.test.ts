import { describe, expect, it } from 'vitest';
import { nightName } from '../../src/contract/in-words.ts';
import type { NewReport } from '../../src/contract/night-report.ts';

const at = (day: number, hour: number): number => new Date(2026, 10, day, hour).getTime();
const nameAt = (now: number, began: number, isOver: boolean): string =>
  nightName({ isOver, night: began, report: { until: began + 3_600_000 } } as NewReport, now);

describe('what a night is called', () => {
  it.each([
    ['begun in the evening, read in the morning', at(28, 9), at(27, 22), 'Last night'],
    ['begun after midnight', at(28, 9), at(28, 1), 'Last night'],
    ['begun and ended by day', at(28, 16), at(28, 14), 'Today'],
    ['begun days ago', at(28, 9), at(24, 22), '24'],
  ])('%s', (_, now, began, name) => {
    expect(nameAt(now, began, true)).toContain(name);
  });

  it.each([
    [23, 'Tonight so far'],
    [3, 'Tonight so far'],
    [14, 'So far today'],
  ])('goes on at %i:00', (hour, name) => {
    expect(nameAt(at(28, hour), at(27, 22), false)).toBe(name);
  });
});
