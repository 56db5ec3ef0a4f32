import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Piece, wordChanges } from '../../src/renderer/lib/word-diff.ts';

const SIGNS = { same: '', added: '+', removed: '-' } as const;
const marked = (pieces: readonly Piece[]): string =>
  pieces.map(({ text, is }) => (is === 'same' ? text : `[${SIGNS[is]}${text}]`)).join('');
const without = (pieces: readonly Piece[], left: Piece['is']): string =>
  pieces.flatMap(({ text, is }) => (is === left ? [] : [text])).join('');

describe('the words that two texts differ in', () => {
  it('are marked between those of both', () => {
    expect(marked(wordChanges('A red door, closed', 'A blue door, closed'))).toBe('A [-red][+blue] door, closed');
    expect(marked(wordChanges('A door', 'A door at night'))).toBe('A door[+ at night]');
    expect(marked(wordChanges('', ''))).toBe('');
  });

  it('are told apart in scripts without spaces', () => {
    expect(marked(wordChanges('赤い扉', '青い扉'))).toMatch(/^\[-.+\]\[\+.+\]扉$/);
  });

  it('leave both texts whole, whatever they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (one, other) => {
        const pieces = wordChanges(one, other);
        expect(without(pieces, 'added')).toBe(one);
        expect(without(pieces, 'removed')).toBe(other);
      }),
    );
  });

  it('are not looked for in texts that have nothing in common, or beyond what anybody reads', () => {
    const long = (word: string) => Array.from({ length: 3000 }, (_, index) => `${word}${String(index)}`).join(' ');
    expect(wordChanges(long('a'), long('b')).map(({ text, is }) => [text.length, is])).toEqual([
      [4001, 'removed'],
      [4001, 'added'],
    ]);
  });
});
