import { expect, it } from 'vitest';
import { rowsAsShots } from '../../../src/renderer/views/batch/draft/rows-as-shots.ts';

const shotsIn = (rows: readonly (readonly string[] | null)[], keyColumn = 0) =>
  rowsAsShots(rows.length, (row) => rows[row] ?? null, keyColumn).map(({ shot, listRow }) => `${shot} at ${listRow}`);

it('passes over blank rows, and numbers rows without a key by their place among the others', () => {
  expect(shotsIn([['010', 'A gull'], ['', ' '], [], ['', 'A pier']])).toEqual(['010 at 0', '0002 at 3']);
  expect(shotsIn([['A gull'], [''], ['A pier']], -1)).toEqual(['0001 at 0', '0002 at 2']);
});

it('takes a row that is not loaded for a shot', () => {
  expect(shotsIn([['010'], null, [' 030 ']])).toEqual(['010 at 0', '0002 at 1', '030 at 2']);
});
