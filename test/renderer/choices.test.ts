import { describe, expect, it } from 'vitest';
import { choiceAfter, choicesFor, havingWords, typedPiece, withoutTyped } from '../../src/renderer/lib/choices.ts';

const models = ['vgen-2.0', 'vgen-2.0-nt', 'image-demo'];

describe('choosing while typing', () => {
  it('offers everything until something is typed, then what has it in it', () => {
    expect(choicesFor(' ', models)).toEqual(models);
    expect(choicesFor('NT', models)).toEqual(['vgen-2.0-nt']);
    expect(choicesFor('none', models)).toEqual([]);
  });

  it('finds what has every typed word, in any order', () => {
    const batches = ['Night ext 2: the door', 'Day 2'];
    const found = (typed: string) => havingWords(typed, batches, (batch) => batch);
    expect(found(' DOOR night ')).toEqual(['Night ext 2: the door']);
    expect(found('2')).toEqual(batches);
    expect(found(' ')).toEqual(batches);
  });

  it('puts a choice in the place of the typed text, beside the names before it', () => {
    const typed = typedPiece('Asset://1; pie', true);
    expect(typed.trim()).toBe('pie');
    expect(withoutTyped('Asset://1; pie', typed)).toBe('Asset://1');
    expect(withoutTyped('Asset://1', '')).toBe('Asset://1');
  });

  it('goes round and round by arrows, and begins at the nearer end', () => {
    expect(choiceAfter(-1, 1, 3)).toBe(0);
    expect(choiceAfter(-1, -1, 3)).toBe(2);
    expect(choiceAfter(2, 1, 3)).toBe(0);
    expect(choiceAfter(0, 1, 0)).toBe(-1);
  });
});
