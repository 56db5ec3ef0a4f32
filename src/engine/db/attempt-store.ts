import { Failure } from '../../contract/failure.ts';
import type { Attempt } from '../../contract/job.ts';
import { AttemptOutcome, type AttemptView } from '../../contract/review.ts';
import { PlannedRequest } from '../../contract/take.ts';
import type { JobEvent } from '../machine/job-machine.ts';
import { Store, withoutNulls } from './connection.ts';

interface AttemptRow {
  readonly number: number;
  readonly intendedAt: number;
  readonly endedAt: number | null;
  readonly outcome: string | null;
  readonly origin: string;
  /** JSON, as `failure` is. */
  readonly request: string;
  readonly taskId: string | null;
  readonly requestId: string | null;
  readonly traceId: string | null;
  readonly failure: string | null;
}

/** How a POST ended. */
interface Ended {
  readonly outcome: string;
  readonly at: number;
  readonly taskId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly traceId?: string | undefined;
  readonly failure?: Failure | undefined;
}

/**
 * The journal of every billable POST. Rows are written in the transaction of the step they belong to, which
 * `JobStore` opens, and are never deleted.
 */
export class AttemptStore extends Store {
  intend(jobId: string, attempt: Attempt, request: PlannedRequest): void {
    this.facts.run(
      `INSERT INTO attempts (id, job_id, number, request, body_hash, origin, key_fingerprint, intended_at)
       VALUES (@id, @jobId, @number, @request, @bodyHash, @origin, @keyFingerprint, @intendedAt)`,
      { ...attempt, jobId, request },
    );
  }

  /** A take with the state `rejected` was refused, and cost nothing. */
  adopt(
    jobId: string,
    attempt: Attempt,
    request: PlannedRequest,
    { state, taskId, requestId, traceId }: Omit<Ended, 'outcome' | 'at'> & { readonly state?: string } = {},
  ): void {
    this.intend(jobId, attempt, request);
    const outcome = state === 'rejected' ? 'refused' : 'adopted';
    this.#end(jobId, attempt.number, { outcome, at: attempt.intendedAt, taskId, requestId, traceId });
  }

  /** How the POST ended: `event` is the step that moves its job out of `submitting`. */
  end(jobId: string, number: number, event: JobEvent, at: number): void {
    const task = 'task' in event ? event.task : undefined;
    const failure = 'failure' in event ? event.failure : undefined;
    const { requestId, traceId } = task ?? failure ?? {};
    this.#end(jobId, number, { outcome: event.type, at, taskId: task?.id, requestId, traceId, failure });
  }

  #end(jobId: string, number: number, { outcome, at, taskId, requestId, traceId, failure }: Ended): void {
    this.facts.run`UPDATE attempts SET outcome = ${outcome}, ended_at = ${at}, task_id = ${taskId},
        request_id = ${requestId}, trace_id = ${traceId}, failure = ${failure}
      WHERE job_id = ${jobId} AND number = ${number} AND outcome IS NULL`;
  }

  fail(jobId: string, number: number, failure: Failure): void {
    this.facts.run`UPDATE attempts SET failure = ${failure} WHERE job_id = ${jobId} AND number = ${number}`;
  }

  attach(jobId: string, number: number, taskId: string): void {
    this.facts.run`UPDATE attempts SET task_id = ${taskId} WHERE job_id = ${jobId} AND number = ${number}`;
  }

  of(jobId: string): AttemptView[] {
    return this.facts
      .all<AttemptRow>`SELECT number, intended_at, ended_at, outcome, origin, request, task_id, request_id,
      trace_id, failure FROM attempts WHERE job_id = ${jobId} ORDER BY number`.map(toView);
  }

  /** True when this data folder made the attempt itself. */
  isOwn(jobId: string, { number }: Attempt): boolean {
    return this.facts.has`SELECT 1 FROM attempts
      WHERE job_id = ${jobId} AND number = ${number} AND outcome IS NOT 'adopted'`;
  }

  knows(jobId: string, attemptId: string): boolean {
    return this.facts.has`SELECT 1 FROM attempts WHERE job_id = ${jobId} AND id = ${attemptId}`;
  }

  count(jobId: string): number {
    return this.facts.count`SELECT COUNT(*) FROM attempts WHERE job_id = ${jobId}`;
  }

  /** The newest request made for a job; null when none was. */
  lastRequest(jobId: string): PlannedRequest | null {
    const text = this.facts.value<string>`SELECT request FROM attempts WHERE job_id = +${jobId}
      ORDER BY number DESC LIMIT 1`;
    return text === null ? null : PlannedRequest.parse(JSON.parse(text));
  }
}

const toView = ({ outcome, endedAt, request, failure, ...row }: AttemptRow): AttemptView => ({
  ...withoutNulls(row),
  endedAt,
  outcome: outcome === null ? 'under_way' : AttemptOutcome.catch('unclear').parse(outcome),
  request: PlannedRequest.parse(JSON.parse(request)),
  ...(failure !== null && { failure: Failure.parse(JSON.parse(failure)) }),
});
