import { say } from '../../../../contract/messages/words.ts';
import { ORPCError } from '@orpc/client';
import type { Cost } from '../../../../contract/failure.ts';
import {
  MOST_PROMPTS_A_CALL,
  type OpenCall,
  type PromptCall,
  type ProposedShot,
  type Rewritten,
  type Scripted,
} from '../../../../contract/prompts.ts';
import { api, troubleOf, type Trouble } from '../../../lib/client.ts';
import { promptsAsShots, type SentPrompt } from './proposal.ts';

export interface RewriteQuestion {
  readonly projectId: string;
  readonly draftId: string;
  readonly model: string;
  readonly ask: string;
  readonly versions: number;
}

export type Refusal = Trouble & { readonly cost?: Cost };

/** Prompts that go in one call. */
interface Piece {
  readonly sent: readonly SentPrompt[];
  readonly answer: readonly (readonly string[])[] | null;
  readonly callId: string | null;
  /** The answer was paid for by an earlier call. */
  readonly wasPaid: boolean;
}

/** One question about prompts: asked call by call, until all are answered, one fails, or a person stops it. */
export class RewriteRun {
  readonly question: RewriteQuestion;
  #pieces = $state.raw<readonly Piece[]>([]);
  isAsking = $state(false);
  isStopped = $state(false);
  /** Why the last call brought nothing. */
  refusal = $state.raw<Refusal | null>(null);
  #ending = new AbortController();

  constructor(question: RewriteQuestion, sent: readonly SentPrompt[]) {
    this.question = question;
    const count = Math.ceil(sent.length / MOST_PROMPTS_A_CALL);
    this.#pieces = Array.from({ length: count }, (_none, index) => ({
      sent: sent.slice(index * MOST_PROMPTS_A_CALL, (index + 1) * MOST_PROMPTS_A_CALL),
      answer: null,
      callId: null,
      wasPaid: false,
    }));
  }

  /** The question of a call that was left open. Where its prompts are now, the list says. */
  static of(call: Extract<OpenCall, { tool: 'rewrite' }>, draftId: string): RewriteRun {
    const { projectId, model, ask, versions, prompts } = call.asked;
    const sent = prompts.map((text) => ({ text, row: null }));
    return new RewriteRun({ projectId: projectId ?? '', draftId, model, ask, versions }, sent);
  }

  get sent(): readonly SentPrompt[] {
    return this.#pieces.flatMap(({ sent }) => sent);
  }

  /** The new prompts of each one; null where no answer came. */
  get answers(): readonly (readonly string[] | null)[] {
    return this.#pieces.flatMap<readonly string[] | null>(({ sent, answer }) => [...(answer ?? sent.map(() => null))]);
  }

  get calls(): number {
    return this.#pieces.length;
  }

  get answered(): number {
    return this.#pieces.filter(({ answer }) => answer !== null).length;
  }

  /** Every answer that is shown was paid for by an earlier call. */
  get isPaidBefore(): boolean {
    return this.answered > 0 && this.#pieces.every(({ answer, wasPaid }) => answer === null || wasPaid);
  }

  get callIds(): readonly string[] {
    return this.#pieces.flatMap(({ callId }) => callId ?? []);
  }

  /** Makes the calls that have no answer yet. `isAgreed`: the first of them may be charged a second time. */
  async go(isAgreed = false): Promise<void> {
    this.isAsking = true;
    this.isStopped = false;
    this.refusal = null;
    this.#ending = new AbortController();
    let agreed = isAgreed;
    try {
      for (const [index, piece] of this.#pieces.entries()) {
        if (piece.answer !== null) continue;
        const prompts = piece.sent.map(({ text }) => text);
        const asked = { ...this.question, prompts, isAgreed: agreed };
        agreed = false;
        if (!this.#take(index, await api.tools.rewrite(asked, { signal: this.#ending.signal }))) return;
      }
    } catch (error) {
      if (!this.isStopped) this.refusal = refusalOf(error);
    } finally {
      this.isAsking = false;
    }
  }

  /** Shows the kept answer of a call of one piece. Sends nothing. */
  async reopen(callId: string): Promise<void> {
    try {
      const answer = await api.tools.reopen({ callId });
      if (answer.type === 'failed' || 'prompts' in answer) this.#take(0, answer);
    } catch (error) {
      this.refusal = troubleOf(error);
    }
  }

  /** Sends nothing more. A call that has left is charged all the same. */
  stop(): void {
    if (!this.isAsking) return;
    this.isStopped = true;
    this.#ending.abort();
  }

  #take(index: number, answer: Rewritten): boolean {
    if (answer.type === 'failed') {
      this.refusal = answer.failure;
      return false;
    }
    const { callId, prompts, wasPaid } = answer;
    const sent = this.#pieces[index]?.sent ?? [];
    this.#pieces = this.#pieces.with(index, { sent, answer: prompts, callId, wasPaid });
    return true;
  }
}

/** Without an answer of the engine, it is unclear whether the call has left. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof ORPCError) return troubleOf(error);
  return {
    message: troubleOf(error).message,
    remedy: say('tools.lostRemedy'),
    cost: 'maybe',
  };
}

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
