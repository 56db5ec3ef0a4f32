import type { DraftView } from '../../../../contract/batch.ts';
import type { JobView } from '../../../../contract/job.ts';
import { t, withDots } from '../../../../contract/messages/words.ts';
import { api } from '../../../lib/client.ts';
import { downloadText } from '../../../lib/files.ts';
import type { KeyHint } from '../../../lib/keys.ts';
import { commandTable, type Command, type CommandLine } from '../../../lib/state/commands.svelte.ts';
import { promptTools } from '../tools/tool-table.ts';
import { JobActions } from '../../../lib/jobs/job-actions.svelte.ts';
import { readJobs } from '../../../lib/state/queue.svelte.ts';
import { navigation } from '../../../lib/state/navigation.svelte.ts';
import { resource } from '../../../lib/state/resource.svelte.ts';
import { toast, toastError } from '../../../lib/toasts.ts';
import { isMedia, type MediaParameter } from '../../../lib/shot-form/media-cell.ts';
import { GridCursor } from '../grid/grid-cursor.svelte.ts';
import type { CellPosition } from '../grid/grid-source.ts';
import { PromptWork } from '../tools/prompt-work.svelte.ts';
import { BatchPlan } from './batch-plan.svelte.ts';
import { OpenDraft } from './open-draft.svelte.ts';
import { DraftSheet } from './draft-sheet.svelte.ts';
import { PromptLibrary, ShotFiles } from '../../../lib/shot-form/prompt-library.svelte.ts';
import { openForms } from './arranged-columns.svelte.ts';
import { SheetEditor } from './sheet-editor.svelte.ts';

export type DraftPane = 'row' | 'defects' | 'columns' | 'defaults';

export class DraftWorkspace {
  readonly draft: OpenDraft;
  readonly sheet: DraftSheet;
  readonly cursor: GridCursor;
  readonly editor: SheetEditor;
  readonly plan: BatchPlan;
  /**
   * For the takes that failed of shots the list has not changed since: starting it leaves them, a person may send them
   * again. While they cannot be read the way to the queue remains.
   */
  readonly retrying: JobActions;
  readonly work: PromptWork;
  readonly library: PromptLibrary;
  readonly shots: ShotFiles;
  grid = $state<HTMLElement | null>(null);
  filterInput = $state<HTMLInputElement | null>(null);
  pane = $state<DraftPane | null>(null);
  /** How often the form was asked for by its key, which takes the keyboard there. */
  formPressed = $state(0);
  /** The media cell of the list that a person chooses for. */
  choosing = $state.raw<(CellPosition & { readonly parameter: MediaParameter }) | null>(null);
  shownColumn = $state<number | null>(null);
  /** Place of the column whose header is to be typed next. */
  renaming = $state<number | null>(null);
  /** The use of the bar above the grid, and how often its keys were pressed. */
  finding = $state<{ readonly isReplacing: boolean; readonly pressed: number } | null>(null);
  dialog = $state<'start' | 'rows' | 'variables' | 'presets' | 'import' | null>(null);

  /** What the form of the prompt library begins with. */
  variable = $state('');

  constructor(view: DraftView) {
    const { id, projectId } = view;
    this.draft = new OpenDraft(view);
    this.sheet = new DraftSheet(this.draft);
    this.cursor = new GridCursor(this.sheet);
    this.editor = new SheetEditor(this.sheet, this.cursor);
    this.plan = new BatchPlan(this.draft);
    this.work = new PromptWork(this.editor);
    this.library = new PromptLibrary(projectId);
    this.shots = new ShotFiles(id, projectId);
    this.pane = openForms.of(id) === true ? 'row' : null;
    const failed = resource({
      of: () => ({ batch: this.plan.name.trim(), shots: this.plan.plan?.failed ?? [] }),
      read: ({ batch, shots }) => failedJobs(projectId, batch, shots),
    });
    this.retrying = new JobActions(() => failed.current ?? []);
  }

  /** It came from a file or a text, which can be read in another way. */
  get wasRead(): boolean {
    return this.draft.view.encoding !== null || this.draft.view.sheets.length > 1;
  }

  readonly focusGrid = (): void => this.grid?.focus({ preventScroll: true });

  readonly closeDialog = (): void => {
    this.dialog = null;
    this.variable = '';
  };

  readonly showAllBatches = (): void => navigation.go('batch');

  chooseMedia(): void {
    const { sheet, cursor } = this;
    const { row, column } = cursor.active;
    const parameter = sheet.parameterAt(cursor.active);
    if (!isMedia(parameter)) toast(t('list.notMedia', { column: sheet.columnAt(column)?.header ?? '' }));
    else if (this.draft.assureEditable())
      this.choosing = { row: sheet.rowAt(row), column: sheet.listColumn(column), parameter };
  }

  nextDefect(back: boolean): void {
    const { defects } = this.draft;
    if (this.editor.goToDefect(back)) this.focusGrid();
    else if (defects.errors + defects.warnings > 0) this.pane = 'defects';
    else toast(t('list.noDefects'));
  }

  find(isReplacing: boolean): void {
    this.finding = { isReplacing, pressed: (this.finding?.pressed ?? 0) + 1 };
  }

  closeFind(): void {
    this.finding = null;
    this.focusGrid();
  }

  askAboutRows(dialog: 'rows' | 'presets'): void {
    if (this.editor.mayEditRows()) this.dialog = dialog;
  }

  async save(): Promise<void> {
    try {
      const { fileName, text } = await api.drafts.save({ draftId: this.draft.id });
      downloadText(fileName, text);
    } catch (error) {
      toastError(error);
    }
  }
}

async function failedJobs(projectId: string, name: string, shots: readonly string[]): Promise<readonly JobView[]> {
  if (shots.length === 0) return [];
  const batch = (await api.batches.list({ projectId })).find((each) => each.name === name);
  const failed = batch ? await readJobs({ batchId: batch.id }, 'failed') : [];
  return failed.filter((job) => !job.isSetAside && shots.includes(job.shot));
}

const group = 'Shot list';

export const gridKeys: readonly KeyHint[] = [
  { group, title: t('list.editCell'), keys: 'Enter' },
  { group, title: t('list.editCell'), keys: 'F2' },
  { group, title: t('list.replaceCell'), keys: t('list.letters') },
  { group, title: t('list.clearCells'), keys: 'Delete' },
  { group, title: t('list.clearCells'), keys: 'Backspace' },
  { group, title: t('list.chooseAsset'), keys: 'Alt+ArrowDown' },
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
