import { t, withDots } from '../../../../contract/messages/words.ts';
import type { KeyHint } from '../../../lib/keys.ts';
import { commandTable, type Command, type CommandLine } from '../../../lib/state/commands.svelte.ts';
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
    ...commandTable(group, 'batch.', [
      ['next-defect', t('list.nextDefect'), 'F8', () => workspace.nextDefect(false)],
      ['previous-defect', t('list.previousDefect'), 'Shift+F8', () => workspace.nextDefect(true)],
      ['find', t('list.findInList'), '$mod+f', find],
      ['replace', t('list.replaceInList'), 'Control+h', () => workspace.find(true)],
      ['filter', t('list.filterList'), '$mod+Shift+f', () => workspace.filterInput?.focus()],
      ['row-form', t('list.rowForm'), '$mod+i', openForm],
      ['edit-rows', t('list.bulkEdit'), '$mod+Shift+e', () => workspace.askAboutRows('rows')],
      ['presets', withDots('list.presets'), '', () => workspace.askAboutRows('presets')],
      ['prompt-library', withDots('list.promptLibrary'), '', () => (workspace.dialog = 'variables')],
      ['columns', t('list.columns'), '', () => (workspace.pane = 'columns')],
      ['import-settings', withDots('list.importSettings'), '', importSettings, () => workspace.wasRead],
      ['save', t('list.save'), '$mod+s', () => workspace.save()],
      ['start', t('start.startBatch'), '$mod+Shift+Enter', start],
    ]),
    ...commandTable(group, 'batch.', [
      ['assets', t('list.chooseAsset'), '$mod+Shift+l', () => workspace.chooseMedia()],
      ['fill-down', t('list.fillDown'), '$mod+d', () => editor.fillDown()],
      ['insert-above', t('list.insertAbove'), '', () => editor.insertRow('above')],
      ['insert', t('list.insertBelow'), '$mod+Enter', () => editor.insertRow('below')],
      ['remove', t('list.removeRows'), '$mod+Backspace', () => editor.removeRows()],
      ...promptTools.map((tool): CommandLine => [
        tool.id,
        t('list.toolForRows', { tool: tool.label }),
        tool.keys ?? '',
        () => work.begin(tool),
      ]),
    ]).map((command) => ({ ...command, notInText: true as const })),
  ];
}
