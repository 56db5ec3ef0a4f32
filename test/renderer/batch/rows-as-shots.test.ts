import { expect, it } from 'vitest';
import { rowsAsShots } from '../../../src/renderer/views/batch/draft/columns.ts';

const shotsIn = (rows: readonly (readonly string[])[], keyColumn = 0) =>
  rowsAsShots(rows, keyColumn).map(({ shot, listRow }) => `${shot} at ${listRow}`);

it('passes over blank rows, and numbers rows without a key by their place among the others', () => {
  expect(shotsIn([['010', 'A gull'], ['', ' '], [], ['', 'A pier']])).toEqual(['010 at 0', '0002 at 3']);
  expect(shotsIn([['A gull'], [''], ['A pier']], -1)).toEqual(['0001 at 0', '0002 at 2']);
});
