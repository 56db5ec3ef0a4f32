import { t } from '../../../../contract/messages/words.ts';
import { MAX_PROMPTS_A_CALL, type OpenCall } from '../../../../contract/tool.ts';
import { rewriteEdit } from '../../../../contract/draft-list.ts';
import { toast, toastError } from '../../../lib/toasts.ts';
import { columnNamed } from '../draft/columns.ts';
import type { SheetEditor } from '../draft/sheet-editor.svelte.ts';
import { promptTools, type PromptTool } from './prompt-tools.ts';
import { proposalFor, takenPrompts, type Change, type PromptRows, type Proposal, type SentPrompt } from './proposal.ts';
import { RewriteRun, type ToolRun } from './rewrite-run.svelte.ts';
import { api } from '../../../lib/client.ts';
import { Resource } from '../../../lib/state/resource.svelte.ts';

/** Rows that go in one question: ten calls. */
const MAX_ROWS = 10 * MAX_PROMPTS_A_CALL;
const MAX_PROMPT = 20_000;

type RewriteCall = Extract<OpenCall, { tool: 'rewrite' }>;

/** What models do with the prompts of a list: from the question to the edit that a person accepts. */
export class PromptWork {
  readonly #editor: SheetEditor;
  readonly calls: OpenCalls<RewriteCall, RewriteRun>;
  readonly entries = promptTools.map((tool) => ({
    label: `${tool.label}…`,
    ...(tool.keys !== undefined && { keys: tool.keys }),
    run: () => void this.begin(tool),
  }));
  /** The tool whose question is being written, and the prompts it is about. */
  question = $state.raw<{ readonly tool: PromptTool; readonly sent: readonly SentPrompt[] } | null>(null);
  readonly proposal: Proposal | null = $derived.by(() => {
    const { run } = this.calls;
    return run === null ? null : proposalFor(run.sent, run.answers, this.#rows());
  });

  constructor(editor: SheetEditor) {
    this.#editor = editor;
    const { id, view } = editor.sheet.draft;
    this.calls = new OpenCalls(
      view.projectId,
      (call): call is RewriteCall => call.tool === 'rewrite' && call.asked.draftId === id,
    );
  }

  async begin(tool: PromptTool): Promise<void> {
    const { draft } = this.#editor.sheet;
    if (!draft.assureEditable() || !(await draft.whole)) return;
    const sent = this.#selected();
    if (typeof sent === 'string') toast(sent);
    else this.question = { tool, sent };
  }

  async ask(model: string, { ask, versions }: { ask: string; versions: number }): Promise<void> {
    const { question } = this;
    if (question === null) return;
    this.question = null;
    const { id: draftId, view } = this.#editor.sheet.draft;
    const run = new RewriteRun({ projectId: view.projectId, draftId, model, ask, versions }, question.sent);
    await this.calls.show(run, () => run.go());
  }

  /** Shows the answer of a call; or sends it again, where a person agrees that it may be charged twice. */
  async open(call: RewriteCall, isSentAgain: boolean): Promise<void> {
    const { draft } = this.#editor.sheet;
    const run = RewriteRun.of(call, draft.id);
    if (await draft.whole) {
      await this.calls.show(run, () => (isSentAgain ? run.go(true) : run.reopen(call.id)));
    }
  }

  async take(changes: readonly Change[]): Promise<void> {
    const { run } = this.calls;
    const { sheet } = this.#editor;
    const { draft } = sheet;
    if (run === null || !draft.assureEditable()) return;
    const columns = this.#columns();
    this.calls.run = null;
    if (changes.length > 0) {
      const made = draft.edit(rewriteEdit(draft.rows, columns, takenPrompts(changes)));
      sheet.lookAgain();
      await made;
      toast(t('tools.tookChanges', { count: changes.length }));
    }
    await this.calls.used(run.callIds);
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
    if (long) return t('tools.promptTooLong', { name: rows.name(long.row), most: 20_000 });
    return sent;
  }
}

/** How often a running call is checked, ms. */
const LOOK_EVERY_MS = 2000;

/** The calls of one place that wait for a person: running, answered and not used, or unclear. One may be shown. */
export class OpenCalls<Call extends OpenCall, Run extends ToolRun> {
  readonly projectId: string;
  readonly #read: Resource<string, Call[]>;
  run = $state.raw<Run | null>(null);

  constructor(projectId: string, isOurs: (call: OpenCall) => call is Call) {
    this.projectId = projectId;
    this.#read = new Resource({
      of: () => projectId,
      read: async (of) => (await api.tools.open({ projectId: of })).filter(isOurs),
      changedBy: () => false,
      staysShown: true,
    });
  }

  get all(): readonly Call[] {
    return this.#read.current ?? [];
  }

  /** Never rejects. */
  refresh(): Promise<void> {
    return this.#read.refresh();
  }

  /** Keeps them up to date until the returned function is called. For `$effect`. */
  follow(): () => void {
    const stop = this.#read.follow();
    const timer = setInterval(() => {
      if (this.all.some(({ state }) => state === 'sent')) void this.refresh();
    }, LOOK_EVERY_MS);
    return () => {
      clearInterval(timer);
      stop();
    };
  }

  async show(run: Run, work: () => Promise<void>): Promise<void> {
    this.run = run;
    await work();
    await this.refresh();
  }

  /** Sends nothing more. What came is shown; where nothing did, there is nothing to show. */
  stop(): void {
    this.run?.stop();
    if (this.run?.answered !== 0) return;
    toast(this.run.stoppedWords);
    this.run = null;
  }

  /** Closes the proposal. Its answers are kept, and offered as open calls. */
  leave(): void {
    this.run?.stop();
    this.run = null;
    void this.refresh();
  }

  async discard(): Promise<void> {
    const { run } = this;
    this.run = null;
    if (run) await this.used(run.callIds);
  }

  async dismiss({ id }: OpenCall): Promise<void> {
    await api.tools.dismiss({ callId: id }).catch(toastError);
    await this.refresh();
  }

  /** Its answer has served, or is not wanted. */
  async used(callIds: readonly string[]): Promise<void> {
    try {
      for (const callId of callIds) await api.tools.used({ callId });
    } catch (error) {
      toastError(error);
    }
    await this.refresh();
  }
}
