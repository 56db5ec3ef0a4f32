import { say } from '../../../../contract/messages/words.ts';
import type { KeyHint } from '../../../lib/keys.ts';
import type { Command } from '../../../lib/state/commands.svelte.ts';
import type { PromptWork } from '../tools/prompt-work.svelte.ts';
import { promptTools } from '../tools/prompt-tools.ts';
import type { SheetEditor } from './sheet-editor.svelte.ts';

const group = 'Shot list';

/** Keys that the grid handles itself while it has the focus. */
export const gridKeys: readonly KeyHint[] = [
  { group, title: say('list.editCell'), keys: 'Enter' },
  { group, title: say('list.editCell'), keys: 'F2' },
  { group, title: say('list.replaceCell'), keys: say('list.letters') },
  { group, title: say('list.clearCells'), keys: 'Delete' },
  { group, title: say('list.clearCells'), keys: 'Backspace' },
  { group, title: say('list.foldGroup'), keys: 'Alt+Shift+ArrowLeft' },
];

interface Draft {
  readonly editor: SheetEditor;
  readonly work: PromptWork;
  /** A text field has the keyboard: its own undo and clipboard go first. */
  readonly isTyping: () => boolean;
  readonly nextDefect: (back: boolean) => void;
  readonly find: () => void;
  readonly replace: () => void;
  readonly filter: () => void;
  readonly assets: () => void;
  readonly rowForm: () => void;
  readonly arrange: () => void;
  readonly editRows: () => void;
  readonly variables: () => void;
  readonly presets: () => void;
  readonly save: () => void;
  readonly start: () => void;
}

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
    one('next-defect', say('list.nextDefect'), 'F8', () => draft.nextDefect(false), always),
    one('previous-defect', say('list.previousDefect'), 'Shift+F8', () => draft.nextDefect(true), always),
    one('find', say('list.findInList'), '$mod+f', draft.find, always),
    one('replace', say('list.replaceInList'), 'Control+h', draft.replace, always),
    one('filter', say('list.filterList'), '$mod+Shift+f', draft.filter, always),
    one('assets', say('list.chooseAsset'), '$mod+Shift+l', draft.assets, always),
    one('row-form', say('list.rowForm'), '$mod+i', draft.rowForm, always),
    one('edit-rows', say('list.bulkEditRows'), '$mod+Shift+e', draft.editRows, always),
    one('presets', say('list.presetsMenu'), undefined, draft.presets, always),
    one('prompt-library', say('list.promptLibraryMenu'), undefined, draft.variables, always),
    one('arrange-columns', say('list.arrangeColumns'), undefined, draft.arrange, always),
    one('fill-down', say('list.fillDown'), '$mod+d', () => editor.fillDown()),
    one('insert', say('list.insertBelow'), '$mod+Enter', () => editor.insertRow('below')),
    one('remove', say('list.removeRows'), '$mod+Backspace', () => editor.removeRows()),
    ...promptTools.map((tool) =>
      one(tool.id, say('list.toolForRows', { tool: tool.label }), tool.keys, () => void draft.work.begin(tool)),
    ),
    one('save', say('list.save'), '$mod+s', draft.save, always),
    one('start', say('start.startBatch'), '$mod+Shift+Enter', draft.start, always),
  ];
}
