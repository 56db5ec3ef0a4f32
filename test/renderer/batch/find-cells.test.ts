import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finderFor } from '../../../src/renderer/views/batch/draft/cell-texts.ts';

const finder = (text: string, change: { matchCase?: boolean; wholeCell?: boolean } = {}) => {
  const found = finderFor({ text, matchCase: false, wholeCell: false, ...change });
  if (found === null) throw new Error('The search is empty.');
  return found;
};

describe('finding a text in cells', () => {
  it('passes over case unless it is asked for, and counts each place once', () => {
    expect(finder('Sea').count('The sea, the SEA, the seaside')).toBe(3);
    expect(finder('Sea', { matchCase: true }).count('The sea, the Sea')).toBe(1);
    expect(finder('aa').count('aaaa')).toBe(2);
    expect(finder('ÄRGER').replaced('ärger im Hafen', 'Ruhe')).toBe('Ruhe im Hafen');
  });

  it('takes a cell as a whole where that is asked for, spaces around it apart', () => {
    expect(finder('5', { wholeCell: true }).matches(' 5 ')).toBe(true);
    expect(finder('5', { wholeCell: true }).matches('15')).toBe(false);
    expect(finder(' 5', { wholeCell: true }).replaced(' 5 ', '8')).toBe('8');
  });

  it('reads no sign as a pattern, neither in the searched text nor in the new one', () => {
    expect(finder('.*').matches('anything')).toBe(false);
    expect(finder('$1 (a|b)').replaced('cost: $1 (a|b)', '$& $1')).toBe('cost: $& $1');
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1 }),
        fc.string(),
        fc.string({ unit: 'grapheme' }),
        (text, by, around) => {
          const cell = `${around}${text}${around}`;
          expect(finder(text, { matchCase: true }).replaced(cell, by)).toBe(cell.replaceAll(text, () => by));
        },
      ),
    );
  });

  it('seeks nothing where no text is given', () => {
    expect(finderFor({ text: '', matchCase: false, wholeCell: false })).toBeNull();
    expect(finderFor({ text: '  ', matchCase: false, wholeCell: true })).toBeNull();
  });
});
