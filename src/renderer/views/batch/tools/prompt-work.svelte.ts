import { rewriteEdit } from '../../../../contract/draft-list.ts';
import { t } from '../../../../contract/messages/words.ts';
import { MAX_PROMPTS_A_CALL, type OpenCall } from '../../../../contract/tool.ts';
import { toast } from '../../../lib/toasts.ts';
import { columnNamed } from '../draft/columns.ts';
import type { SheetEditor } from '../draft/sheet-editor.svelte.ts';
import { namesInWords, proposalFor, takenPrompts, type PromptRows, type SentPrompt } from './proposal.ts';
import { promptTools, type Said, type Tool } from './tool-table.ts';
import { ToolRun, ToolWork, type Asked } from './tool-work.svelte.ts';

/** Rows that go in one question: ten calls. */
const MAX_ROWS = 10 * MAX_PROMPTS_A_CALL;
const MAX_PROMPT = 20_000;

/** What models do with the prompts of a list: from the question to the edit that a person accepts. */
export class PromptWork extends ToolWork {
  readonly #editor: SheetEditor;
  readonly entries = promptTools.map((tool) => ({
    label: `${tool.label}…`,
    ...(tool.keys !== undefined && { keys: tool.keys }),
    run: () => void this.begin(tool),
  }));
  /** The prompts that the question, or the answer, is about. */
  #sent = $state.raw<readonly SentPrompt[]>([]);
  readonly #proposal = $derived.by(() => {
    return this.run === null ? null : proposalFor(this.#sent, this.run.prompts, this.#rows());
  });
  readonly proposed = $derived.by(() => {
    if (this.#proposal === null) return null;
    const { changes, missing, same, gone } = this.#proposal;
    return {
      title: t('tools.newPrompts'),
      changes,
      newTitle: t('tools.new'),
      action: (count: number) => t('tools.takeChanges', { count }),
      emptyWords: t('tools.changesNothing'),
      notes: [
        ...(missing.length > 0 ? [t('tools.missing', { names: namesInWords(missing) })] : []),
        ...(same.length > 0 ? [t('tools.unchanged', { names: namesInWords(same) })] : []),
        ...(gone > 0 ? [t('tools.gone', { count: gone })] : []),
      ],
    };
  });

  constructor(editor: SheetEditor) {
    super(editor.sheet.draft.view.projectId);
    this.#editor = editor;
  }

  get callsToMake(): number {
    return Math.ceil(this.#sent.length / MAX_PROMPTS_A_CALL);
  }

  protected isOurs(call: OpenCall): boolean {
    return call.tool === 'rewrite' && call.asked.draftId === this.#editor.sheet.draft.id;
  }

  async begin(tool: Tool): Promise<void> {
    const { draft } = this.#editor.sheet;
    if (!draft.assureEditable() || !(await draft.whole)) return;
    const sent = this.#selected();
    if (typeof sent === 'string') {
      toast(sent);
      return;
    }
    const count = sent.length;
    this.#sent = sent;
    this.question = {
      tool,
      description: t('tools.askDescription', { count }),
      action: t('tools.askAction', { tool: tool.label, count }),
    };
  }

  async ask(model: string, said: Said): Promise<void> {
    const { tool } = this.question ?? {};
    if (!tool) return;
    this.question = null;
    const { id: draftId, view } = this.#editor.sheet.draft;
    const asked = { ask: tool.ask(said), versions: tool.versions?.(said) ?? 1 };
    const about = { projectId: view.projectId, draftId, model, ...asked };
    const run = new ToolRun(callsAbout(this.#sent, about));
    await this.show(run, () => run.go());
  }

  override async open(call: OpenCall, isSentAgain: boolean): Promise<void> {
    if (call.tool !== 'rewrite' || !(await this.#editor.sheet.draft.whole)) return;
    // Where its prompts are now, the list says.
    this.#sent = call.asked.prompts.map((text) => ({ text, row: null }));
    await super.open(call, isSentAgain);
  }

  async take(ids: ReadonlySet<string>): Promise<void> {
    const { run } = this;
    const { sheet } = this.#editor;
    const { draft } = sheet;
    if (run === null || !draft.assureEditable()) return;
    const changes = (this.#proposal?.changes ?? []).filter(({ id }) => ids.has(id));
    const columns = this.#columns();
    this.run = null;
    if (changes.length > 0) {
      const made = draft.edit(rewriteEdit(draft.rows, columns, takenPrompts(changes)));
      sheet.lookAgain();
      await made;
      toast(t('tools.tookChanges', { count: changes.length }));
    }
    await this.used(run.callIds);
  }

  #columns(): { prompt: number; key: number | null } {
    const { columns } = this.#editor.sheet.draft.view;
    const key = columnNamed(columns, 'shot');
    return { prompt: columnNamed(columns, 'prompt'), key: key < 0 ? null : key };
  }

  #rows(): PromptRows {
    const { draft } = this.#editor.sheet;
    const { prompt, key } = this.#columns();
    return {
      count: draft.count,
      prompt: (row) => draft.text(row, prompt),
      name: (row) => (key === null ? '' : draft.text(row, key).trim()) || t('tools.row', { row: String(row + 2) }),
    };
  }

  /** The prompts of the selected rows; or why there are none to ask about. */
  #selected(): SentPrompt[] | string {
    const { cursor, sheet } = this.#editor;
    const rows = this.#rows();
    if (this.#columns().prompt < 0) return t('tools.noPromptColumn');
    const { top, bottom } = cursor.selection;
    const count = cursor.isEmpty ? 0 : bottom - top + 1;
    const selected = Array.from({ length: count }, (_none, index) => sheet.rowAt(top + index));
    const sent = selected.flatMap((row) => {
      const text = row < 0 ? '' : rows.prompt(row);
      return text.trim() === '' ? [] : [{ text, row }];
    });
    if (sent.length === 0) return t('tools.noPromptSelected');
    if (sent.length > MAX_ROWS) return t('tools.tooManyRows', { most: MAX_ROWS, count: sent.length });
    const long = sent.find(({ text }) => text.length > MAX_PROMPT);
    if (long) return t('tools.promptTooLong', { name: rows.name(long.row), most: MAX_PROMPT });
    return sent;
  }
}

type About = Omit<Extract<Asked, { tool: 'rewrite' }>['asked'], 'prompts'>;

/** A question about prompts in calls of so many each: a bad answer then costs little. */
export function callsAbout(sent: readonly SentPrompt[], about: About): readonly Asked[] {
  const prompts = sent.map(({ text }) => text);
  return Array.from({ length: Math.ceil(prompts.length / MAX_PROMPTS_A_CALL) }, (_none, index) => {
    const part = prompts.slice(index * MAX_PROMPTS_A_CALL, (index + 1) * MAX_PROMPTS_A_CALL);
    return { tool: 'rewrite', asked: { ...about, prompts: part } };
  });
}
