import { toAttempt, toDueAt, toTask } from '../machine/job-facts.ts';
import type { Attempt, JobState, JobStateName, PauseReason } from '../../contract/job.ts';
import type { TrashPhase } from '../../contract/trash.ts';
import { PlannedRequest } from '../../contract/take.ts';
import { applyEvent, type JobEvent, type JobEventType } from '../machine/job-machine.ts';
import { TasksInFlight, DueJobs } from './due-jobs.ts';
import { type Job, JOB_COLUMNS as COLUMNS } from './job-sql.ts';
import { sql, Store, type Connection, type Sql, withoutNulls } from './connection.ts';
import { TrashStore } from './output-store.ts';
import { StudioStore } from './studio-store.ts';
import { WaitStore } from './wait-store.ts';
import type { Failure } from '../../contract/failure.ts';
import { AttemptOutcome, type AttemptView } from '../../contract/review.ts';

export type { Step } from './due-jobs.ts';
export type { Job, Scope } from './job-sql.ts';

/** A take whose files were published, as of one revision of its job. */
export interface SavedTake {
  readonly id: string;
  readonly project: string;
  readonly revision: number;
  readonly isSaved: boolean;
  readonly trash: TrashPhase | null;
  /** Relative to the project folder. */
  readonly files: readonly string[];
}

/** The job was changed between reading and writing: read it again. */
export class StaleJobError extends Error {
  constructor(jobId: string) {
    super(`Job ${jobId} changed while a step of it was being written.`);
  }
}

/**
 * Events whose loss in a power cut costs a poll or a second of waiting, never money: they are written without a
 * separate fsync. Everything else is on disk before `advance` returns.
 */
const HINTS: ReadonlySet<JobEventType> = new Set([
  'await_assets',
  'still_running',
  'poll_failed',
  'succeeded',
  'download_delayed',
  'look',
]);

const MISSING_RESULT = sql`('submit_unknown', 'rejected', 'remote_failed', 'remote_cancelled', 'download_blocked',
  'result_lost', 'cancelled')`;

export class JobStore extends Store {
  readonly due = new DueJobs(this.db);
  readonly tasksInFlight = new TasksInFlight(this.db);
  readonly attempts = new AttemptStore(this.db);
  readonly trash = new TrashStore(this.db);
  readonly decisions = new DecisionStore(this.db);
  readonly studio = new StudioStore(this.db);
  readonly waits = new WaitStore(this.db);

  #where(condition: Sql): Job[] {
    return this.facts.all<Job>`SELECT ${COLUMNS} FROM jobs WHERE ${condition}`;
  }

  get(jobId: string): Job | null {
    return this.facts.one<Job>`SELECT ${COLUMNS} FROM jobs WHERE id = ${jobId}`;
  }

  /** Those that wait for something that reads a frame. */
  withoutFrame(): Job[] {
    return this.#where(sql`state = 'needs_assets' AND facts ->> '$.needsFrame' IS NOT NULL`);
  }

  placesOf(jobIds: readonly string[]): { projectId: string; batchId: string }[] {
    return this.facts.all`SELECT DISTINCT project_id, batch_id
      FROM json_each(${jobIds}) AS named CROSS JOIN jobs ON jobs.id = named.value`;
  }

  outsideArchive(jobIds: readonly string[]): string[] {
    return this.facts.values`SELECT jobs.id FROM json_each(${jobIds}) AS named CROSS JOIN jobs ON jobs.id = named.value
      WHERE project_id NOT IN (SELECT id FROM projects WHERE archived_at IS NOT NULL) ORDER BY named.key`;
  }

  /**
   * Takes one step: applies `event` to the job as last read and writes the outcome, guarded by state and revision.
   * `also` runs in the same transaction. Throws IllegalTransitionError or StaleJobError; neither leaves a trace.
   */
  advance(job: Job, event: JobEvent, now: number, also?: () => void): Job {
    const next = applyEvent(job.state, event);
    const journal = this.#journalEntry(job, event, now);
    const told = this.studio.entryFor(job, event.type, next, now);
    if (journal || told || also) {
      this.inOneCommit(() => {
        this.#writeState(this.facts, job, next, now);
        journal?.();
        told?.();
        also?.();
      });
    } else {
      // A single statement is already a transaction.
      this.#writeState(HINTS.has(event.type) ? this.hints : this.facts, job, next, now);
    }
    this.tasksInFlight.moved(job.model, job.state, next);
    return { ...job, state: next, revision: job.revision + 1, updatedAt: now, savedAt: savedAtFor(job, next) };
  }

  /**
   * Writes the intent of one POST: the journal row, the `submitting` state and its place in the ledger (`reserve`, whose
   * throw undoes all of it), in one synced transaction.
   */
  intend(job: Job, attempt: Attempt, request: PlannedRequest, reserve?: () => void): Job {
    return this.advance(job, { type: 'intended', attempt }, attempt.intendedAt, () => {
      this.attempts.intend(job.id, attempt, request);
      reserve?.();
    });
  }

  /**
   * Holds a job back, or releases it (`null`). An overlay: it does not change the revision, so that the result of a
   * step already under way (a task id, above all) is still stored.
   */
  setPaused(jobId: string, reason: PauseReason | null, now: number): void {
    this.facts.run`UPDATE jobs SET paused = ${reason}, updated_at = ${now} WHERE id = ${jobId}`;
  }

  /** Enters when another data folder saved a take, ms: 0 where that is not known. */
  setSavedAt(jobId: string, savedAt: number | null): void {
    this.facts.run`UPDATE jobs SET saved_at = ${savedAt} WHERE id = ${jobId}`;
  }

  lastChange(): number {
    return this.facts.count`SELECT MAX(updated_at) FROM jobs`;
  }

  setPriority(jobId: string, priority: number, now: number): void {
    this.facts.run`UPDATE jobs SET priority = ${priority}, updated_at = ${now} WHERE id = ${jobId}`;
  }

  clearPauses(reason: PauseReason): void {
    this.facts.run`UPDATE jobs SET paused = NULL WHERE paused = ${reason}`;
  }

  inState(...states: JobStateName[]): Job[] {
    return this.#where(sql`state IN (SELECT value FROM json_each(${states}))`);
  }

  /**
   * Takes that are saved, or were until their files were removed, some at a time; without those that a person has
   * rejected, and without those on their way to or from the trash.
   */
  *onceSaved(
    which: { readonly projectId: string } | { readonly jobIds: readonly string[] },
    atATime: number,
  ): Generator<SavedTake[]> {
    const projectId = 'projectId' in which ? which.projectId : null;
    const jobIds = 'jobIds' in which ? which.jobIds : null;
    for (let after = 0, ended = false; !ended;) {
      const rows = this.facts.all<SavedTake & { readonly seq: number }>`
        SELECT seq, id, (SELECT path FROM projects WHERE id = project_id) AS project, revision,
          state = 'saved' AS isSaved, trash,
          (SELECT json_group_array(file) FROM outputs WHERE job_id = id AND file IS NOT NULL) AS files
        FROM jobs WHERE seq > ${after} AND state IN ('saved', 'result_lost')
          AND (trash IS NULL AND flag IS NOT 'reject' OR trash IN ('trashed', 'emptied'))
          AND (${projectId} IS NULL OR project_id = ${projectId})
          AND (${jobIds} IS NULL OR id IN (SELECT value FROM json_each(${jobIds}))) ORDER BY seq LIMIT +${atATime}`;
      yield rows.map(({ seq: _, ...take }) => take);
      after = rows.at(-1)?.seq ?? after;
      ended = rows.length < atATime;
    }
  }

  /** Jobs of a project that ended without a file, or need a decision, since `since` (ms). */
  endedSince(since: number, projectId: string): Job[] {
    return this.#where(sql`project_id = ${projectId} AND updated_at >= ${since} AND state IN ${MISSING_RESULT}`);
  }

  idsIn(projectId: string): Set<string> {
    return new Set(this.facts.values<string>`SELECT id FROM jobs WHERE project_id = ${projectId}`);
  }

  savedIn(projectId: string): Set<string> {
    return new Set(this.facts.values<string>`SELECT id FROM jobs WHERE project_id = ${projectId} AND state = 'saved'`);
  }

  unsentOf(batchId: string): Job[] {
    return this.#where(sql`batch_id = ${batchId} AND state IN ('needs_assets', 'ready')`);
  }

  /** Ids of the jobs of a project that wait to be sent, the last one first, by the content of their shots. */
  unsentByContent(projectId: string): Map<string, string[]> {
    const rows = this.facts.all<{ id: string; content: string }>`SELECT jobs.id, shots.content_hash AS content
      FROM jobs JOIN shots ON shots.id = jobs.shot_id
      WHERE jobs.project_id = ${projectId} AND state IN ('needs_assets', 'ready') ORDER BY seq DESC`;
    const byContent = Map.groupBy(rows, ({ content }) => content);
    return new Map([...byContent].map(([content, jobs]) => [content, jobs.map(({ id }) => id)]));
  }

  /** The job besides `except` that a task of the service at `origin` belongs to. */
  ofTask(taskId: string, origin: string, except: string): Job | null {
    const [job] = this.#where(
      sql`task_id = ${taskId} AND facts ->> '$.attempt.origin' = ${origin} AND id <> ${except}`,
    );
    return job ?? null;
  }

  #journalEntry({ id, state }: Job, event: JobEvent, now: number): (() => void) | null {
    if (!('attempt' in state) || !state.attempt) return null;
    const { number } = state.attempt;
    if (state.state === 'submitting') return () => this.attempts.end(id, number, event, now);
    switch (event.type) {
      case 'task_failed':
      case 'task_cancelled':
        return () => this.attempts.fail(id, number, event.failure);
      case 'attach':
        return () => this.attempts.attach(id, number, event.task.id);
      default:
        return null;
    }
  }

  /** Unchanged columns are left out, and so are the indexes and checks that read them. */
  #writeState(connection: Connection, job: Job, next: JobState, now: number): void {
    const written = toColumns(next);
    const before = toColumns(job.state);
    const { state, attemptId, taskId } = written;
    const isSameTask = taskId === before.taskId;
    const isSameState = isSameTask && state === before.state && attemptId === before.attemptId;
    const task = isSameTask ? sql`` : sql`task_id = ${taskId},`;
    const changed = sql`state = ${state}, attempt_id = ${attemptId}, saved_at = ${savedAtFor(job, next)}, ${task}`;
    const changes = connection.run`UPDATE jobs SET ${isSameState ? sql`` : changed} facts = ${next},
        due_at = ${Math.ceil(toDueAt(next))}, revision = revision + 1, updated_at = ${now}
      WHERE id = ${job.id} AND state = ${before.state} AND revision = ${job.revision}`;
    if (changes !== 1) throw new StaleJobError(job.id);
  }
}

/** A file that was gone and is back, or is fetched again, leaves the time at which its take was saved first. */
const savedAtFor = ({ savedAt }: Job, next: JobState): number | null =>
  savedAt ?? (next.state === 'saved' ? next.savedAt : null);

const toColumns = (state: JobState) => ({
  state: state.state,
  attemptId: toAttempt(state)?.id ?? null,
  taskId: toTask(state)?.id ?? null,
});

class DecisionStore extends Store {
  /** Belongs in the commit of the decision. `revision` of the job with it. */
  add(jobId: string, revision: number): void {
    this.facts.run`INSERT OR REPLACE INTO unwritten_decisions (job_id, revision) VALUES (${jobId}, ${revision})`;
  }

  /** The recipe has the job as it was at this revision. */
  written({ id, revision }: { readonly id: string; readonly revision: number }): void {
    this.facts.run`DELETE FROM unwritten_decisions WHERE job_id = ${id} AND revision <= ${revision}`;
  }

  has(jobId: string): boolean {
    return this.facts.has`SELECT 1 FROM unwritten_decisions WHERE job_id = ${jobId}`;
  }

  of(projectId: string): string[] {
    return this.facts.values`SELECT job_id FROM unwritten_decisions JOIN jobs ON jobs.id = job_id
      WHERE project_id = ${projectId}`;
  }

  projects(): string[] {
    return this.facts.values`SELECT DISTINCT project_id FROM unwritten_decisions JOIN jobs ON jobs.id = job_id`;
  }
}

type AttemptRow = Omit<AttemptView, 'outcome'> & { readonly outcome: string | null };

interface Ended {
  readonly outcome: string;
  readonly at: number;
  readonly taskId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly traceId?: string | undefined;
  readonly failure?: Failure | undefined;
}

/** The journal of every billable POST. Rows are written in the transaction of their step, and are never deleted. */
class AttemptStore extends Store {
  intend(jobId: string, attempt: Attempt, request: PlannedRequest): void {
    const { id, number, bodyHash, origin, keyFingerprint, intendedAt } = attempt;
    this.facts.run`INSERT INTO attempts (id, job_id, number, request, body_hash, origin, key_fingerprint, intended_at)
      VALUES (${id}, ${jobId}, ${number}, ${request}, ${bodyHash}, ${origin}, ${keyFingerprint}, ${intendedAt})`;
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
    return PlannedRequest.nullable().parse(this.facts.value`SELECT request FROM attempts WHERE job_id = +${jobId}
      ORDER BY number DESC LIMIT 1`);
  }
}

const toView = ({ outcome, endedAt, request, ...row }: AttemptRow): AttemptView => ({
  ...withoutNulls<Omit<AttemptView, 'endedAt' | 'outcome' | 'request'>>(row),
  endedAt,
  outcome: outcome === null ? 'under_way' : AttemptOutcome.catch('unclear').parse(outcome),
  request: PlannedRequest.parse(request),
});
