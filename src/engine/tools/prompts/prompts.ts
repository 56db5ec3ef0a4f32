import type { Rewritten, RewriteRequest, Scripted, ScriptRequest } from '../../../contract/prompts.ts';
import type { Tool } from '../../../contract/tool.ts';
import type { Clock } from '../../base/ports.ts';
import { answerNotUnderstood } from '../tool-failures.ts';
import type { ToolRunner } from '../tool-runner.ts';
import { rewriteAsk, scriptAsk, type ModelAsk } from './ask.ts';
import { readRewritten, readShots } from './read-proposal.ts';
import type { TextModel } from './text-model.ts';

type Asked = Pick<RewriteRequest, 'projectId' | 'model' | 'isAgreed'>;

/** Asks a text model for better prompts. Each call is billed, and ends in a proposal: nothing is changed here. */
export class Prompts {
  readonly #runner: ToolRunner;
  readonly #model: TextModel;
  readonly #clock: Clock;

  constructor(runner: ToolRunner, model: TextModel, clock: Clock) {
    this.#runner = runner;
    this.#model = model;
    this.#clock = clock;
  }

  async rewrite(request: RewriteRequest, signal?: AbortSignal): Promise<Rewritten> {
    const { prompts, versions } = request;
    const count = prompts.length;
    const about = `Rewrite ${String(count)} ${count === 1 ? 'prompt' : 'prompts'}`;
    const asked = await this.#ask('rewrite', about, request, rewriteAsk(request), signal);
    if (asked.type === 'failed') return asked;
    const found = firstOf(asked.texts, (text) => readRewritten(text, count, versions));
    return found
      ? { ...asked.proposed, prompts: found }
      : this.#unread(asked, 'no prompts could be read from its answer');
  }

  async shots(request: ScriptRequest, signal?: AbortSignal): Promise<Scripted> {
    const asked = await this.#ask('script', 'Script to shots', request, scriptAsk(request), signal);
    if (asked.type === 'failed') return asked;
    const found = firstOf(asked.texts, readShots);
    return found ? { ...asked.proposed, shots: found } : this.#unread(asked, 'no shots could be read from its answer');
  }

  async #ask(tool: Tool, about: string, { projectId, model, isAgreed }: Asked, ask: ModelAsk, signal?: AbortSignal) {
    const request = this.#model.request(model, ask);
    const result = await this.#runner.run({ tool, projectId, about, request, isAgreed }, signal);
    if (result.type === 'failed') return result;
    const answer = result.type === 'answered' ? result.answer : Buffer.alloc(0);
    const { callId } = result;
    const wasPaid = result.type === 'answered' && result.wasPaid;
    return {
      type: 'answered' as const,
      answer,
      texts: this.#model.texts(answer),
      proposed: { type: 'proposed' as const, callId, wasPaid },
    };
  }

  #unread({ answer, proposed: { callId } }: { answer: Buffer; proposed: { callId: string } }, what: string) {
    const failure = answerNotUnderstood(what, answer, this.#runner.answerFile(callId), this.#clock.now());
    this.#runner.markUnread(callId, failure);
    return { type: 'failed' as const, failure };
  }
}

function firstOf<Found>(texts: readonly string[], read: (text: string) => Found | null): Found | null {
  for (const text of texts) {
    const found = read(text);
    if (found !== null) return found;
  }
  return null;
}
