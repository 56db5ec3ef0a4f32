import { describe, expect, it } from 'vitest';
import { rewriteEdit } from '../../src/contract/draft-list.ts';

const columns = { key: 0, prompt: 1 };
const rows = [['010', 'a door', 'night'], ['010-2', 'a hand'], ['020']];

describe('the edit that puts new prompts into a list', () => {
  it('changes the prompts that have a new one, and nothing else', () => {
    const prompts = new Map([
      [2, { inPlace: 'a blue door', below: [] }],
      [0, { below: [] }],
    ]);
    expect(rewriteEdit(rows, columns, prompts)).toEqual({
      type: 'cells',
      cells: [{ row: 2, column: 1, value: 'a blue door' }],
      below: [],
    });
  });

  it('puts further versions into rows below, each with the cells of its row and a key that no other row has', () => {
    const prompts = new Map([[0, { inPlace: 'one', below: ['two', 'three'] }]]);
    expect(rewriteEdit(rows, columns, prompts).below).toEqual([
      { row: 0, cells: ['010-3', 'two', 'night'] },
      { row: 0, cells: ['010-4', 'three', 'night'] },
    ]);
  });

  it('needs neither keys nor cells', () => {
    const prompts = new Map([[0, { below: ['y'] }]]);
    expect(rewriteEdit([['020']], { key: null, prompt: 1 }, prompts).below).toEqual([{ row: 0, cells: ['020', 'y'] }]);
    expect(rewriteEdit([['']], columns, prompts).below).toEqual([{ row: 0, cells: ['', 'y'] }]);
  });
});
