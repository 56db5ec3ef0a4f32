import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  movedBy,
  nextInReadingOrder,
  rangeFor,
  findNext,
  stretched,
  type GridColumn,
} from '../../../src/renderer/views/batch/grid/grid-source.ts';

const bounds = { rows: 100, columns: 10 };
const press = (key: string, mod = false) => ({ key, mod, page: 20 });
const nothing = () => false;

describe('moving in the grid', () => {
  it('goes one cell with an arrow, and to the end with Ctrl where nothing stands in between', () => {
    expect(movedBy({ row: 5, column: 5 }, press('ArrowDown'), bounds, nothing)).toEqual({ row: 6, column: 5 });
    expect(movedBy({ row: 5, column: 5 }, press('ArrowDown', true), bounds, nothing)).toEqual({ row: 99, column: 5 });
    expect(movedBy({ row: 5, column: 5 }, press('ArrowLeft', true), bounds, nothing)).toEqual({ row: 5, column: 0 });
  });

  it('stops with Ctrl at the edge of the filled cells, as spreadsheets do', () => {
    const filled = new Set([2, 3, 4, 8, 9]);
    const isFilled = ({ row }: { row: number }) => filled.has(row);
    const jump = (row: number, key: string) =>
      movedBy({ row, column: 0 }, press(key, true), { rows: 12, columns: 1 }, isFilled)?.row;
    expect(jump(0, 'ArrowDown')).toBe(2);
    expect(jump(2, 'ArrowDown')).toBe(4);
    expect(jump(4, 'ArrowDown')).toBe(8);
    expect(jump(9, 'ArrowDown')).toBe(11);
    expect(jump(11, 'ArrowDown')).toBe(11);
    expect(jump(11, 'ArrowUp')).toBe(9);
    expect(jump(9, 'ArrowUp')).toBe(8);
    expect(jump(2, 'ArrowUp')).toBe(0);
  });

  it('goes to the ends of the row with Home and End, and of the list with Ctrl', () => {
    expect(movedBy({ row: 5, column: 5 }, press('End'), bounds, nothing)).toEqual({ row: 5, column: 9 });
    expect(movedBy({ row: 5, column: 5 }, press('End', true), bounds, nothing)).toEqual({ row: 99, column: 9 });
    expect(movedBy({ row: 5, column: 5 }, press('Home', true), bounds, nothing)).toEqual({ row: 0, column: 0 });
  });

  it('passes a screenful with Page Down and stops at the last row', () => {
    expect(movedBy({ row: 5, column: 5 }, press('PageDown'), bounds, nothing)).toEqual({ row: 25, column: 5 });
    expect(movedBy({ row: 95, column: 5 }, press('PageDown'), bounds, nothing)).toEqual({ row: 99, column: 5 });
  });

  it('leaves every other key alone', () => {
    expect(movedBy({ row: 5, column: 5 }, press('x'), bounds, nothing)).toBeNull();
  });

  it('never leaves the grid', () => {
    const keys = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown'];
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...keys), fc.boolean())), (presses) => {
        let place = { row: 0, column: 0 };
        for (const [key, mod] of presses) place = movedBy(place, press(key, mod), bounds, nothing) ?? place;
        expect(place.row).toBeGreaterThanOrEqual(0);
        expect(place.row).toBeLessThan(bounds.rows);
        expect(place.column).toBeGreaterThanOrEqual(0);
        expect(place.column).toBeLessThan(bounds.columns);
      }),
    );
  });

  it('goes on in the next row after the last cell of one, and out after the very last', () => {
    expect(nextInReadingOrder({ row: 0, column: 9 }, false, bounds)).toEqual({ row: 1, column: 0 });
    expect(nextInReadingOrder({ row: 1, column: 0 }, true, bounds)).toEqual({ row: 0, column: 9 });
    expect(nextInReadingOrder({ row: 99, column: 9 }, false, bounds)).toBeNull();
  });

  it('selects the same cells from whichever corner it began', () => {
    const [one, other] = [
      { row: 3, column: 7 },
      { row: 8, column: 2 },
    ];
    expect(rangeFor(one, other)).toEqual({ top: 3, bottom: 8, left: 2, right: 7 });
    expect(rangeFor(other, one)).toEqual(rangeFor(one, other));
  });
});

describe('the width of columns', () => {
  const column = (key: string, width: number, stretches = false): GridColumn => ({
    key,
    title: key,
    subtitle: '',
    width,
    alignEnd: false,
    defect: null,
    sorted: null,
    hasPictures: false,
    stretches,
  });
  const widths = (columns: readonly GridColumn[], width: number) => stretched(columns, width).map((each) => each.width);

  it('gives what is left of a wide window to the prompts, within reason', () => {
    const columns = [column('shot', 100), column('prompt', 380, true), column('duration', 90)];
    expect(widths(columns, 700)).toEqual([100, 510, 90]);
    expect(widths(columns, 4000)).toEqual([100, 900, 90]);
  });

  it('leaves columns as they are where there is no room, or nobody wants it', () => {
    expect(widths([column('shot', 100), column('prompt', 380, true)], 300)).toEqual([100, 380]);
    expect(widths([column('shot', 100), column('prompt', 380)], 2000)).toEqual([100, 380]);
  });
});

describe('finding', () => {
  const rows = [
    ['010', 'Harbour at dawn'],
    ['020', 'The keeper'],
    ['030', 'harbour by night'],
  ];
  const list = { rows: 3, columns: 2 };
  const having = (text: string) => (place: { row: number; column: number }) =>
    rows[place.row]?.[place.column]?.toLowerCase().includes(text) ?? false;

  it('goes on from the active cell and round at the end', () => {
    expect(findNext(having('harbour'), { row: 0, column: 1 }, false, list)).toEqual({ row: 2, column: 1 });
    expect(findNext(having('harbour'), { row: 2, column: 1 }, false, list)).toEqual({ row: 0, column: 1 });
  });

  it('goes back as well', () => {
    expect(findNext(having('0'), { row: 1, column: 0 }, true, list)).toEqual({ row: 0, column: 0 });
  });

  it('finds nothing where nothing is', () => {
    expect(findNext(having('gull'), { row: 0, column: 0 }, false, list)).toBeNull();
  });
});
