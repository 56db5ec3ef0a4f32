import { keySheet, type CommandGroup } from '../../src/renderer/lib/keys.ts';
import { describe, expect, it } from 'vitest';
import { gridKeys } from '../../src/renderer/views/batch/draft/draft-commands.ts';

const hint = (group: CommandGroup, title: string, keys: string) => ({ group, title, keys });

describe('the key sheet', () => {
  it('has each meaning once, with every way to have it', () => {
    const sheet = keySheet([
      hint('Everywhere', 'Undo', '$mod+z'),
      hint('Everywhere', 'Search or run', '$mod+k'),
      hint('Shot list', 'Undo', '$mod+z'),
      hint('Shot list', 'Redo', '$mod+y'),
      hint('Shot list', 'Redo', '$mod+Shift+z'),
    ]);
    expect([...sheet]).toEqual([
      ['Everywhere', [{ title: 'Search or run', ways: ['$mod+k'] }]],
      [
        'Shot list',
        [
          { title: 'Undo', ways: ['$mod+z'] },
          { title: 'Redo', ways: ['$mod+y', '$mod+Shift+z'] },
        ],
      ],
    ]);
  });

  it('names the keys that the grid of a shot list hears itself', () => {
    const lines = keySheet(gridKeys).get('Shot list') ?? [];
    const keys = ['Enter', 'F2', 'Letters', 'Delete', 'Backspace', 'Alt+ArrowDown', 'Alt+Shift+ArrowLeft'];
    expect(lines.flatMap(({ ways }) => ways)).toEqual(keys);
  });
});
