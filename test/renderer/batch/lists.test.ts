import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DraftDefect } from '../../../src/contract/batch.ts';
import { DefectIndex, nextDefect } from '../../../src/renderer/views/batch/draft/defect-index.ts';
import type { DraftList, RowEdit } from '../../../src/contract/draft-list.ts';
import { Draft } from '../../../src/engine/batches/draft.ts';
import type { DraftFile } from '../../../src/engine/batches/draft-file.ts';
import { rowAfter, RowStore } from '../../../src/renderer/views/batch/draft/row-store.ts';
import { orderOf, wholeList } from '../../../src/renderer/views/batch/draft/view-order.ts';

describe('rows that are loaded by windows', () => {
  const rows = (from: number, count: number) => Array.from({ length: count }, (_none, index) => [`${from + index}`]);

  it('names the first stretch that is missing, no longer than asked for', () => {
    const store = new RowStore(100);
    store.put(0, rows(0, 10));
    expect(store.firstGap(0, 50, 20)).toEqual({ start: 10, count: 20 });
    expect(store.firstGap(0, 9, 20)).toBeNull();
  });

  it('asks for whole pages, whichever way the list is scrolled', () => {
    const store = new RowStore(2000);
    store.put(0, rows(0, 500));
    expect(store.pageFor(300, 501, 500)).toEqual({ start: 500, count: 500 });
    store.put(1500, rows(1500, 500));
    expect(store.pageFor(1498, 1600, 500)).toEqual({ start: 1000, count: 500 });
    expect(store.pageFor(0, 499, 500)).toBeNull();
  });

  it('asks for no row twice', () => {
    const store = new RowStore(1000);
    store.put(520, rows(520, 10));
    expect(store.pageFor(500, 600, 500)).toEqual({ start: 500, count: 20 });
    store.put(500, rows(500, 20));
    expect(store.pageFor(500, 600, 500)).toEqual({ start: 530, count: 470 });
  });

  it('knows when every row is there', () => {
    const store = new RowStore(3);
    store.put(1, rows(1, 2));
    expect(store.isComplete).toBe(false);
    store.put(0, rows(0, 1));
    expect(store.isComplete).toBe(true);
  });

  it('keeps rows that are not loaded in their places when others are put in or taken out', () => {
    const store = new RowStore(10);
    store.put(8, rows(8, 2));
    store.apply({ type: 'insert', at: 2, rows: [['new']] });
    expect(store.count).toBe(11);
    expect(store.row(9)).toEqual(['8']);
    store.apply({ type: 'remove', rows: [0, 1] });
    expect(store.count).toBe(9);
    expect(store.row(0)).toEqual(['new']);
    expect(store.row(7)).toEqual(['8']);
    expect(store.firstGap(0, 8, 100)).toEqual({ start: 1, count: 6 });
  });

  it('takes rows below other rows in the same step as cells, and its defects go with the rows', () => {
    const store = new RowStore(4);
    store.put(0, rows(0, 2));
    const edit: RowEdit = {
      type: 'cells',
      cells: [{ row: 1, column: 0, value: 'one' }],
      below: [1, 1, 3].map((row, index) => ({ row, cells: [`new ${index}`] })),
    };
    store.apply(edit);
    const shown = Array.from({ length: store.count }, (_none, row) => store.row(row)?.[0]);
    expect(shown).toEqual(['0', 'one', 'new 0', 'new 1', undefined, undefined, 'new 2']);
    expect(store.firstGap(0, 9, 9)).toEqual({ start: 4, count: 2 });
    expect([0, 1, 2, 3].map((row) => rowAfter(edit)?.(row))).toEqual([0, 1, 4, 5]);
  });

  it('takes rows below the last one in the same step as cells', () => {
    const store = new RowStore(1);
    store.put(0, [['a']]);
    store.apply({ type: 'cells', cells: [{ row: 0, column: 0, value: 'b' }], added: [['c'], ['d']] });
    expect([store.row(0), store.row(1), store.row(2)]).toEqual([['b'], ['c'], ['d']]);
    expect(store.isComplete).toBe(true);
  });

  it('sets a cell beyond the end of a short row', () => {
    const store = new RowStore(1);
    store.put(0, [['a']]);
    store.apply({ type: 'cells', cells: [{ row: 0, column: 3, value: 'd' }] });
    expect(store.row(0)).toEqual(['a', '', '', 'd']);
  });

  it('has the same rows after any edits as the engine, and those of before once they are undone', () => {
    const cells = fc.array(fc.string({ maxLength: 3 }), { maxLength: 3 });
    const place = { row: fc.nat(9), column: fc.nat(3), value: fc.string({ maxLength: 3 }) };
    const edit: fc.Arbitrary<RowEdit> = fc.oneof(
      fc.record(
        {
          type: fc.constant('cells' as const),
          cells: fc.array(fc.record(place), { maxLength: 6 }),
          below: fc.array(fc.record({ row: fc.nat(9), cells }), { maxLength: 4 }),
          added: fc.array(cells, { maxLength: 3 }),
        },
        { requiredKeys: ['type', 'cells'] },
      ),
      fc.record({ type: fc.constant('insert' as const), at: fc.nat(10), rows: fc.array(cells, { maxLength: 3 }) }),
      fc.record({ type: fc.constant('remove' as const), rows: fc.array(fc.nat(9), { maxLength: 4 }) }),
    );
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 8 }), (edits) => {
        const before: DraftList = {
          ...{ headers: ['shot', 'prompt', 'model'], mapping: {}, kind: null, defaults: {} },
          rows: rows(0, 10),
        };
        const draft = new Draft('project', {
          ...{ format: 1, id: 'one', name: 'Shots', createdAt: 0, source: 'shots.csv', listFolder: null },
          ...{ encoding: null, delimiter: null, sheet: null, sheets: [], defects: [], revision: 0 },
          ...structuredClone(before),
        } as unknown as DraftFile);
        const window = new RowStore(10);
        window.put(0, rows(0, 10));
        let made = 0;
        for (const each of edits) {
          try {
            draft.take({ edit: each }, draft.after({ edit: each }));
          } catch (error) {
            // An edit that the engine refuses is taken back in the window, which reads the list again.
            expect(error).toMatchObject({ code: 'not_there' });
            continue;
          }
          made += 1;
          window.apply(each);
          expect(Array.from({ length: window.count }, (_none, row) => window.row(row))).toEqual(draft.list.rows);
        }
        for (; made > 0; made -= 1) draft.take({ undo: true }, draft.after({ undo: true }));
        expect(draft.list).toEqual(before);
      }),
    );
  });

  it('tells where each row goes just as the rows themselves go', () => {
    const edit: fc.Arbitrary<RowEdit> = fc.oneof(
      fc.record({
        type: fc.constant('insert' as const),
        at: fc.nat(20),
        rows: fc.constant<string[][]>([['x'], ['y']]),
      }),
      fc.record({ type: fc.constant('remove' as const), rows: fc.uniqueArray(fc.nat(19), { maxLength: 8 }) }),
    );
    fc.assert(
      fc.property(edit, (change) => {
        const store = new RowStore(20);
        store.put(0, rows(0, 20));
        store.apply(change);
        for (let row = 0; row < 20; row += 1) {
          const moved = rowAfter(change)?.(row) ?? null;
          if (moved !== null) expect(store.row(moved)).toEqual([`${row}`]);
        }
      }),
    );
  });
});

const defect = (rowIndex: number, columnIndex: number, severity: 'error' | 'warning' = 'error'): DraftDefect => ({
  severity,
  row: rowIndex + 2,
  column: 'prompt',
  value: '',
  problem: severity === 'error' ? 'The prompt is missing.' : 'The model is not known.',
  remedy: 'Write one.',
  rowIndex,
  columnIndex,
});

const asListed = { rowOnScreen: (row: number) => row, columnOnScreen: (column: number) => column };

describe('the defects of a list', () => {
  it('tell the worst of a cell and of its row', () => {
    const index = new DefectIndex([defect(1, 2, 'warning'), defect(1, 2), defect(4, 0, 'warning')]);
    expect(index.severityAt(1, 2)).toBe('error');
    expect(index.severityAt(1, 3)).toBeNull();
    expect(index.severityOfRow(4)).toBe('warning');
  });

  it('of a header are found by its column', () => {
    const index = new DefectIndex([defect(-1, 3, 'warning'), defect(-1, -1), defect(0, 3)]);
    expect(index.ofHeader(3)).toMatchObject({ rowIndex: -1, severity: 'warning' });
    expect([index.ofHeader(2), index.ofHeader(-1)]).toEqual([null, null]);
  });

  it('are gathered by problem, errors first', () => {
    const index = new DefectIndex([defect(0, 0, 'warning'), defect(1, 0, 'warning'), defect(7, 2)]);
    expect(index.groups().map(({ severity, defects }) => [severity, defects.length])).toEqual([
      ['error', 1],
      ['warning', 2],
    ]);
  });

  it('are visited in reading order, round at the end, and back', () => {
    const index = new DefectIndex([defect(5, 1), defect(2, 3)]);
    expect(nextDefect(index, { row: 0, column: 0 }, false, asListed)).toMatchObject({ row: 2, column: 3 });
    expect(nextDefect(index, { row: 2, column: 3 }, false, asListed)).toMatchObject({ row: 5, column: 1 });
    expect(nextDefect(index, { row: 5, column: 1 }, false, asListed)).toMatchObject({ row: 2, column: 3 });
    expect(nextDefect(index, { row: 5, column: 1 }, true, asListed)).toMatchObject({ row: 2, column: 3 });
  });

  it('pass warnings over while an error is open', () => {
    const index = new DefectIndex([defect(0, 1, 'warning'), defect(9, 0)]);
    expect(nextDefect(index, { row: 0, column: 0 }, false, asListed)).toMatchObject({ row: 9 });
  });

  it('are not looked for in rows that a filter hides', () => {
    const index = new DefectIndex([defect(3, 0)]);
    expect(nextDefect(index, { row: 0, column: 0 }, false, { ...asListed, rowOnScreen: () => -1 })).toBeNull();
  });

  it('move along with their rows and go with them', () => {
    const edit: RowEdit = { type: 'remove', rows: [0, 5] };
    const moved = new DefectIndex([defect(5, 1), defect(8, 2)]).moved(rowAfter(edit) ?? ((row) => row));
    expect(moved.all.map(({ rowIndex, row }) => [rowIndex, row])).toEqual([[6, 8]]);
  });
});

describe('looking at a list another way', () => {
  const rows = [
    ['10', 'Harbour at dawn'],
    ['9', 'The keeper'],
    ['', 'Harbour by night'],
    ['2', 'keeper at the harbour'],
  ];
  const list = {
    rows: rows.length,
    columns: 2,
    text: (row: number, column: number) => rows[row]?.[column] ?? '',
    hasDefect: (row: number) => row === 1,
  };
  const order = (request: Partial<typeof wholeList>) => Array.from(orderOf({ ...wholeList, ...request }, list) ?? []);

  it('needs no order when all is as it is listed', () => {
    expect(orderOf(wholeList, list)).toBeNull();
  });

  it('shows rows that hold every word, case apart', () => {
    expect(order({ text: 'HARBOUR keeper' })).toEqual([3]);
    expect(order({ text: 'harbour' })).toEqual([0, 2, 3]);
  });

  it('looks in one column alone when asked to', () => {
    expect(order({ text: '1', column: 1 })).toEqual([]);
    expect(order({ text: '1', column: 0 })).toEqual([0]);
  });

  it('shows only rows with defects when asked to', () => {
    expect(order({ onlyDefects: true })).toEqual([1]);
  });

  it('sorts numbers as numbers, with empty cells last both ways', () => {
    expect(order({ sort: { column: 0, descending: false } })).toEqual([3, 1, 0, 2]);
    expect(order({ sort: { column: 0, descending: true } })).toEqual([0, 1, 3, 2]);
  });
});
