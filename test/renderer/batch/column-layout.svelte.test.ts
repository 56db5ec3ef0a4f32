import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ArrangedColumns, plainLayout } from '../../../src/renderer/views/batch/draft/arranged-columns.svelte.ts';
import { arrangedColumns, columnKeys, moved } from '../../../src/renderer/views/batch/draft/columns.ts';
import type { OpenDraft } from '../../../src/renderer/views/batch/draft/open-draft.svelte.ts';
import { frozenThatFit, type GridColumn } from '../../../src/renderer/views/batch/grid/grid-source.ts';

describe('the order of columns', () => {
  it('is that of the list with the shot first, until a person arranges them', () => {
    expect(arrangedColumns(columnKeys(['model', 'shot', 'prompt']), [], 1)).toEqual([1, 0, 2]);
    expect(arrangedColumns(columnKeys(['model', 'prompt']), [], -1)).toEqual([0, 1]);
  });

  it('puts a column that came later behind the one that it follows in the list', () => {
    const order = ['prompt', 'shot', 'model'];
    const keys = columnKeys(['shot', 'model', 'seed', 'prompt']);
    expect(arrangedColumns(keys, order, 0)).toEqual([3, 0, 1, 2]);
  });

  it('has every column of the list once, whatever was kept for it', () => {
    const headers = fc.array(fc.constantFrom('shot', 'Shot', 'prompt', '', 'model', '场景'), { maxLength: 12 });
    const order = fc.array(fc.constantFrom('shot', 'shot 2', 'prompt', '', 'gone', '场景'), { maxLength: 8 });
    fc.assert(
      fc.property(headers, fc.uniqueArray(fc.string()), order, (list, others, kept) => {
        const keys = columnKeys(list);
        expect(new Set(keys).size).toBe(keys.length);
        const arranged = arrangedColumns(keys, [...new Set([...kept, ...others])], list.indexOf('shot'));
        expect(arranged.toSorted((one, other) => one - other)).toEqual(list.map((_header, index) => index));
      }),
    );
  });

  it('takes one place to another and leaves the others in their order', () => {
    expect(moved(['a', 'b', 'c', 'd'], 0, 2)).toEqual(['b', 'c', 'a', 'd']);
    expect(moved(['a', 'b', 'c', 'd'], 3, 0)).toEqual(['d', 'a', 'b', 'c']);
    expect(moved(['a', 'b'], 0, 2)).toEqual(['a', 'b']);
  });
});

describe('frozen columns', () => {
  const column = (width: number): GridColumn => ({
    ...{ key: String(width), title: '', subtitle: '', width, alignEnd: false, defect: null, sorted: null },
    ...{ hasPictures: false, stretches: false },
  });

  it('are as many as were asked for while the others keep room to scroll', () => {
    const columns = [100, 200, 300, 400].map(column);
    expect(frozenThatFit(columns, 3, 1200)).toBe(3);
    expect(frozenThatFit(columns, 3, 700)).toBe(2);
    expect(frozenThatFit(columns, 3, 100)).toBe(1);
    expect(frozenThatFit(columns, 1, 1200)).toBe(1);
    expect(frozenThatFit([], 3, 1200)).toBe(0);
  });
});

it('lists of a batch share their layout, and one that was arranged before it was started keeps its own', () => {
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined });
  const columnsOf = (id: string, batchId: string | null) =>
    new ArrangedColumns({ view: { id, batchId, columns: [] } } as unknown as OpenDraft);
  columnsOf('an earlier list', 'day').layout = { ...plainLayout, group: 'model' };
  expect(columnsOf('a later list', 'day').layout.group).toBe('model');
  columnsOf('new', null).layout = { ...plainLayout, group: 'kind' };
  expect(columnsOf('new', 'night').layout.group).toBe('kind');
  vi.unstubAllGlobals();
});
