import { say } from '../../../../contract/messages/words.ts';
import { MOST_PROMPTS_A_CALL, type OpenCall } from '../../../../contract/prompts.ts';
import { rewriteEdit } from '../../../../contract/rewritten-rows.ts';
import { toast } from '../../../lib/toasts.ts';
import { columnNamed } from '../draft/column-meaning.ts';
import type { SheetEditor } from '../draft/sheet-editor.svelte.ts';
import { OpenCalls } from './open-calls.svelte.ts';
import type { PromptTool } from './prompt-tools.ts';
import { proposalOf, takenPrompts, type Change, type PromptRows, type Proposal, type SentPrompt } from './proposal.ts';
import { RewriteRun } from './rewrite-run.svelte.ts';

/** Rows that go in one question: ten calls. */
const MOST_ROWS = 10 * MOST_PROMPTS_A_CALL;
const LONGEST_PROMPT = 20_000;

type RewriteCall = Extract<OpenCall, { tool: 'rewrite' }>;

/** What models do with the prompts of a list: from the question to the edit that a person accepts. */
export class PromptWork {
  readonly #editor: SheetEditor;
  readonly calls: OpenCalls<RewriteCall>;
  /** The tool whose question is being written, and the prompts it is about. */
  question = $state.raw<{ readonly tool: PromptTool; readonly sent: readonly SentPrompt[] } | null>(null);
  run = $state.raw<RewriteRun | null>(null);
  readonly proposal: Proposal | null = $derived.by(() => {
    const { run } = this;
    return run === null ? null : proposalOf(run.sent, run.answers, this.#rows());
  });

  constructor(editor: SheetEditor) {
    this.#editor = editor;
    const { id, view } = editor.sheet.session;
    this.calls = new OpenCalls(
      view.projectId,
      (call): call is RewriteCall => call.tool === 'rewrite' && call.asked.draftId === id,
    );
  }

  async begin(tool: PromptTool): Promise<void> {
    const { session } = this.#editor.sheet;
    if (!session.assureEditable() || !(await session.list.whole)) return;
    const sent = this.#selected();
    if (typeof sent === 'string') toast(sent);
    else this.question = { tool, sent };
  }

  async ask(model: string, { ask, versions }: { ask: string; versions: number }): Promise<void> {
    const { question } = this;
    if (question === null) return;
    this.question = null;
    const { id: draftId, view } = this.#editor.sheet.session;
    const run = new RewriteRun({ projectId: view.projectId, draftId, model, ask, versions }, question.sent);
    await this.#show(run, () => run.go());
  }

  async goOn(isAgreed: boolean): Promise<void> {
    const { run } = this;
    if (run) await this.#show(run, () => run.go(isAgreed));
  }

  async look(call: RewriteCall): Promise<void> {
    const run = RewriteRun.of(call, this.#editor.sheet.session.id);
    if (await this.#editor.sheet.session.list.whole) await this.#show(run, () => run.reopen(call.id));
  }

  /** A person agrees that it may be charged twice. */
  async sendAgain(call: RewriteCall): Promise<void> {
    const run = RewriteRun.of(call, this.#editor.sheet.session.id);
    if (await this.#editor.sheet.session.list.whole) await this.#show(run, () => run.go(true));
  }

  /** Sends nothing more. What came is shown; where nothing did, there is nothing to show. */
  stop(): void {
    this.run?.stop();
    if (this.run?.answered !== 0) return;
    this.run = null;
    toast(say('tools.stopped'));
  }

  async take(changes: readonly Change[]): Promise<void> {
    const { run } = this;
    const { sheet } = this.#editor;
    const { session } = sheet;
    if (run === null || !session.assureEditable()) return;
    const columns = this.#columns();
    const rows = Array.from({ length: session.list.count }, (_none, row) => session.list.row(row));
    this.run = null;
    if (changes.length > 0) {
      const made = session.edit(rewriteEdit(rows, columns, takenPrompts(changes)));
      sheet.lookAgain();
      await made;
      toast(say('tools.tookChanges', { count: changes.length }));
    }
    await this.calls.used(run.callIds);
  }

  /** Closes the proposal. Its answers are kept, and offered above the list. */
  leave(): void {
    this.run?.stop();
    this.run = null;
    void this.calls.list.refresh();
  }

  async discard(): Promise<void> {
    const { run } = this;
    this.run = null;
    if (run) await this.calls.used(run.callIds);
  }

  async #show(run: RewriteRun, work: () => Promise<void>): Promise<void> {
    this.run = run;
    await work();
    await this.calls.list.refresh();
  }

  #columns(): { prompt: number; key: number | null } {
    const { columns } = this.#editor.sheet.session.view;
    const key = columnNamed(columns, 'shot');
    return { prompt: columnNamed(columns, 'prompt'), key: key < 0 ? null : key };
  }

  #rows(): PromptRows {
    const { list } = this.#editor.sheet.session;
    const { prompt, key } = this.#columns();
    return {
      count: list.count,
      prompt: (row) => list.text(row, prompt) ?? '',
      name: (row) =>
        (key === null ? '' : (list.text(row, key) ?? '').trim()) || say('tools.row', { row: String(row + 2) }),
    };
  }

  /** The prompts of the selected rows; or why there are none to ask about. */
  #selected(): SentPrompt[] | string {
    const { cursor, sheet } = this.#editor;
    const rows = this.#rows();
    if (this.#columns().prompt < 0) return say('tools.noPromptColumn');
    const { top, bottom } = cursor.selection;
    const count = cursor.isEmpty ? 0 : bottom - top + 1;
    const selected = Array.from({ length: count }, (_none, index) => sheet.rows.rowAt(top + index));
    const sent = selected.flatMap((row) => {
      const text = row < 0 ? '' : rows.prompt(row);
      return text.trim() === '' ? [] : [{ text, row }];
    });
    if (sent.length === 0) return say('tools.noPromptSelected');
    if (sent.length > MOST_ROWS) return say('tools.tooManyRows', { most: MOST_ROWS, count: sent.length });
    const long = sent.find(({ text }) => text.length > LONGEST_PROMPT);
    if (long) return say('tools.promptTooLong', { name: rows.name(long.row), most: 20_000 });
    return sent;
  }
}
