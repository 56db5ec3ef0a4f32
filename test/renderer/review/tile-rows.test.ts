import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TakeGroup, TakeView } from '../../../src/contract/review.ts';
import { aJob } from '../../support/jobs.ts';
import {
  rowOfTake,
  toStacks,
  takeBelow,
  tileRows,
  tileSizes,
} from '../../../src/renderer/views/review/grid/tile-rows.ts';

const take = (shot: string, number: number): TakeView => ({
  ...aJob({ id: `${shot}-${number}`, shot, take: number, state: 'saved' }),
  outputs: [],
  verdict: { rating: 0, flag: null, note: '' },
  savedAt: 0,
});
const groups = (...counts: number[]): TakeGroup[] => counts.map((count, index) => ({ name: `S${index}`, count }));
const takes = (...counts: number[]): TakeView[] =>
  counts.flatMap((count, shot) => Array.from({ length: count }, (_, at) => take(`S${shot}`, at + 1)));

describe('the tiles of the review grid', () => {
  it('fill the width, with as many columns as the wanted size allows', () => {
    expect(tileSizes(1000, 220)).toMatchObject({ columns: 4, width: 236 });
    expect(tileSizes(1000, 480)).toMatchObject({ columns: 2, width: 480 });
  });

  it('are one column where not even one fits', () => {
    expect(tileSizes(100, 220).columns).toBe(1);
  });

  it('stand in full rows when not grouped', () => {
    expect(tileRows(5, 4, null)).toEqual([
      { type: 'tiles', start: 0, count: 4 },
      { type: 'tiles', start: 4, count: 1 },
    ]);
  });

  it('of several groups share a line when all of each fit into it, under a heading each', () => {
    expect(tileRows(12, 4, groups(1, 2, 1, 1, 6, 1))).toEqual([
      {
        type: 'head',
        start: 0,
        count: 4,
        groups: [
          { name: 'S0', start: 0, count: 1 },
          { name: 'S1', start: 1, count: 2 },
          { name: 'S2', start: 3, count: 1 },
        ],
      },
      { type: 'tiles', start: 0, count: 4 },
      { type: 'head', start: 4, count: 1, groups: [{ name: 'S3', start: 4, count: 1 }] },
      { type: 'tiles', start: 4, count: 1 },
      { type: 'head', start: 5, count: 6, groups: [{ name: 'S4', start: 5, count: 6 }] },
      { type: 'tiles', start: 5, count: 4 },
      { type: 'tiles', start: 9, count: 2 },
      { type: 'head', start: 11, count: 1, groups: [{ name: 'S5', start: 11, count: 1 }] },
      { type: 'tiles', start: 11, count: 1 },
    ]);
  });

  it('begin a row below the heading of each group', () => {
    expect(tileRows(4, 2, groups(1, 3))).toEqual([
      { type: 'head', start: 0, count: 1, groups: [{ name: 'S0', start: 0, count: 1 }] },
      { type: 'tiles', start: 0, count: 1 },
      { type: 'head', start: 1, count: 3, groups: [{ name: 'S1', start: 1, count: 3 }] },
      { type: 'tiles', start: 1, count: 2 },
      { type: 'tiles', start: 3, count: 1 },
    ]);
  });

  it('beyond the groups, which were counted a moment before, stand without a heading', () => {
    expect(tileRows(4, 2, groups(1)).at(-1)).toEqual({ type: 'tiles', start: 3, count: 1 });
    expect(tileRows(2, 2, groups(1, 5, 2)).filter(({ type }) => type === 'head')).toEqual([
      { type: 'head', start: 0, count: 2, groups: [expect.anything(), { name: 'S1', start: 1, count: 1 }] },
    ]);
  });

  it('show every take exactly once, whatever the groups', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 })),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 0, max: 60 }),
        (counts, columns, total) => {
          const shown = tileRows(total, columns, groups(...counts))
            .filter((row) => row.type === 'tiles')
            .flatMap((row) => Array.from({ length: row.count }, (_, at) => row.start + at));
          expect(shown).toEqual(Array.from({ length: total }, (_, index) => index));
        },
      ),
    );
  });

  it('are found by the take they show', () => {
    const rows = tileRows(9, 2, groups(1, 3, 5));
    for (const index of takes(1, 3, 5).keys()) {
      const row = rows[rowOfTake(rows, index)];
      expect(row?.type).toBe('tiles');
      expect(row && index >= row.start && index < row.start + row.count).toBe(true);
    }
  });

  it('are walked up and down in their column, over headings and short rows', () => {
    const rows = tileRows(7, 3, groups(3, 1, 3));
    expect(takeBelow(rows, 2, 1)).toBe(3);
    expect(takeBelow(rows, 3, 1)).toBe(4);
    expect(takeBelow(rows, 6, -2)).toBe(2);
    expect(takeBelow(rows, 5, 1)).toBe(5);
    expect(takeBelow(rows, 1, -1)).toBe(1);
  });

  it('know how many takes of a shot there are', () => {
    expect([...toStacks(takes(2, 1)).values()]).toEqual([2, 1]);
  });
});
