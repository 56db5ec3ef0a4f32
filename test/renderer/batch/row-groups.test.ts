import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupColumns, groupRows } from '../../../src/renderer/views/batch/draft/row-order.ts';
import {
  groupAt,
  headingsBefore,
  lineOfHeading,
  lineOfRow,
} from '../../../src/renderer/views/batch/grid/grid-source.ts';

const all = (count: number) => Int32Array.from({ length: count }, (_none, row) => row);
const scenes = ['Pier', 'Sea', 'Pier', '', 'Scene 10', 'Scene 2', 'Sea'];
const grouped = () => groupRows(all(scenes.length), (row) => scenes[row] ?? '');

describe('rows in groups', () => {
  it('are sorted by name, the one without a name last, each in its order', () => {
    const { rows, groups } = grouped();
    expect([...rows]).toEqual([0, 2, 5, 4, 1, 6, 3]);
    expect(groups.map(({ name, count }) => [name, count])).toEqual([
      ['Pier', 2],
      ['Scene 2', 1],
      ['Scene 10', 1],
      ['Sea', 2],
      ['', 1],
    ]);
  });

  it('lose no row and no line', () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 30 });
    fc.assert(
      fc.property(names, (named) => {
        const { rows, groups } = groupRows(all(named.length), (row) => named[row] ?? '');
        expect([...rows].sort((one, other) => one - other)).toEqual([...all(named.length)]);
        for (const [row, listRow] of rows.entries()) expect(groups[groupAt(groups, row)]?.name).toBe(named[listRow]);
        const lines = [
          ...groups.map((_group, index) => lineOfHeading(groups, index)),
          ...[...rows.keys()].map((row) => lineOfRow(groups, row)),
        ];
        expect(lines.toSorted((one, other) => one - other)).toEqual([...lines.keys()]);
        for (const index of groups.keys()) expect(headingsBefore(groups, lineOfHeading(groups, index))).toBe(index);
      }),
    );
  });

  it('of 100,000 rows are made in one pass', () => {
    let asked = 0;
    const { groups } = groupRows(all(100_000), (row) => {
      asked += 1;
      return String(row % 1000);
    });
    expect([asked, groups.length, groups[7]?.start]).toEqual([100_000, 1000, 700]);
  });
});

it('are put together by a column of the person’s own, by model or by kind', () => {
  const column = (header: string, meaning: string | null, isExtra = false) => ({ header, column: meaning, isExtra });
  const own = [column('Scene', null), column('.seed', 'seed', true)];
  const columns = [column('shot', 'shot'), ...own, column('model', 'model'), column('', null)];
  expect(groupColumns(columns).map(({ label, index }) => [label, index])).toEqual([
    ['Scene', 1],
    ['.seed', 2],
    ['model', 3],
  ]);
});
