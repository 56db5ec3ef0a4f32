import type { PromptCall, ProposedShot, Rewritten, Scripted } from '../../../../contract/prompts.ts';
import { api, troubleOf } from '../../../lib/client.ts';
import { promptsAsShots } from './proposal.ts';
import { refusalOf, type Refusal } from './rewrite-run.svelte.ts';

/** A request to a model about a script, or an earlier one about prompts of a list that is gone. */
export type ScriptQuestion = {
  [Tool in PromptCall['tool']]: Question<Extract<PromptCall, { tool: Tool }>>;
}[PromptCall['tool']];
type Question<Call extends PromptCall> = Pick<Call, 'tool'> & { readonly asked: Omit<Call['asked'], 'isAgreed'> };

/** One answer that becomes a list of its own. */
export class ScriptRun {
  readonly question: ScriptQuestion;
  isAsking = $state(false);
  refusal = $state.raw<Refusal | null>(null);
  shots = $state.raw<readonly ProposedShot[]>([]);
  callId = $state<string | null>(null);
  /** Its answer was paid for by an earlier call. */
  isPaidBefore = $state(false);
  #ending = new AbortController();

  constructor(question: ScriptQuestion) {
    this.question = question;
  }

  /** Makes the call. `isAgreed`: it may be charged a second time. */
  async go(isAgreed = false): Promise<void> {
    this.isAsking = true;
    this.refusal = null;
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    try {
      const { tool, asked } = this.question;
      const answer =
        tool === 'script'
          ? await api.tools.shots({ ...asked, isAgreed }, { signal })
          : await api.tools.rewrite({ ...asked, isAgreed }, { signal });
      if (answer.type === 'failed') this.refusal = answer.failure;
      else this.#take(answer);
    } catch (error) {
      if (!signal.aborted) this.refusal = refusalOf(error);
    } finally {
      this.isAsking = false;
    }
  }

  /** Shows the kept answer of a call. Sends nothing. */
  async reopen(callId: string): Promise<void> {
    try {
      const answer = await api.tools.reopen({ callId });
      if (answer.type === 'failed') this.refusal = answer.failure;
      else this.#take(answer);
    } catch (error) {
      this.refusal = troubleOf(error);
    }
  }

  /** Stops waiting. A call that has left is charged all the same. */
  stop(): void {
    this.#ending.abort();
  }

  #take(answer: Extract<Scripted | Rewritten, { type: 'proposed' }>): void {
    this.shots = 'shots' in answer ? answer.shots : promptsAsShots(answer.prompts);
    this.callId = answer.callId;
    this.isPaidBefore = answer.wasPaid;
  }
}
