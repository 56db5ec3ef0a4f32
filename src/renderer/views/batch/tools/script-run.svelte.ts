import type { OpenCall, ProposedShot, Scripted } from '../../../../contract/prompts.ts';
import { api, troubleOf } from '../../../lib/client.ts';
import { refusalOf, type Refusal } from './rewrite-run.svelte.ts';

export type ScriptCall = Extract<OpenCall, { tool: 'script' }>;

/** What is asked of a model about a script. */
export type ScriptQuestion = Pick<ScriptCall['asked'], 'projectId' | 'model' | 'ask' | 'script'>;

/** One script that a model makes shots of. */
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
      const answer = await api.tools.shots({ ...this.question, isAgreed }, { signal });
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
      else if ('shots' in answer) this.#take(answer);
    } catch (error) {
      this.refusal = troubleOf(error);
    }
  }

  /** Waits no more. A call that has left is charged all the same. */
  stop(): void {
    this.#ending.abort();
  }

  #take({ shots, callId, wasPaid }: Extract<Scripted, { type: 'proposed' }>): void {
    this.shots = shots;
    this.callId = callId;
    this.isPaidBefore = wasPaid;
  }
}
