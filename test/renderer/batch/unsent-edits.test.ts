import { describe, expect, it } from 'vitest';
import type { DraftEdit } from '../../../src/contract/batch.ts';
import type { UnsentEdit } from '../../../src/renderer/views/batch/draft/outbox.svelte.ts';
import { RowStore } from '../../../src/renderer/views/batch/draft/row-store.ts';
import { textsUnder, UnkeptCells } from '../../../src/renderer/views/batch/draft/unkept-cells.ts';

/** Rows `a`, `b` and `c`, called 10, 11 and 12. */
function loaded(): RowStore {
  const rows = new RowStore(3);
  rows.put(0, [['a'], ['b'], ['c']], [10, 11, 12]);
  return rows;
}

const cell = (row: number, value: string): DraftEdit => ({ type: 'cells', cells: [{ row, column: 0, value }] });
const unsent = (id: string, edit: DraftEdit, isRefused = true): UnsentEdit => ({
  id,
  revision: 0,
  edit,
  newRows: [],
  refused: isRefused ? { message: 'Another text was written there meanwhile.', remedy: '' } : null,
});

describe('rows of a list that others move', () => {
  it('are named as the engine names them, and found by that wherever they stand by now', () => {
    const told = loaded().named({ type: 'cells', cells: [{ row: 1, column: 0, value: 'B' }] });
    expect(told).toEqual(cell(11, 'B'));
    const moved = loaded();
    moved.apply({ type: 'insert', at: 0, rows: [['new']] }, [-1]);
    expect(moved.placed(cell(11, 'B'))).toMatchObject({ cells: [{ row: 2 }] });
    expect(moved.placed({ type: 'insert', after: 11, rows: [[]] })).toMatchObject({ at: 3 });
    expect(moved.named({ type: 'insert', at: 0, rows: [[]] })).toMatchObject({ after: null });
    expect(moved.named({ type: 'remove', rows: [0, 3] })).toMatchObject({ rows: [-1, 12] });
  });

  it('are left out of an edit when they are not there any more', () => {
    const rows = loaded();
    rows.apply({ type: 'remove', rows: [1] }, []);
    expect(rows.placed(cell(11, 'B'))).toMatchObject({ cells: [] });
    expect(rows.placed({ type: 'remove', rows: [10, 11] })).toMatchObject({ rows: [0] });
  });

  it('have no name before they are loaded', () => {
    const rows = new RowStore(2);
    rows.put(0, [['a']], [10]);
    expect(rows.named({ type: 'cells', cells: [{ row: 1, column: 0, value: 'B' }] })).toBeNull();
    expect(rows.named({ type: 'insert', at: 2, rows: [[]] })).toBeNull();
  });

  it('are called as the engine calls them once it has them', () => {
    const rows = loaded();
    rows.apply({ type: 'insert', at: 3, rows: [['d'], ['e']] }, [-2, -1]);
    rows.rename(
      new Map([
        [-2, 13],
        [-1, 14],
      ]),
    );
    expect([rows.idAt(3), rows.placeOf(14), rows.placeOf(-1)]).toEqual([13, 4, -1]);
  });
});

describe('cells whose text the engine does not have', () => {
  const many: DraftEdit = { type: 'cells', cells: [10, 11].map((row) => ({ row, column: 0, value: 'x' })) };

  it('name the edit that wrote them, and what the list has there', () => {
    const edit = unsent('one', cell(11, 'B'));
    const cells = new UnkeptCells([edit], textsUnder([edit], loaded()));
    expect(cells.at(11, 0)).toBe(edit);
    expect(cells.at(11, 1)).toBeNull();
    expect(cells.at(null, 0)).toBeNull();
    expect(cells.theirs(11, 0)).toBe('b');
  });

  it('are those of rows that were put in, too', () => {
    const edit = { ...unsent('one', { type: 'cells', cells: [], added: [['d']] }), newRows: [-1] };
    expect(new UnkeptCells([edit], new Map()).at(-1, 0)).toBe(edit);
  });

  it('are written over with what the list has told as the text replaced, not with what was refused', () => {
    const edit = unsent('one', cell(11, 'B'));
    const shown = loaded();
    shown.apply(shown.placed(edit.edit), []);
    const cells = new UnkeptCells([edit], textsUnder([edit], loaded()));
    const written = { type: 'cells' as const, cells: [{ row: 1, column: 0, value: 'Bee' }] };
    expect(cells.withTextsReplaced(written, shown)).toMatchObject({ cells: [{ was: 'b', value: 'Bee' }] });
    const elsewhere = { type: 'cells' as const, cells: [{ row: 0, column: 0, value: 'A' }] };
    expect(cells.withTextsReplaced(elsewhere, shown)).toMatchObject({ cells: [{ was: 'a' }] });
  });

  it('are no longer of an edit of which every cell was written anew', () => {
    const cells = new UnkeptCells([unsent('block', many), unsent('waits', cell(10, 'y'), false)], new Map());
    expect(cells.replacedBy(cell(10, 'z'))).toEqual([]);
    expect(cells.replacedBy(many)).toEqual(['block']);
  });
});
