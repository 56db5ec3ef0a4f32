import { t } from '../../../../contract/messages/words.ts';
import { ORPCError } from '@orpc/client';
import type { Cost } from '../../../../contract/failure.ts';
import {
  MAX_PROMPTS_A_CALL,
  type OpenCall,
  type PromptCall,
  type ProposedShot,
  type Rewritten,
  type Scripted,
} from '../../../../contract/tool.ts';
import { api, toTrouble, type Trouble } from '../../../lib/client.ts';
import { promptsAsShots, type SentPrompt } from './proposal.ts';

export interface RewriteQuestion {
  readonly projectId: string;
  readonly draftId: string;
  readonly model: string;
  readonly ask: string;
  readonly versions: number;
}

export type Refusal = Trouble & { readonly cost?: Cost };

/** What is asked of a model on behalf of a person, until there is an answer, it fails, or the person stops it. */
export abstract class ToolRun {
  isAsking = $state(false);
  isStopped = $state(false);
  refusal = $state.raw<Refusal | null>(null);
  #ending = new AbortController();
  abstract readonly answered: number;
  /** Every answer that is shown was paid for by an earlier call. */
  abstract readonly isPaidBefore: boolean;
  abstract readonly callIds: readonly string[];
  /** Said when it is stopped before an answer. */
  abstract readonly stoppedWords: string;
  /** Makes the calls that have no answer yet. `isAgreed`: the first of them may be charged a second time. */
  protected abstract ask(isAgreed: boolean, signal: AbortSignal): Promise<void>;
  protected abstract take(answer: Rewritten | Scripted): void;

  async go(isAgreed = false): Promise<void> {
    this.isAsking = true;
    this.isStopped = false;
    this.refusal = null;
    this.#ending = new AbortController();
    try {
      await this.ask(isAgreed, this.#ending.signal);
    } catch (error) {
      if (!this.isStopped) this.refusal = toRefusal(error);
    } finally {
      this.isAsking = false;
    }
  }

  /** Shows the kept answer of a call. Sends nothing. */
  async reopen(callId: string): Promise<void> {
    try {
      this.take(await api.tools.reopen({ callId }));
    } catch (error) {
      this.refusal = toTrouble(error);
    }
  }

  /** Sends nothing more. A call that has left is charged all the same. */
  stop(): void {
    if (!this.isAsking) return;
    this.isStopped = true;
    this.#ending.abort();
  }
}

/** Without an answer of the engine, it is unclear whether the call has left. */
function toRefusal(error: unknown): Refusal {
  const trouble = toTrouble(error);
  if (error instanceof ORPCError) return trouble;
  return { message: trouble.message, remedy: t('tools.lostRemedy'), cost: 'maybe' };
}

interface Piece {
  readonly sent: readonly SentPrompt[];
  readonly answer: readonly (readonly string[])[] | null;
  readonly callId: string | null;
  /** The answer was paid for by an earlier call. */
  readonly wasPaid: boolean;
}

export class RewriteRun extends ToolRun {
  readonly stoppedWords = t('tools.stopped');
  readonly question: RewriteQuestion;
  #pieces = $state.raw<readonly Piece[]>([]);

  constructor(question: RewriteQuestion, sent: readonly SentPrompt[]) {
    super();
    this.question = question;
    const count = Math.ceil(sent.length / MAX_PROMPTS_A_CALL);
    this.#pieces = Array.from({ length: count }, (_none, index) => ({
      sent: sent.slice(index * MAX_PROMPTS_A_CALL, (index + 1) * MAX_PROMPTS_A_CALL),
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

  get isPaidBefore(): boolean {
    return this.answered > 0 && this.#pieces.every(({ answer, wasPaid }) => answer === null || wasPaid);
  }

  get callIds(): readonly string[] {
    return this.#pieces.flatMap(({ callId }) => callId ?? []);
  }

  protected async ask(isAgreed: boolean, signal: AbortSignal): Promise<void> {
    let agreed = isAgreed;
    for (const [index, piece] of this.#pieces.entries()) {
      if (piece.answer !== null) continue;
      const asked = { ...this.question, prompts: piece.sent.map(({ text }) => text), isAgreed: agreed };
      agreed = false;
      this.take(await api.tools.rewrite(asked, { signal }), index);
      if (this.refusal !== null) return;
    }
  }

  /** A call that is opened again has one piece. */
  protected take(answer: Rewritten | Scripted, index = 0): void {
    if (answer.type === 'failed') this.refusal = answer.failure;
    else if ('prompts' in answer) {
      const { callId, prompts, wasPaid } = answer;
      const sent = this.#pieces[index]?.sent ?? [];
      this.#pieces = this.#pieces.with(index, { sent, answer: prompts, callId, wasPaid });
    }
  }
}

/** A request to a model about a script, or an earlier one about prompts of a list that is gone. */
export type ScriptQuestion = {
  [Tool in PromptCall['tool']]: Question<Extract<PromptCall, { tool: Tool }>>;
}[PromptCall['tool']];
type Question<Call extends PromptCall> = Pick<Call, 'tool'> & { readonly asked: Omit<Call['asked'], 'isAgreed'> };

export class ScriptRun extends ToolRun {
  readonly stoppedWords = t('tools.stoppedCall');
  readonly question: ScriptQuestion;
  shots = $state.raw<readonly ProposedShot[]>([]);
  callIds = $state.raw<readonly string[]>([]);
  isPaidBefore = $state(false);

  constructor(question: ScriptQuestion) {
    super();
    this.question = question;
  }

  get answered(): number {
    return this.callIds.length;
  }

  protected async ask(isAgreed: boolean, signal: AbortSignal): Promise<void> {
    const { tool, asked } = this.question;
    if (tool === 'script') this.take(await api.tools.shots({ ...asked, isAgreed }, { signal }));
    else this.take(await api.tools.rewrite({ ...asked, isAgreed }, { signal }));
  }

  protected take(answer: Rewritten | Scripted): void {
    if (answer.type === 'failed') {
      this.refusal = answer.failure;
      return;
    }
    this.shots = 'shots' in answer ? answer.shots : promptsAsShots(answer.prompts);
    this.callIds = [answer.callId];
    this.isPaidBefore = answer.wasPaid;
  }
}
