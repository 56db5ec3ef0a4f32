import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DraftDefect } from '../../../src/contract/batch.ts';
import { DefectIndex, nextDefect } from '../../../src/renderer/views/batch/draft/defect-index.ts';
import { editRows, rowAfter, type DraftList, type RowEdit } from '../../../src/contract/draft-list.ts';
import { Draft } from '../../../src/engine/batches/draft.ts';
import type { DraftFile } from '../../../src/engine/batches/draft-file.ts';
import { orderFor, wholeList } from '../../../src/renderer/views/batch/draft/row-order.ts';

describe('the rows of a list', () => {
  const rows = (from: number, count: number) => Array.from({ length: count }, (_none, index) => [`${from + index}`]);

  it('takes rows below other rows in the same step as cells, and its defects go with the rows', () => {
    const edit: RowEdit = {
      type: 'cells',
      cells: [{ row: 1, column: 0, value: 'one' }],
      below: [1, 1, 3].map((row, index) => ({ row, cells: [`new ${index}`] })),
    };
    const shown = editRows(rows(0, 4), edit).map(([text]) => text);
    expect(shown).toEqual(['0', 'one', 'new 0', 'new 1', '2', '3', 'new 2']);
    expect([0, 1, 2, 3].map((row) => rowAfter(edit)?.(row))).toEqual([0, 1, 4, 5]);
  });

  it('takes rows below the last one in the same step as cells', () => {
    const edit: RowEdit = { type: 'cells', cells: [{ row: 0, column: 0, value: 'b' }], added: [['c'], ['d']] };
    expect(editRows([['a']], edit)).toEqual([['b'], ['c'], ['d']]);
  });

  it('sets a cell beyond the end of a short row', () => {
    const edit: RowEdit = { type: 'cells', cells: [{ row: 0, column: 3, value: 'd' }] };
    expect(editRows([['a']], edit)).toEqual([['a', '', '', 'd']]);
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
        let window: DraftList['rows'] = rows(0, 10);
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
          window = editRows(window, each);
          expect(window).toEqual(draft.list.rows);
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
        const after = editRows(rows(0, 20), change);
        for (let row = 0; row < 20; row += 1) {
          const moved = rowAfter(change)?.(row) ?? null;
          if (moved !== null) expect(after[moved]).toEqual([`${row}`]);
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
  const order = (request: Partial<typeof wholeList>) => Array.from(orderFor({ ...wholeList, ...request }, list) ?? []);

  it('needs no order when all is as it is listed', () => {
    expect(orderFor(wholeList, list)).toBeNull();
  });

  it.each<[string, Partial<typeof wholeList>, number[]]>([
    ['rows that hold every word, case apart', { text: 'HARBOUR keeper' }, [3]],
    ['rows that hold a word anywhere', { text: 'harbour' }, [0, 2, 3]],
    ['no row where the one column asked for has it not', { text: '1', column: 1 }, []],
    ['rows where the one column asked for has it', { text: '1', column: 0 }, [0]],
    ['only rows with defects when asked to', { onlyDefects: true }, [1]],
    ['numbers sorted as numbers, with empty cells last', { sort: { column: 0, descending: false } }, [3, 1, 0, 2]],
    ['numbers sorted down, with empty cells last too', { sort: { column: 0, descending: true } }, [0, 1, 3, 2]],
  ])('shows %s', (_what, request, rows) => {
    expect(order(request)).toEqual(rows);
  });
});
