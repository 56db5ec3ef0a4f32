import { describe, expect, it } from 'vitest';
import { Kind } from '../../../src/contract/kinds/kind.ts';
import { presetColumns } from '../../../src/contract/prompt-library.ts';
import { presetEdit, rowsEdit, settingsOfRow } from '../../../src/renderer/views/batch/draft/columns.ts';

const column = (header: string, name: string | null = header, isExtra = false) => ({ header, column: name, isExtra });
const columns = [
  column('shot'),
  column('model'),
  column('prompt'),
  column('resolution', 'size'),
  column('first_frame'),
  column('takes'),
  column('scene', null),
  column('param.seed', 'param.seed', true),
];
const row = ['010', 'vgen-2.0-nt', 'A pier', '720p', 'pier.png', '4', 'Harbour', '7'];

describe('a preset', () => {
  it('holds the settings of a row, and nothing of what the shot is about', () => {
    expect(settingsOfRow(columns, 'video', (at) => row[at] ?? '')).toEqual({ model: 'vgen-2.0-nt', size: '720p' });
    for (const kind of Kind.options) {
      const names = presetColumns(kind).map(({ name }) => name);
      expect(names).toContain('model');
      for (const about of ['shot', 'prompt', 'takes', 'first_frame', 'lyrics', 'notes'])
        expect(names).not.toContain(about);
    }
  });

  it('becomes one edit of all rows, with the columns that the list lacks', () => {
    const preset = { kind: 'video' as const, cells: { size: '1080p', duration: '8', prompt: 'never' } };
    expect(presetEdit(columns, preset, [0, 2])).toEqual({
      type: 'cells',
      columns: ['duration'],
      cells: [
        { row: 0, column: 3, value: '1080p' },
        { row: 0, column: 8, value: '8' },
        { row: 2, column: 3, value: '1080p' },
        { row: 2, column: 8, value: '8' },
      ],
    });
  });
});

it('the form of a row writes known and missing columns in one edit', () => {
  const texts = [
    { column: 4, name: 'first_frame', value: 'dawn.png' },
    { column: -1, name: 'notes', value: 'Twice' },
  ];
  expect(rowsEdit(columns, texts, [7])).toEqual({
    type: 'cells',
    columns: ['notes'],
    cells: [
      { row: 7, column: 4, value: 'dawn.png' },
      { row: 7, column: 8, value: 'Twice' },
    ],
  });
});
