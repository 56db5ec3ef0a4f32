import { describe, expect, it } from 'vitest';
import { bulkChanges, bulkText, type BulkEdit } from '../../../src/renderer/views/batch/draft/cell-texts.ts';

const edit = (change: Partial<BulkEdit>): BulkEdit => ({
  ...{ action: 'set', text: '' },
  ...change,
});

describe('an edit of many rows', () => {
  it('joins texts with a blank where words would run together, and only there', () => {
    expect(bulkText('A pier', edit({ action: 'append', text: 'at night' }))).toBe('A pier at night');
    expect(bulkText('A pier', edit({ action: 'append', text: ', 35 mm' }))).toBe('A pier, 35 mm');
    expect(bulkText('码头', edit({ action: 'append', text: '，夜晚' }))).toBe('码头，夜晚');
    expect(bulkText('A pier\n', edit({ action: 'append', text: 'at night' }))).toBe('A pier\nat night');
    expect(bulkText('a pier', edit({ action: 'prepend', text: 'Wide:' }))).toBe('Wide: a pier');
    expect(bulkText('', edit({ action: 'append', text: 'Night' }))).toBe('Night');
    expect(bulkText('A pier', edit({ action: 'append', text: '' }))).toBe('A pier');
  });

  it('sets', () => {
    expect(bulkText('5', edit({ text: '8' }))).toBe('8');
  });

  it('changes nothing while no text was typed', () => {
    for (const action of ['set', 'append', 'prepend'] as const) expect(bulkText('010', edit({ action }))).toBe('010');
  });

  it('names only the rows that it changes', () => {
    const rows = ['4', '5', '', '5'];
    expect(bulkChanges(edit({ text: '5' }), { top: 0, bottom: 3 }, (row) => rows[row] ?? '')).toEqual([
      { row: 0, before: '4', after: '5' },
      { row: 2, before: '', after: '5' },
    ]);
  });
});
