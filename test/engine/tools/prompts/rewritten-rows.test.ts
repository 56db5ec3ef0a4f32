import { describe, expect, it } from 'vitest';
import { rewrittenRows } from '../../../../src/engine/tools/prompts/rewritten-rows.ts';

const columns = { key: 0, prompt: 1 };
const rows = [['010', 'a door', 'night'], ['010-2', 'a hand'], ['020']];

describe('rows with new prompts', () => {
  it('keep everything else, and rows without a new prompt stay as they are', () => {
    expect(rewrittenRows(rows, columns, new Map([[0, ['a blue door']]]))).toEqual([
      ['010', 'a blue door', 'night'],
      ['010-2', 'a hand'],
      ['020'],
    ]);
  });

  it('have one row for each version, with a key that no other row has', () => {
    expect(rewrittenRows(rows, columns, new Map([[0, ['one', 'two', 'three']]]))).toEqual([
      ['010', 'one', 'night'],
      ['010-3', 'two', 'night'],
      ['010-4', 'three', 'night'],
      ['010-2', 'a hand'],
      ['020'],
    ]);
  });

  it('may lack keys, and cells', () => {
    expect(rewrittenRows([['020']], { key: null, prompt: 1 }, new Map([[0, ['x', 'y']]]))).toEqual([
      ['020', 'x'],
      ['020', 'y'],
    ]);
  });
});
