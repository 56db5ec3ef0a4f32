import type { KeyHint } from '../../../lib/keys.ts';
import type { Command } from '../../../lib/state/commands.svelte.ts';
import type { PromptWork } from '../tools/prompt-work.svelte.ts';
import { promptTools } from '../tools/prompt-tools.ts';
import type { SheetEditor } from './sheet-editor.svelte.ts';

const group = 'Shot list';

/** Keys that the grid hears itself while it has the keyboard. */
export const gridKeys: readonly KeyHint[] = [
  { group, title: 'Edit the cell', keys: 'Enter' },
  { group, title: 'Edit the cell', keys: 'F2' },
  { group, title: 'Replace the text of the cell', keys: 'Letters' },
  { group, title: 'Clear the cells', keys: 'Delete' },
  { group, title: 'Clear the cells', keys: 'Backspace' },
];

interface Draft {
  readonly editor: SheetEditor;
  readonly work: PromptWork;
  /** A text field has the keyboard: its own undo and clipboard go first. */
  readonly isTyping: () => boolean;
  readonly nextDefect: (back: boolean) => void;
  readonly find: () => void;
  readonly filter: () => void;
  readonly assets: () => void;
  readonly save: () => void;
  readonly start: () => void;
}

/** What can be done with a list, for the palette, the key sheet and the keyboard. */
export function draftCommands(draft: Draft): readonly Command[] {
  const { editor } = draft;
  const inGrid = () => !draft.isTyping();
  const one = (id: string, title: string, keys: string | undefined, run: () => void, enabled = inGrid): Command => ({
    id: `batch.${id}`,
    title,
    group,
    ...(keys !== undefined && { keys }),
    run,
    enabled,
  });
  const always = () => true;
  return [
    one('next-defect', 'Next defect', 'F8', () => draft.nextDefect(false), always),
    one('previous-defect', 'Previous defect', 'Shift+F8', () => draft.nextDefect(true), always),
    one('find', 'Find in the list', '$mod+f', draft.find, always),
    one('filter', 'Filter the list', '$mod+Shift+f', draft.filter, always),
    one('assets', 'Choose an asset for the cell', '$mod+Shift+l', draft.assets, always),
    one('undo', 'Undo', '$mod+z', () => editor.undo()),
    one('redo', 'Redo', '$mod+y', () => editor.redo()),
    one('redo-too', 'Redo', '$mod+Shift+z', () => editor.redo()),
    one('fill-down', 'Fill down', '$mod+d', () => void editor.fillDown()),
    one('insert', 'Insert row below', '$mod+Enter', () => editor.insertRow('below')),
    one('remove', 'Remove rows', '$mod+Backspace', () => void editor.removeRows()),
    ...promptTools.map((tool) =>
      one(tool.id, `${tool.label}: prompts of selected rows`, tool.keys, () => void draft.work.begin(tool)),
    ),
    one('save', 'Save as list', '$mod+s', draft.save, always),
    one('start', 'Start the batch', '$mod+Shift+Enter', draft.start, always),
  ];
}
