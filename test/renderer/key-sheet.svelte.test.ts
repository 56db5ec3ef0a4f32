import { keySheet, type CommandGroup } from '../../src/renderer/lib/keys.ts';
import { expect, it } from 'vitest';

const hint = (group: CommandGroup, title: string, keys: string) => ({ group, title, keys });

it('the key sheet has each meaning once, with every way to have it', () => {
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
