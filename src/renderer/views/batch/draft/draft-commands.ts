import { say } from '../../../../contract/messages/words.ts';
import type { KeyHint } from '../../../lib/keys.ts';
import type { Command } from '../../../lib/state/commands.svelte.ts';
import { promptTools } from '../tools/prompt-tools.ts';
import type { DraftDesk } from './draft-desk.svelte.ts';

const group = 'Shot list';

export const gridKeys: readonly KeyHint[] = [
  { group, title: say('list.editCell'), keys: 'Enter' },
  { group, title: say('list.editCell'), keys: 'F2' },
  { group, title: say('list.replaceCell'), keys: say('list.letters') },
  { group, title: say('list.clearCells'), keys: 'Delete' },
  { group, title: say('list.clearCells'), keys: 'Backspace' },
  { group, title: say('list.foldGroup'), keys: 'Alt+Shift+ArrowLeft' },
];

export function draftCommands(desk: DraftDesk): readonly Command[] {
  const { editor, plan, work } = desk;
  /** In a text field, its own undo and clipboard go first. */
  const inGrid = () => document.activeElement?.matches('input, textarea') !== true && editor.typing === null;
  const one = (id: string, title: string, keys: string | undefined, run: () => void, enabled = inGrid): Command => ({
    id: `batch.${id}`,
    title,
    group,
    ...(keys !== undefined && { keys }),
    run,
    enabled,
  });
  const always = () => true;
  const openForm = () => {
    desk.pane = 'row';
    desk.formPressed += 1;
  };
  const start = () => {
    if (plan.obstacle === null) desk.dialog = 'start';
  };
  const find = () => desk.find(desk.finding?.isReplacing ?? false);
  return [
    one('next-defect', say('list.nextDefect'), 'F8', () => desk.nextDefect(false), always),
    one('previous-defect', say('list.previousDefect'), 'Shift+F8', () => desk.nextDefect(true), always),
    one('find', say('list.findInList'), '$mod+f', find, always),
    one('replace', say('list.replaceInList'), 'Control+h', () => desk.find(true), always),
    one('filter', say('list.filterList'), '$mod+Shift+f', () => desk.filterInput?.focus(), always),
    one('assets', say('list.chooseAsset'), '$mod+Shift+l', () => (desk.pane = 'assets'), always),
    one('row-form', say('list.rowForm'), '$mod+i', openForm, always),
    one('edit-rows', say('list.bulkEditRows'), '$mod+Shift+e', () => desk.askAboutRows('rows'), always),
    one('presets', say('list.presetsMenu'), undefined, () => desk.askAboutRows('presets'), always),
    one('prompt-library', say('list.promptLibraryMenu'), undefined, () => (desk.dialog = 'variables'), always),
    one('arrange-columns', say('list.arrangeColumns'), undefined, () => (desk.dialog = 'arrange'), always),
    one('fill-down', say('list.fillDown'), '$mod+d', () => editor.fillDown()),
    one('insert', say('list.insertBelow'), '$mod+Enter', () => editor.insertRow('below')),
    one('remove', say('list.removeRows'), '$mod+Backspace', () => editor.removeRows()),
    ...promptTools.map((tool) =>
      one(tool.id, say('list.toolForRows', { tool: tool.label }), tool.keys, () => void work.begin(tool)),
    ),
    one('save', say('list.save'), '$mod+s', () => void desk.save(), always),
    one('start', say('start.startBatch'), '$mod+Shift+Enter', start, always),
  ];
}
