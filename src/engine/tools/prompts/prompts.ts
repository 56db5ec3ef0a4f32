import { messageFor, type Text } from '../../../contract/messages/message.ts';
import {
  OpenCall,
  PromptCall,
  type Rewritten,
  type RewriteRequest,
  type Scripted,
  type ScriptRequest,
} from '../../../contract/prompts.ts';
import type { Tool } from '../../../contract/tool.ts';
import type { Clock } from '../../base/ports.ts';
import { answerNotUnderstood, type Unread } from '../tool-failures.ts';
import type { ToolResult, ToolRunner } from '../tool-runner.ts';
import { rewriteAsk, scriptAsk, type ModelAsk } from './ask.ts';
import { readRewritten, readShots } from './read-proposal.ts';
import type { TextModel } from './text-model.ts';

type Asked = RewriteRequest | ScriptRequest;

/** Asks a text model for better prompts. Each call is billed and returns a proposal; this class changes nothing. */
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
    const about = messageFor('tools.aboutRewrite', { count: request.prompts.length });
    return this.#readRewritten(request, await this.#ask('rewrite', about, request, rewriteAsk(request), signal));
  }

  async shots(request: ScriptRequest, signal?: AbortSignal): Promise<Scripted> {
    return this.#readShots(
      await this.#ask('script', messageFor('tools.scriptToShots'), request, scriptAsk(request), signal),
    );
  }

  open(projectId: string): OpenCall[] {
    return this.#runner.open(projectId).flatMap((call) => OpenCall.safeParse(call).data ?? []);
  }

  /** The proposal of a call that was answered but not used. Throws RefusedError if there is none. */
  async reopen(callId: string): Promise<Rewritten | Scripted> {
    const { call, result } = await this.#runner.reopen(callId);
    const { tool, asked } = PromptCall.parse(call);
    return tool === 'rewrite' ? this.#readRewritten(asked, result) : this.#readShots(result);
  }

  #ask(tool: Tool, about: Text, asked: Asked, ask: ModelAsk, signal?: AbortSignal): Promise<ToolResult> {
    const { projectId, model, isAgreed } = asked;
    const request = this.#model.request(model, ask);
    return this.#runner.run({ tool, projectId, about, request, asked, isAgreed }, signal);
  }

  #readRewritten({ prompts, versions }: RewriteRequest, result: ToolResult): Rewritten {
    const read = this.#read(result, (text) => readRewritten(text, prompts.length, versions), 'prompts');
    return read.type === 'failed' ? read : { ...read.proposed, prompts: read.found };
  }

  #readShots(result: ToolResult): Scripted {
    const read = this.#read(result, readShots, 'shots');
    return read.type === 'failed' ? read : { ...read.proposed, shots: read.found };
  }

  #read<Found>(result: ToolResult, read: (text: string) => Found | null, wanted: Unread) {
    if (result.type === 'failed') return result;
    const answer = result.type === 'answered' ? result.answer : Buffer.alloc(0);
    const { callId } = result;
    const found = firstOf(this.#model.texts(answer), read);
    if (found === null) {
      const failure = answerNotUnderstood(wanted, answer, this.#runner.answerFile(callId), this.#clock.now());
      this.#runner.markUnread(callId, failure);
      return { type: 'failed' as const, failure };
    }
    const wasPaid = result.type === 'answered' && result.wasPaid;
    return { type: 'read' as const, found, proposed: { type: 'proposed' as const, callId, wasPaid } };
  }
}

function firstOf<Found>(texts: readonly string[], read: (text: string) => Found | null): Found | null {
  for (const text of texts) {
    const found = read(text);
    if (found !== null) return found;
  }
  return null;
}
