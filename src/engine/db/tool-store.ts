import { textFromColumn, textToColumn } from '../../contract/messages/message.ts';
import type { Failure } from '../../contract/failure.ts';
import type { Json } from '../../contract/json.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import type { ToolCall, ToolCallState } from '../../contract/tool.ts';
import { sql, Store, withoutNulls } from './connection.ts';
import type { Account } from './service-store.ts';
import { formats, OutputFormat } from '../../contract/formats.ts';

type ToolCallRow = Omit<ToolCall, 'about'> & { readonly about: string };

const CALLS = sql`SELECT id, tool, project_id, about, state, sent_at, task_id, failure FROM tool_calls`;

export interface IntendedCall extends Pick<ToolCall, 'id' | 'tool' | 'projectId' | 'about' | 'sentAt'> {
  readonly account: Account;
  readonly request: PlannedRequest;
  readonly requestHash: string;
  readonly asked?: object | undefined;
}

/** The journal of billable calls that make no take. Rows are never deleted. */
export class ToolStore extends Store {
  /** `reserve` runs in the same commit; its throw undoes it. */
  intend({ account, request, asked, ...call }: IntendedCall, reserve: () => void): void {
    const { id, tool, projectId, about, requestHash, sentAt } = call;
    this.facts.inOneCommit(() => {
      this.facts.run`INSERT INTO tool_calls (id, tool, project_id, about, request, request_hash, origin,
          key_fingerprint, sent_at, state, asked)
        VALUES (${id}, ${tool}, ${projectId}, ${textToColumn(about)}, ${request}, ${requestHash}, ${account.origin},
          ${account.keyFingerprint}, ${sentAt}, 'sent', ${asked})`;
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

  newest({ origin, keyFingerprint }: Account, requestHash: string): ToolCall | null {
    const row = this.facts.one<ToolCallRow>`${CALLS} WHERE request_hash = ${requestHash} AND origin = ${origin}
      AND key_fingerprint = ${keyFingerprint} ORDER BY sent_at DESC, rowid DESC LIMIT 1`;
    return row && toCall(row);
  }

  open(projectId: string): ToolCall[] {
    return this.facts.all<ToolCallRow>`${CALLS} WHERE project_id = ${projectId}
      AND (state = 'unclear' OR (state IN ('sent', 'answered') AND asked IS NOT NULL)) ORDER BY sent_at`.map(toCall);
  }

  asked(id: string): Json {
    return this.facts.value<Json>`SELECT asked FROM tool_calls WHERE id = ${id}`;
  }

  request(id: string): PlannedRequest {
    return this.facts.value<PlannedRequest>`SELECT request FROM tool_calls WHERE id = ${id}` as PlannedRequest;
  }

  inState(state: ToolCallState): ToolCall[] {
    return this.facts.all<ToolCallRow>`${CALLS} WHERE state = ${state} ORDER BY sent_at`.map(toCall);
  }
}

const toCall = ({ projectId, about, ...row }: ToolCallRow): ToolCall => ({
  ...withoutNulls<Omit<ToolCall, 'projectId' | 'about'>>(row),
  projectId,
  about: textFromColumn(about),
});

export interface TakeTexts {
  readonly seq: number;
  readonly takeId: string;
  readonly prompt: string;
  readonly title: string | null;
  readonly notes: string | null;
  readonly note: string | null;
}

export interface TakeWords {
  readonly takeId: string;
  /** Of the file, hex. */
  readonly sha256: string;
  readonly file: string;
}

const TAKES_AT_ONCE = 500;

const words = OutputFormat.options.filter((format) => formats[format].medium === 'words');

export class MeaningStore extends Store {
  /** Of the takes of a project after number `after`, some at a time, in order. */
  texts(projectId: string, after: number): TakeTexts[] {
    return this.facts.all<TakeTexts>`SELECT jobs.seq, jobs.id AS takeId, shots.spec ->> '$.prompt' AS prompt,
           shots.spec ->> '$.notes' AS notes,
           coalesce(shots.spec ->> '$.params.title', shots.spec ->> '$.columns.title') AS title, verdicts.note AS note
         FROM jobs JOIN shots ON shots.id = jobs.shot_id LEFT JOIN verdicts ON verdicts.job_id = jobs.id
         WHERE jobs.project_id = ${projectId} AND jobs.seq > ${after} ORDER BY jobs.seq LIMIT ${TAKES_AT_ONCE}`;
  }

  /** Of every take of a project that is a text, in no order. */
  words(projectId: string): TakeWords[] {
    return this.facts.all<TakeWords>`SELECT jobs.id AS takeId, outputs.sha256, outputs.file
         FROM batches JOIN jobs ON jobs.batch_id = batches.id JOIN outputs ON outputs.job_id = jobs.id
         WHERE batches.project_id = ${projectId} AND outputs.file IS NOT NULL
           AND outputs.format IN (SELECT value FROM json_each(${words}))`;
  }

  /** When this number differs from before, something in the database has changed. */
  changes(): string {
    const own = this.facts.count`SELECT total_changes()`;
    return `${String(own)} ${String(this.facts.pragma('data_version', { simple: true }))}`;
  }

  vector(model: string, hash: string): Float32Array | null {
    const bytes = this.facts.value<Buffer>`SELECT vector FROM vectors
      WHERE model = ${model} AND text_hash = ${Buffer.from(hash, 'hex')}`;
    // A copy: the bytes of a row may not be aligned for floats.
    return bytes ? new Float32Array(new Uint8Array(bytes).buffer) : null;
  }

  keep(model: string, vectors: ReadonlyMap<string, Float32Array>): void {
    this.facts.inOneCommit(() => {
      for (const [hash, vector] of vectors) {
        const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
        this.facts.run`INSERT OR REPLACE INTO vectors (model, text_hash, vector)
          VALUES (${model}, ${Buffer.from(hash, 'hex')}, ${bytes})`;
      }
    });
  }
}
