import type Database from 'better-sqlite3';
import { Failure } from '../../contract/failure.ts';
import type { Attempt } from '../../contract/job.ts';
import { AttemptOutcome, type AttemptView } from '../../contract/review.ts';
import { PlannedRequest } from '../../contract/take.ts';
import type { JobEvent } from '../machine/job-machine.ts';

interface AttemptRow {
  number: number;
  request: string;
  origin: string;
  intended_at: number;
  outcome: string | null;
  ended_at: number | null;
  task_id: string | null;
  request_id: string | null;
  trace_id: string | null;
  failure: string | null;
}

/**
 * The journal of every billable POST. Rows are written in the transaction of the step they belong to, which
 * `JobStore` opens, and are never deleted.
 */
export class AttemptStore {
  readonly #insert: Database.Statement;
  readonly #end: Database.Statement;
  readonly #fail: Database.Statement;
  readonly #attach: Database.Statement;
  readonly #of: Database.Statement;
  readonly #isOwn: Database.Statement;
  readonly #knows: Database.Statement;
  readonly #count: Database.Statement;
  readonly #lastRequest: Database.Statement;

  constructor(db: Database.Database) {
    this.#insert = db.prepare(
      `INSERT INTO attempts (id, job_id, number, request, body_hash, origin, key_fingerprint, intended_at)
       VALUES (@id, @jobId, @number, @request, @bodyHash, @origin, @keyFingerprint, @intendedAt)`,
    );
    this.#end = db.prepare(
      `UPDATE attempts SET outcome = @outcome, ended_at = @at, task_id = @taskId, request_id = @requestId,
         trace_id = @traceId, failure = @failure
       WHERE job_id = @jobId AND number = @number AND outcome IS NULL`,
    );
    this.#fail = db.prepare('UPDATE attempts SET failure = ? WHERE job_id = ? AND number = ?');
    this.#attach = db.prepare('UPDATE attempts SET task_id = ? WHERE job_id = ? AND number = ?');
    this.#of = db.prepare('SELECT * FROM attempts WHERE job_id = ? ORDER BY number');
    this.#isOwn = db.prepare(`SELECT 1 FROM attempts WHERE job_id = ? AND number = ? AND outcome IS NOT 'adopted'`);
    this.#knows = db.prepare('SELECT 1 FROM attempts WHERE job_id = ? AND id = ?');
    this.#count = db.prepare('SELECT COUNT(*) FROM attempts WHERE job_id = ?').pluck();
    this.#lastRequest = db
      .prepare('SELECT request FROM attempts WHERE job_id = +? ORDER BY number DESC LIMIT 1')
      .pluck();
  }

  intend(jobId: string, attempt: Attempt, request: PlannedRequest): void {
    this.#insert.run({ ...attempt, jobId, request: JSON.stringify(request) });
  }

  adopt(jobId: string, attempt: Attempt, request: PlannedRequest, ids: AdoptedIds = {}): void {
    this.intend(jobId, attempt, request);
    this.#end.run({
      ...ended(jobId, attempt.number, attempt.intendedAt),
      outcome: ids.state === 'rejected' ? 'refused' : 'adopted',
      taskId: ids.taskId ?? null,
      requestId: ids.requestId ?? null,
      traceId: ids.traceId ?? null,
    });
  }

  /** How the POST ended: `event` is the step that moves its job out of `submitting`. */
  end(jobId: string, number: number, event: JobEvent, at: number): void {
    const task = 'task' in event ? event.task : undefined;
    const failure = 'failure' in event ? event.failure : undefined;
    this.#end.run({
      ...ended(jobId, number, at),
      outcome: event.type,
      taskId: task?.id ?? null,
      requestId: (task ?? failure)?.requestId ?? null,
      traceId: (task ?? failure)?.traceId ?? null,
      failure: failure ? JSON.stringify(failure) : null,
    });
  }

  fail(jobId: string, number: number, failure: Failure): void {
    this.#fail.run(JSON.stringify(failure), jobId, number);
  }

  attach(jobId: string, number: number, taskId: string): void {
    this.#attach.run(taskId, jobId, number);
  }

  of(jobId: string): AttemptView[] {
    return (this.#of.all(jobId) as AttemptRow[]).map(toView);
  }

  /** True when this data folder made the attempt itself. */
  isOwn(jobId: string, { number }: Attempt): boolean {
    return this.#isOwn.get(jobId, number) !== undefined;
  }

  knows(jobId: string, attemptId: string): boolean {
    return this.#knows.get(jobId, attemptId) !== undefined;
  }

  count(jobId: string): number {
    return this.#count.get(jobId) as number;
  }

  /** The newest request made for a job; null when none was. */
  lastRequest(jobId: string): PlannedRequest | null {
    const text = this.#lastRequest.get(jobId);
    return typeof text === 'string' ? PlannedRequest.parse(JSON.parse(text)) : null;
  }
}

interface AdoptedIds {
  /** Of the take: one that is rejected was refused, and cost nothing. */
  readonly state?: string;
  readonly taskId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly traceId?: string | undefined;
}

const ended = (jobId: string, number: number, at: number) => ({
  jobId,
  number,
  at,
  taskId: null,
  requestId: null,
  traceId: null,
  failure: null,
});

function toView(row: AttemptRow): AttemptView {
  return {
    number: row.number,
    intendedAt: row.intended_at,
    endedAt: row.ended_at,
    outcome: row.outcome === null ? 'under_way' : AttemptOutcome.catch('unclear').parse(row.outcome),
    origin: row.origin,
    request: PlannedRequest.parse(JSON.parse(row.request)),
    ...(row.task_id !== null && { taskId: row.task_id }),
    ...(row.request_id !== null && { requestId: row.request_id }),
    ...(row.trace_id !== null && { traceId: row.trace_id }),
    ...(row.failure !== null && { failure: Failure.parse(JSON.parse(row.failure)) }),
  };
}
