import type { KeyHint } from '../../../lib/key-sheet.ts';

const group = 'Shot list';

/** Keys that the grid hears itself while it has the keyboard. */
export const gridKeys: readonly KeyHint[] = [
  { group, title: 'Edit the cell', keys: 'Enter' },
  { group, title: 'Edit the cell', keys: 'F2' },
  { group, title: 'Replace the text of the cell', keys: 'Letters' },
  { group, title: 'Clear the cells', keys: 'Delete' },
  { group, title: 'Clear the cells', keys: 'Backspace' },
];
