import { describe, expect, it } from 'vitest';
import { applyEdit, type DraftList } from '../../../src/contract/draft-list.ts';

const list: DraftList = {
  ...{ headers: ['shot', 'prompt'], mapping: {}, kind: null, defaults: {} },
  rows: [['010', 'A door'], ['020']],
};

describe('an edit of cells that adds columns', () => {
  it('puts them on the right and the cells into them, as one step', () => {
    const after = applyEdit(list, {
      type: 'cells',
      columns: ['notes'],
      cells: [{ row: 1, column: 2, value: 'See there' }],
    });
    expect(after.headers).toEqual(['shot', 'prompt', 'notes']);
    expect(after.rows).toEqual([
      ['010', 'A door'],
      ['020', '', 'See there'],
    ]);
  });

  it('is refused where there is such a column', () => {
    expect(() => applyEdit(list, { type: 'cells', columns: ['Prompt'], cells: [] })).toThrow(
      expect.objectContaining({ text: expect.saying(/already/) as unknown }),
    );
  });
});
