import type { DraftView } from '../../../../contract/batch.ts';
import { t } from '../../../../contract/messages/words.ts';
import type { OpenCall } from '../../../../contract/tool.ts';
import { openList } from '../../../lib/files.ts';
import { toastError } from '../../../lib/toasts.ts';
import { shotsAsList } from './proposal.ts';
import { scriptTool, type Said } from './tool-table.ts';
import { ToolRun, ToolWork } from './tool-work.svelte.ts';

/** What models make of a script: shots for a new list. New prompts of a list that is gone become one too. */
export class ScriptWork extends ToolWork {
  /** The lists in work, once they are known: each shows the calls about its own prompts. */
  readonly #lists: () => readonly DraftView[] | undefined;
  readonly callsToMake = 1;
  readonly #shots = $derived.by(() => (this.run?.shots ?? []).map((shot) => ({ id: shot.key, shot })));
  readonly proposed = $derived.by(() => {
    const [call] = this.run?.calls ?? [];
    if (call === undefined) return null;
    const changes = this.#shots.map(({ id, shot }) => {
      const { duration, notes = '' } = shot;
      const details = [duration === undefined ? '' : t('time.seconds', { seconds: duration }), notes];
      return { id, name: shot.key, before: null, after: shot.prompt, details: details.filter(Boolean).join(' · ') };
    });
    return {
      title: t(call.tool === 'script' ? 'tools.shotsOfScript' : 'tools.promptsOfLostList'),
      changes,
      newTitle: t('common.prompt'),
      action: (count: number) => t('tools.openList', { count }),
      emptyWords: t('tools.noShots'),
      notes: [],
    };
  });

  constructor(projectId: string, lists: () => readonly DraftView[] | undefined) {
    super(projectId);
    this.#lists = lists;
  }

  protected isOurs({ tool, asked }: OpenCall): boolean {
    return tool !== 'rewrite' || this.#lists()?.every(({ id }) => id !== asked.draftId) === true;
  }

  begin(): void {
    this.question = { tool: scriptTool, description: t('tools.scriptDescription'), action: t('tools.makeShots') };
  }

  async ask(model: string, { script = '', ask = '' }: Said): Promise<void> {
    this.question = null;
    const asked = { projectId: this.projectId, model, script, ask };
    const run = new ToolRun([{ tool: 'script', asked }]);
    await this.show(run, () => run.go());
  }

  async take(ids: ReadonlySet<string>): Promise<void> {
    const { run } = this;
    if (run === null) return;
    const name = t(run.calls[0]?.tool === 'rewrite' ? 'tools.newPrompts' : 'tools.shotsOfScript');
    const text = shotsAsList(this.#shots.filter(({ id }) => ids.has(id)).map(({ shot }) => shot));
    try {
      await openList(this.projectId, { type: 'text', name, text }, { delimiter: '\t' });
      this.run = null;
      await this.used(run.callIds);
    } catch (error) {
      toastError(error);
    }
  }
}
