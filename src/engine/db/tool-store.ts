import { textFromColumn, textToColumn } from '../../contract/messages/message.ts';
import { Failure } from '../../contract/failure.ts';
import type { Json } from '../../contract/json.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import { Tool, ToolCallState, type ToolCall } from '../../contract/tool.ts';
import { sql, Store, withoutNulls } from './connection.ts';
import type { Account } from './service-store.ts';

interface ToolCallRow extends Pick<ToolCall, 'id' | 'projectId' | 'sentAt'> {
  readonly tool: string;
  readonly about: string;
  readonly state: string;
  readonly taskId: string | null;
  /** JSON. */
  readonly failure: string | null;
}

const CALLS = sql`SELECT id, tool, project_id, about, state, sent_at, task_id, failure FROM tool_calls`;

/** The record of a call, written before its first byte. */
export interface IntendedCall extends Pick<ToolCall, 'id' | 'tool' | 'projectId' | 'about' | 'sentAt'> {
  readonly account: Account;
  readonly request: PlannedRequest;
  readonly requestHash: string;
  /** Kept as JSON. */
  readonly asked?: object | undefined;
}

/** The journal of billable calls that make no take. Rows are never deleted. */
export class ToolStore extends Store {
  /** `reserve` runs in the same commit; its throw undoes it. */
  intend({ account, request, asked, ...call }: IntendedCall, reserve: () => void): void {
    const row = { ...call, ...account, request, asked, about: textToColumn(call.about) };
    this.facts.inOneCommit(() => {
      this.facts.run(
        `INSERT INTO tool_calls (id, tool, project_id, about, request, request_hash, origin, key_fingerprint,
           sent_at, state, asked)
         VALUES (@id, @tool, @projectId, @about, @request, @requestHash, @origin, @keyFingerprint,
           @sentAt, 'sent', @asked)`,
        row,
      );
      reserve();
    });
  }

  /** Stores the state of a call; a task, once known, stays with it. */
  put(id: string, state: ToolCallState, at: number, facts: { taskId?: string; failure?: Failure } = {}): void {
    this.facts.run`UPDATE tool_calls SET state = ${state}, ended_at = ${at},
        task_id = coalesce(${facts.taskId}, task_id), failure = ${facts.failure}
      WHERE id = ${id}`;
  }

  get(id: string): ToolCall | null {
    const row = this.facts.one<ToolCallRow>`${CALLS} WHERE id = ${id}`;
    return row && toCall(row);
  }

  /** The newest call of an account with exactly this request. */
  newest({ origin, keyFingerprint }: Account, requestHash: string): ToolCall | null {
    const row = this.facts.one<ToolCallRow>`${CALLS} WHERE request_hash = ${requestHash} AND origin = ${origin}
      AND key_fingerprint = ${keyFingerprint} ORDER BY sent_at DESC, rowid DESC LIMIT 1`;
    return row && toCall(row);
  }

  /** The calls of a project that a person waits for or has to look at, oldest first. Only some can be shown again. */
  open(projectId: string): ToolCall[] {
    return this.facts.all<ToolCallRow>`${CALLS} WHERE project_id = ${projectId}
      AND (state = 'unclear' OR (state IN ('sent', 'answered') AND asked IS NOT NULL)) ORDER BY sent_at`.map(toCall);
  }

  /** The input of a call; null where it was not stored. */
  asked(id: string): Json {
    const asked = this.facts.value<string>`SELECT asked FROM tool_calls WHERE id = ${id}`;
    return asked === null ? null : (JSON.parse(asked) as Json);
  }

  request(id: string): PlannedRequest {
    const request = this.facts.value<string>`SELECT request FROM tool_calls WHERE id = ${id}`;
    return JSON.parse(String(request)) as PlannedRequest;
  }

  /** The oldest first. */
  inState(state: ToolCallState): ToolCall[] {
    return this.facts.all<ToolCallRow>`${CALLS} WHERE state = ${state} ORDER BY sent_at`.map(toCall);
  }
}

const toCall = ({ tool, about, state, failure, ...row }: ToolCallRow): ToolCall => ({
  ...withoutNulls({ ...row, failure: failure === null ? null : Failure.parse(JSON.parse(failure)) }),
  projectId: row.projectId,
  tool: Tool.parse(tool),
  about: textFromColumn(about),
  state: ToolCallState.parse(state),
});
