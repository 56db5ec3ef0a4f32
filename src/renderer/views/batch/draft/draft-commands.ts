import { t, withDots } from '../../../../contract/messages/words.ts';
import type { KeyHint } from '../../../lib/keys.ts';
import type { Command } from '../../../lib/state/commands.svelte.ts';
import { promptTools } from '../tools/prompt-tools.ts';
import type { DraftWorkspace } from './draft-workspace.svelte.ts';

const group = 'Shot list';

export const gridKeys: readonly KeyHint[] = [
  { group, title: t('list.editCell'), keys: 'Enter' },
  { group, title: t('list.editCell'), keys: 'F2' },
  { group, title: t('list.replaceCell'), keys: t('list.letters') },
  { group, title: t('list.clearCells'), keys: 'Delete' },
  { group, title: t('list.clearCells'), keys: 'Backspace' },
  { group, title: t('list.chooseAsset'), keys: 'Alt+ArrowDown' },
  { group, title: t('list.foldGroup'), keys: 'Alt+Shift+ArrowLeft' },
];

export function draftCommands(workspace: DraftWorkspace): readonly Command[] {
  const { editor, plan, work } = workspace;
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
    workspace.pane = 'row';
    workspace.formPressed += 1;
  };
  const start = () => {
    if (plan.obstacle === null) workspace.dialog = 'start';
  };
  const importSettings = () => (workspace.dialog = 'import');
  const find = () => workspace.find(workspace.finding?.isReplacing ?? false);
  return [
    one('next-defect', t('list.nextDefect'), 'F8', () => workspace.nextDefect(false), always),
    one('previous-defect', t('list.previousDefect'), 'Shift+F8', () => workspace.nextDefect(true), always),
    one('find', t('list.findInList'), '$mod+f', find, always),
    one('replace', t('list.replaceInList'), 'Control+h', () => workspace.find(true), always),
    one('filter', t('list.filterList'), '$mod+Shift+f', () => workspace.filterInput?.focus(), always),
    one('assets', t('list.chooseAsset'), '$mod+Shift+l', () => workspace.chooseMedia(), inGrid),
    one('row-form', t('list.rowForm'), '$mod+i', openForm, always),
    one('edit-rows', t('list.bulkEditRows'), '$mod+Shift+e', () => workspace.askAboutRows('rows'), always),
    one('presets', withDots('list.presets'), undefined, () => workspace.askAboutRows('presets'), always),
    one('prompt-library', withDots('list.promptLibrary'), undefined, () => (workspace.dialog = 'variables'), always),
    one('columns', t('list.columns'), undefined, () => (workspace.pane = 'columns'), always),
    one('import-settings', withDots('list.importSettings'), undefined, importSettings, () => workspace.wasRead),
    one('fill-down', t('list.fillDown'), '$mod+d', () => editor.fillDown()),
    one('insert', t('list.insertBelow'), '$mod+Enter', () => editor.insertRow('below')),
    one('remove', t('list.removeRows'), '$mod+Backspace', () => editor.removeRows()),
    ...promptTools.map((tool) =>
      one(tool.id, t('list.toolForRows', { tool: tool.label }), tool.keys, () => void work.begin(tool)),
    ),
    one('save', t('list.save'), '$mod+s', () => void workspace.save(), always),
    one('start', t('start.startBatch'), '$mod+Shift+Enter', start, always),
  ];
}
