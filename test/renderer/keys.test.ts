import { rowAfterKey, rowsOfPage } from '../../src/renderer/lib/keys.ts';
import { describe, expect, it } from 'vitest';
import { choiceAfter, choicesFor, havingWords, typedPiece, withoutTyped } from '../../src/renderer/lib/choices.ts';

const list = { rows: 30, page: 10 };

describe('moving through a list by keyboard', () => {
  it('goes one row with an arrow, a screenful with Page Down, and stops at the ends', () => {
    expect(rowAfterKey('ArrowDown', 4, list)).toBe(5);
    expect(rowAfterKey('PageDown', 4, list)).toBe(14);
    expect(rowAfterKey('PageDown', 25, list)).toBe(29);
    expect(rowAfterKey('ArrowUp', 0, list)).toBe(0);
    expect(rowAfterKey('End', 0, list)).toBe(29);
    expect(rowAfterKey('Home', 12, list)).toBe(0);
  });

  it('begins at the first row where none is active yet', () => {
    expect(rowAfterKey('ArrowDown', -1, list)).toBe(0);
    expect(rowAfterKey('ArrowUp', -1, list)).toBe(0);
  });

  it('stays in the column of tiles when it goes up or down, and goes to the side by one', () => {
    const tiles = { rows: 10, page: 2, columns: 4 };
    expect(rowAfterKey('ArrowDown', 1, tiles)).toBe(5);
    expect(rowAfterKey('ArrowDown', 7, tiles)).toBe(9);
    expect(rowAfterKey('ArrowDown', 8, tiles)).toBe(8);
    expect(rowAfterKey('ArrowUp', 2, tiles)).toBe(2);
    expect(rowAfterKey('PageDown', 1, tiles)).toBe(9);
    expect(rowAfterKey('PageUp', 9, tiles)).toBe(1);
    expect(rowAfterKey('ArrowRight', 3, tiles)).toBe(4);
    expect(rowAfterKey('ArrowLeft', 0, tiles)).toBe(0);
    expect(rowAfterKey('ArrowDown', -1, tiles)).toBe(0);
    expect(rowAfterKey('ArrowRight', 3, list)).toBeNull();
  });

  it('leads nowhere with another key, or in an empty list', () => {
    expect(rowAfterKey('Enter', 4, list)).toBeNull();
    expect(rowAfterKey('ArrowDown', -1, { rows: 0, page: 10 })).toBeNull();
  });

  it('keeps one row in sight when it goes on by a page, and always moves', () => {
    expect(rowsOfPage(280, 28)).toBe(9);
    expect(rowsOfPage(20, 28)).toBe(1);
  });
});

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
