import { messageFor, type Text } from '../../../contract/messages/message.ts';
import type { Findings, ReadPageRequest, SearchRequest, WebFinding } from '../../../contract/research.ts';
import type { Settings } from '../../../contract/settings.ts';
import type { PlannedRequest } from '../../../contract/take.ts';
import type { Tool } from '../../../contract/tool.ts';
import { web } from '../../api/resources/requests.ts';
import type { Clock } from '../../base/ports.ts';
import { presentFields } from '../../kinds/extra-fields.ts';
import { answerNotUnderstood } from '../tool-failures.ts';
import { toolPath, type ToolRunner } from '../tool-runner.ts';
import { readPage, readSearch } from './read-findings.ts';

interface ResearchParts {
  readonly runner: ToolRunner;
  readonly settings: () => Settings;
  readonly clock: Clock;
}

/**
 * Searches the web through the service. Each call is billed. Until the caller has shown the result and called
 * `ToolRunner.markUsed`, the same question returns the answer that was paid for. After that it is sent again.
 */
export class Research {
  readonly #parts: ResearchParts;

  constructor(parts: ResearchParts) {
    this.#parts = parts;
  }

  search({ projectId, isAgreed, ...fields }: SearchRequest, signal?: AbortSignal): Promise<Findings> {
    const request = web.search(presentFields({ ...fields, format: 'json' }), this.#path('webSearch'));
    const ask = {
      tool: 'search' as const,
      about: messageFor('tools.aboutSearch', { query: fields.query }),
      projectId,
      isAgreed,
      request,
    };
    return this.#found(ask, readSearch, signal);
  }

  readPage({ projectId, isAgreed, ...fields }: ReadPageRequest, signal?: AbortSignal): Promise<Findings> {
    const request = web.read(presentFields(fields), this.#path('webReader'));
    const ask = {
      tool: 'read' as const,
      about: messageFor('tools.aboutRead', { url: fields.url }),
      projectId,
      isAgreed,
      request,
    };
    return this.#found(ask, (answer) => readPage(answer, fields.url), signal);
  }

  #path(name: string): string {
    return toolPath(this.#parts.settings(), name);
  }

  async #found(
    ask: { tool: Tool; about: Text; projectId: string | null; isAgreed: boolean; request: PlannedRequest },
    read: (answer: Buffer) => WebFinding[] | null,
    signal?: AbortSignal,
  ): Promise<Findings> {
    const { runner, clock } = this.#parts;
    const result = await runner.run(ask, signal);
    if (result.type === 'failed') return result;
    const answer = result.type === 'answered' ? result.answer : Buffer.alloc(0);
    const { callId } = result;
    const findings = read(answer);
    if (findings) return { type: 'found', callId, wasPaid: result.type === 'answered' && result.wasPaid, findings };
    const file = runner.answerFile(callId);
    const failure = answerNotUnderstood('findings', answer, file, clock.now());
    runner.markUnread(callId, failure);
    return { type: 'failed', failure };
  }
}
