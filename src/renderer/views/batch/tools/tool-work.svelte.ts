import { ORPCError } from '@orpc/client';
import type { Cost } from '../../../../contract/failure.ts';
import { t } from '../../../../contract/messages/words.ts';
import type { OpenCall, PromptCall, ProposedShot, Rewritten, Scripted } from '../../../../contract/tool.ts';
import { api, toTrouble, type Trouble } from '../../../lib/client.ts';
import { Resource } from '../../../lib/state/resource.svelte.ts';
import { toast, toastError } from '../../../lib/toasts.ts';
import { promptsAsShots } from './proposal.ts';
import type { Said, Tool } from './tool-table.ts';

/** What one call asks: about a script, or about prompts. A person agrees to a second charge when it is sent. */
export type Asked = {
  [Name in PromptCall['tool']]: AskedOf<Extract<PromptCall, { tool: Name }>>;
}[PromptCall['tool']];
type AskedOf<Call extends PromptCall> = Pick<Call, 'tool'> & { readonly asked: Omit<Call['asked'], 'isAgreed'> };

type Answer = Exclude<Rewritten | Scripted, { type: 'failed' }>;

interface Piece {
  readonly call: Asked;
  readonly answer: Answer | null;
}

/** What is asked of a model on behalf of a person, a call each piece, until all have an answer, one fails, or the person stops it. */
export class ToolRun {
  isAsking = $state(false);
  refusal = $state.raw<(Trouble & { readonly cost?: Cost }) | null>(null);
  #ending = new AbortController();
  #pieces = $state.raw<readonly Piece[]>([]);

  constructor(calls: readonly Asked[]) {
    this.#pieces = calls.map((call) => ({ call, answer: null }));
  }

  get calls(): readonly Asked[] {
    return this.#pieces.map(({ call }) => call);
  }

  get #answers(): readonly Answer[] {
    return this.#pieces.flatMap(({ answer }) => answer ?? []);
  }

  get answered(): number {
    return this.#answers.length;
  }

  /** Every answer that is shown was paid for by an earlier call. */
  get isPaidBefore(): boolean {
    return this.answered > 0 && this.#answers.every(({ wasPaid }) => wasPaid);
  }

  get callIds(): readonly string[] {
    return this.#answers.map(({ callId }) => callId);
  }

  /** The new prompts of each one that was sent; null where no answer came. */
  get prompts(): readonly (readonly string[] | null)[] {
    return this.#pieces.flatMap<readonly string[] | null>(({ call, answer }) => {
      if (answer && 'prompts' in answer) return answer.prompts;
      return call.tool === 'rewrite' ? call.asked.prompts.map(() => null) : [];
    });
  }

  /** The answers as shots of a new list. */
  get shots(): readonly ProposedShot[] {
    return this.#answers.flatMap((answer) => ('shots' in answer ? answer.shots : promptsAsShots(answer.prompts)));
  }

  /** Makes the calls that have no answer yet. `isAgreed`: the first of them may be charged a second time. */
  async go(isAgreed = false): Promise<void> {
    this.isAsking = true;
    this.refusal = null;
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    let agreed = isAgreed;
    try {
      for (const [index, { call, answer }] of this.#pieces.entries()) {
        if (answer !== null) continue;
        const { tool, asked } = call;
        const made =
          tool === 'script'
            ? api.tools.shots({ ...asked, isAgreed: agreed }, { signal })
            : api.tools.rewrite({ ...asked, isAgreed: agreed }, { signal });
        agreed = false;
        this.#take(await made, index);
        if (this.refusal !== null) return;
      }
    } catch (error) {
      if (!signal.aborted) this.refusal = toRefusal(error);
    } finally {
      this.isAsking = false;
    }
  }

  /** Shows the kept answer of a call, which is one piece. Sends nothing. */
  async reopen(callId: string): Promise<void> {
    try {
      this.#take(await api.tools.reopen({ callId }), 0);
    } catch (error) {
      this.refusal = toTrouble(error);
    }
  }

  /** Sends nothing more. A call that has left is charged all the same. */
  stop(): void {
    this.#ending.abort();
  }

  #take(answer: Rewritten | Scripted, index: number): void {
    const piece = this.#pieces[index];
    if (answer.type === 'failed') this.refusal = answer.failure;
    else if (piece) this.#pieces = this.#pieces.with(index, { ...piece, answer });
  }
}

/** Without an answer of the engine, it is unclear whether the call has left. */
function toRefusal(error: unknown): Trouble & { readonly cost?: Cost } {
  const trouble = toTrouble(error);
  if (error instanceof ORPCError) return trouble;
  return { message: trouble.message, remedy: t('tools.lostRemedy'), cost: 'maybe' };
}

export interface ListedChange {
  readonly id: string;
  readonly name: string;
  readonly before: string | null;
  readonly after: string;
  /** It is added beside the original, and does not replace it. */
  readonly isNew?: boolean;
  /** Said below the new text. */
  readonly details?: string;
}

/** What the answers would change, for a person to choose from. */
export interface Proposed {
  readonly title: string;
  readonly changes: readonly ListedChange[];
  /** Of the column of new texts. */
  readonly newTitle: string;
  readonly action: (taken: number) => string;
  readonly emptyWords: string;
  readonly notes: readonly string[];
}

/** How often a running call is checked, ms. */
const LOOK_EVERY_MS = 2000;

/**
 * What models do in one place: the question that is being written, the run whose answer is shown, and the calls that
 * wait for a person. What was paid for stays among these until it is used or discarded.
 */
export abstract class ToolWork {
  readonly projectId: string;
  readonly #read: Resource<string, OpenCall[]>;
  question = $state.raw<{ readonly tool: Tool; readonly description: string; readonly action: string } | null>(null);
  run = $state.raw<ToolRun | null>(null);
  /** How many calls the question takes. */
  abstract readonly callsToMake: number;
  abstract readonly proposed: Proposed | null;
  abstract ask(model: string, said: Said): Promise<void>;
  /** Takes the changes of these ids. */
  abstract take(ids: ReadonlySet<string>): Promise<void>;
  protected abstract isOurs(call: OpenCall): boolean;

  constructor(projectId: string) {
    this.projectId = projectId;
    this.#read = new Resource({
      of: () => projectId,
      read: (of) => api.tools.open({ projectId: of }),
      changedBy: () => false,
      staysShown: true,
    });
  }

  get calls(): readonly OpenCall[] {
    return (this.#read.current ?? []).filter((call) => this.isOurs(call));
  }

  /** Never rejects. */
  refresh(): Promise<void> {
    return this.#read.refresh();
  }

  /** Keeps the calls up to date until the returned function is called. For `$effect`. */
  follow(): () => void {
    const stop = this.#read.follow();
    const timer = setInterval(() => {
      if (this.calls.some(({ state }) => state === 'sent')) void this.refresh();
    }, LOOK_EVERY_MS);
    return () => {
      clearInterval(timer);
      stop();
    };
  }

  /** Shows the answer of a call; or sends it again, where a person agrees that it may be charged twice. */
  async open(call: OpenCall, isSentAgain: boolean): Promise<void> {
    if (call.asked === null) return;
    const run = new ToolRun([call]);
    await this.show(run, () => (isSentAgain ? run.go(true) : run.reopen(call.id)));
  }

  async show(run: ToolRun, work: () => Promise<void>): Promise<void> {
    this.run = run;
    await work();
    await this.refresh();
  }

  /** Sends nothing more. What came is shown; where nothing did, there is nothing to show. */
  stop(): void {
    this.run?.stop();
    if (this.run?.answered !== 0) return;
    toast(t('tools.stopped'));
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
