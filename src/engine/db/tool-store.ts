import { textFromColumn, textToColumn } from '../../contract/messages/message.ts';
import type Database from 'better-sqlite3';
import { Failure } from '../../contract/failure.ts';
import type { Json } from '../../contract/json.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import { Tool, ToolCallState, type ToolCall } from '../../contract/tool.ts';
import type { EngineDatabase } from './open.ts';
import type { Account } from './service-store.ts';

interface ToolCallRow {
  id: string;
  tool: string;
  project_id: string | null;
  about: string;
  state: string;
  sent_at: number;
  task_id: string | null;
  failure: string | null;
}

/** The record of a call, written before its first byte. */
export interface IntendedCall extends Pick<ToolCall, 'id' | 'tool' | 'projectId' | 'about' | 'sentAt'> {
  readonly account: Account;
  readonly request: PlannedRequest;
  readonly requestHash: string;
  /** Kept as JSON. */
  readonly asked?: object | undefined;
}

/** The journal of billable calls that make no take. Rows are never deleted. */
export class ToolStore {
  readonly #db: Database.Database;

  constructor(db: EngineDatabase) {
    this.#db = db.facts;
  }

  /** `reserve` runs in the same commit; its throw undoes it. */
  intend({ account, request, asked, ...call }: IntendedCall, reserve: () => void): void {
    const insert = this.#db.prepare(
      `INSERT INTO tool_calls (id, tool, project_id, about, request, request_hash, origin, key_fingerprint, sent_at, state, asked)
       VALUES (@id, @tool, @projectId, @about, @request, @requestHash, @origin, @keyFingerprint, @sentAt, 'sent', @asked)`,
    );
    const row = {
      ...{ ...call, ...account, about: textToColumn(call.about) },
      request: JSON.stringify(request),
      asked: asked ? JSON.stringify(asked) : null,
    };
    this.#db
      .transaction(() => {
        insert.run(row);
        reserve();
      })
      .immediate();
  }

  /** Stores the state of a call; a task, once known, stays with it. */
  put(id: string, state: ToolCallState, at: number, facts: { taskId?: string; failure?: Failure } = {}): void {
    this.#db
      .prepare(
        `UPDATE tool_calls SET state = @state, ended_at = @at, task_id = coalesce(@taskId, task_id), failure = @failure
         WHERE id = @id`,
      )
      .run({
        ...{ id, state, at, taskId: facts.taskId ?? null },
        failure: facts.failure ? JSON.stringify(facts.failure) : null,
      });
  }

  get(id: string): ToolCall | null {
    const row = this.#db.prepare('SELECT * FROM tool_calls WHERE id = ?').get(id);
    return row ? toCall(row as ToolCallRow) : null;
  }

  /** The newest call of an account with exactly this request. */
  newest({ origin, keyFingerprint }: Account, requestHash: string): ToolCall | null {
    const row = this.#db
      .prepare(
        `SELECT * FROM tool_calls WHERE request_hash = ? AND origin = ? AND key_fingerprint = ?
         ORDER BY sent_at DESC, rowid DESC LIMIT 1`,
      )
      .get(requestHash, origin, keyFingerprint);
    return row ? toCall(row as ToolCallRow) : null;
  }

  /** The calls of a project that a person waits for or has to look at, oldest first. Only some can be shown again. */
  open(projectId: string): ToolCall[] {
    const rows = this.#db
      .prepare(
        `SELECT * FROM tool_calls
         WHERE project_id = ? AND (state = 'unclear' OR (state IN ('sent', 'answered') AND asked IS NOT NULL))
         ORDER BY sent_at`,
      )
      .all(projectId);
    return (rows as ToolCallRow[]).map(toCall);
  }

  /** The input of a call; null where it was not stored. */
  asked(id: string): Json {
    const asked = this.#db.prepare('SELECT asked FROM tool_calls WHERE id = ?').pluck().get(id);
    return typeof asked === 'string' ? (JSON.parse(asked) as Json) : null;
  }

  request(id: string): PlannedRequest {
    const request = this.#db.prepare('SELECT request FROM tool_calls WHERE id = ?').pluck().get(id);
    return JSON.parse(String(request)) as PlannedRequest;
  }

  /** The oldest first. */
  inState(state: ToolCallState): ToolCall[] {
    const rows = this.#db.prepare('SELECT * FROM tool_calls WHERE state = ? ORDER BY sent_at').all(state);
    return (rows as ToolCallRow[]).map(toCall);
  }
}

const toCall = (row: ToolCallRow): ToolCall => ({
  id: row.id,
  tool: Tool.parse(row.tool),
  projectId: row.project_id,
  about: textFromColumn(row.about),
  state: ToolCallState.parse(row.state),
  sentAt: row.sent_at,
  ...(row.task_id !== null && { taskId: row.task_id }),
  ...(row.failure !== null && { failure: Failure.parse(JSON.parse(row.failure)) }),
});
