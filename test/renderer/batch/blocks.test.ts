import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fillDown,
  fillRange,
  planPaste,
  readTsv,
  writeTsv,
} from '../../../src/renderer/views/batch/draft/cell-texts.ts';

const cell = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('', '"', 'a\tb', 'two\nlines', '"quoted"', ' ', '\r\n'),
);
const block = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }))
  .chain(([rows, columns]) =>
    fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: rows, maxLength: rows }),
  );

describe('a block on the clipboard', () => {
  it('comes back as it was copied', () => {
    fc.assert(
      fc.property(block, (rows) => {
        expect(readTsv(writeTsv(rows))).toEqual(rows);
      }),
    );
  });

  it('is read as a spreadsheet writes it: no row for the last line break, quotes around line breaks', () => {
    expect(readTsv('010\tvideo\r\n020\t"two\nlines, ""quoted"""\r\n')).toEqual([
      ['010', 'video'],
      ['020', 'two\nlines, "quoted"'],
    ]);
  });

  it('keeps a text that only begins with a quote', () => {
    expect(readTsv('"Stop," she said\tnext')).toEqual([['"Stop," she said', 'next']]);
  });

  it('makes short rows as wide as the widest', () => {
    expect(readTsv('a\nb\tc\n')).toEqual([
      ['a', ''],
      ['b', 'c'],
    ]);
  });
});

describe('pasting', () => {
  const at = (top: number, left: number, bottom = top, right = left) => ({ top, left, bottom, right });

  it('goes from the active cell on', () => {
    const { cells, added } = planPaste([['a', 'b']], at(2, 1), { rows: 5, columns: 4 });
    expect(cells).toEqual([
      { row: 2, column: 1, value: 'a' },
      { row: 2, column: 2, value: 'b' },
    ]);
    expect(added).toEqual([]);
  });

  it('adds rows below the last one for what finds no room', () => {
    const { cells, added, covered } = planPaste([['a'], ['b'], ['c']], at(4, 1), { rows: 5, columns: 4 });
    expect(cells).toEqual([{ row: 4, column: 1, value: 'a' }]);
    expect(added).toEqual([
      ['', 'b'],
      ['', 'c'],
    ]);
    expect(covered).toEqual(at(4, 1, 6, 1));
  });

  it('says how many columns found no room', () => {
    const { cells, droppedColumns } = planPaste([['a', 'b', 'c']], at(0, 2), { rows: 1, columns: 4 });
    expect(cells.map(({ value }) => value)).toEqual(['a', 'b']);
    expect(droppedColumns).toBe(1);
  });

  it('repeats a single cell over the whole selection', () => {
    const { cells } = planPaste([['x']], at(0, 0, 1, 1), { rows: 9, columns: 9 });
    expect(cells).toHaveLength(4);
    expect(new Set(cells.map(({ value }) => value))).toEqual(new Set(['x']));
  });

  it('does not repeat a block that does not fit a whole number of times', () => {
    const { cells } = planPaste([['a'], ['b']], at(0, 0, 2, 0), { rows: 9, columns: 9 });
    expect(cells.map(({ value }) => value)).toEqual(['a', 'b']);
  });
});

describe('filling', () => {
  const text = (row: number, column: number) => `${row}.${column}`;

  it('copies the first row of the selection into the others', () => {
    expect(fillDown({ top: 1, bottom: 3, left: 0, right: 0 }, text)).toEqual([
      { row: 2, column: 0, value: '1.0' },
      { row: 3, column: 0, value: '1.0' },
    ]);
  });

  it('takes the row above when a single row is selected', () => {
    expect(fillDown({ top: 2, bottom: 2, left: 1, right: 2 }, text)).toEqual([
      { row: 2, column: 1, value: '1.1' },
      { row: 2, column: 2, value: '1.2' },
    ]);
  });

  it('has nothing to take above the first row', () => {
    expect(fillDown({ top: 0, bottom: 0, left: 0, right: 0 }, text)).toEqual([]);
  });

  it('covers every cell of a range once', () => {
    expect(fillRange({ top: 0, bottom: 1, left: 0, right: 2 }, () => '')).toHaveLength(6);
  });
});
