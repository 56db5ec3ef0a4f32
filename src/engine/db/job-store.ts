import { attemptOf, dueAtOf, taskOf } from '../machine/job-facts.ts';
import type Database from 'better-sqlite3';
import type { Attempt, JobState, JobStateName, PauseReason } from '../../contract/job.ts';
import type { TrashPhase } from '../../contract/trash.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import { applyEvent, type JobEvent, type JobEventType } from '../machine/job-machine.ts';
import { AttemptStore } from './attempt-store.ts';
import { TasksInFlight } from './tasks-in-flight.ts';
import { DueJobs } from './due-jobs.ts';
import { type Job, JOB_COLUMNS as COLUMNS, type JobRow, toJob } from './job-row.ts';
import type { EngineDatabase } from './open.ts';
import { TrashStore } from './trash-store.ts';

export type { Step } from './due-jobs.ts';
export type { Job, Scope } from './job-row.ts';

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

interface SavedRow {
  seq: number;
  id: string;
  project: string;
  revision: number;
  is_saved: 0 | 1;
  trash: TrashPhase | null;
  /** JSON. */
  files: string;
}

export class JobStore {
  readonly #db: EngineDatabase;
  readonly #get: Database.Statement;
  readonly #ofTask: Database.Statement;
  readonly #placesOf: Database.Statement;
  readonly #outsideArchive: Database.Statement;
  readonly #write: Record<'facts' | 'hints', JobUpdates>;
  readonly #commit: Database.Transaction<(work: () => void) => void>;
  readonly due: DueJobs;
  readonly tasksInFlight: TasksInFlight;
  readonly attempts: AttemptStore;
  readonly trash: TrashStore;
  readonly decisions: DecisionStore;

  constructor(db: EngineDatabase) {
    this.#db = db;
    this.#get = db.facts.prepare(`SELECT ${COLUMNS} FROM jobs WHERE id = ?`);
    this.#ofTask = db.facts.prepare(
      `SELECT ${COLUMNS} FROM jobs WHERE task_id = ? AND facts ->> '$.attempt.origin' = ? AND id <> ?`,
    );
    const named = 'FROM json_each(?) AS named CROSS JOIN jobs ON jobs.id = named.value';
    this.#placesOf = db.facts.prepare(`SELECT DISTINCT project_id AS projectId, batch_id AS batchId ${named}`);
    this.#outsideArchive = db.facts
      .prepare(
        `SELECT jobs.id ${named}
         WHERE project_id NOT IN (SELECT id FROM projects WHERE archived_at IS NOT NULL) ORDER BY named.key`,
      )
      .pluck();
    this.#write = { facts: jobUpdates(db.facts), hints: jobUpdates(db.hints) };
    this.#commit = db.facts.transaction((work: () => void) => work());
    this.due = new DueJobs(db.facts);
    this.tasksInFlight = new TasksInFlight(db.facts);
    this.attempts = new AttemptStore(db.facts);
    this.trash = new TrashStore(db.facts);
    this.decisions = new DecisionStore(db.facts);
  }

  get(jobId: string): Job | null {
    const row = this.#get.get(jobId) as JobRow | undefined;
    return row ? toJob(row) : null;
  }

  /** The batches of these jobs with their projects, each once. */
  placesOf(jobIds: readonly string[]): { projectId: string; batchId: string }[] {
    return this.#placesOf.all(JSON.stringify(jobIds)) as { projectId: string; batchId: string }[];
  }

  /** Those of these jobs whose project is not in the archive. */
  outsideArchive(jobIds: readonly string[]): string[] {
    return this.#outsideArchive.all(JSON.stringify(jobIds)) as string[];
  }

  /**
   * Takes one step: applies `event` to the job as last read and writes the outcome, guarded by state and revision.
   * `also` runs in the same transaction. Throws IllegalTransitionError or StaleJobError; neither leaves a trace.
   */
  advance(job: Job, event: JobEvent, now: number, also?: () => void): Job {
    const next = applyEvent(job.state, event);
    const journal = this.#journalEntry(job, event, now);
    if (journal || also) {
      this.#commit.immediate(() => {
        this.#writeState(this.#write.facts, job, next, now);
        journal?.();
        also?.();
      });
    } else {
      // A single statement is already a transaction.
      this.#writeState(HINTS.has(event.type) ? this.#write.hints : this.#write.facts, job, next, now);
    }
    this.tasksInFlight.moved(job.model, job.state, next);
    return { ...job, state: next, revision: job.revision + 1, updatedAt: now, savedAt: savedAtOf(job, next) };
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
    this.#db.facts.prepare('UPDATE jobs SET paused = ?, updated_at = ? WHERE id = ?').run(reason, now, jobId);
  }

  /** Enters when another data folder saved a take, ms: 0 where that is not known. */
  setSavedAt(jobId: string, savedAt: number | null): void {
    this.#db.facts.prepare('UPDATE jobs SET saved_at = ? WHERE id = ?').run(savedAt, jobId);
  }

  /** When a job was written last, ms; 0 before the first. */
  lastChange(): number {
    return this.#db.facts.prepare('SELECT COALESCE(MAX(updated_at), 0) FROM jobs').pluck().get() as number;
  }

  setPriority(jobId: string, priority: number, now: number): void {
    this.#db.facts.prepare('UPDATE jobs SET priority = ?, updated_at = ? WHERE id = ?').run(priority, now, jobId);
  }

  clearPauses(reason: PauseReason): void {
    this.#db.facts.prepare('UPDATE jobs SET paused = NULL WHERE paused = ?').run(reason);
  }

  inState(...states: JobStateName[]): Job[] {
    const marks = states.map(() => '?').join(', ');
    const rows = this.#db.facts.prepare(`SELECT ${COLUMNS} FROM jobs WHERE state IN (${marks})`).all(...states);
    return (rows as JobRow[]).map(toJob);
  }

  /**
   * Takes that are saved, or were until their files were removed, some at a time; without those that a person has
   * rejected, and without those on their way to or from the trash.
   */
  *onceSaved(
    which: { readonly projectId: string } | { readonly jobIds: readonly string[] },
    atATime: number,
  ): Generator<SavedTake[]> {
    const read = this.#db.facts.prepare(
      `SELECT seq, id, (SELECT path FROM projects WHERE id = project_id) AS project, revision, state = 'saved' AS is_saved, trash,
         (SELECT json_group_array(file) FROM outputs WHERE job_id = id AND file IS NOT NULL) AS files
       FROM jobs WHERE seq > @after AND state IN ('saved', 'result_lost')
       AND (trash IS NULL AND flag IS NOT 'reject' OR trash IN ('trashed', 'emptied'))
       AND (@projectId IS NULL OR project_id = @projectId)
       AND (@jobIds IS NULL OR id IN (SELECT value FROM json_each(@jobIds))) ORDER BY seq LIMIT @atATime`,
    );
    const projectId = 'projectId' in which ? which.projectId : null;
    const jobIds = 'jobIds' in which ? JSON.stringify(which.jobIds) : null;
    for (let after = 0, ended = false; !ended;) {
      const rows = read.all({ after, projectId, jobIds, atATime }) as SavedRow[];
      yield rows.map(({ seq: _, is_saved, files, ...row }) => ({
        ...row,
        isSaved: is_saved === 1,
        files: JSON.parse(files) as string[],
      }));
      after = rows.at(-1)?.seq ?? after;
      ended = rows.length < atATime;
    }
  }

  /** Jobs of a project that ended without a file, or need a decision, since `since` (ms). */
  endedSince(since: number, projectId: string): Job[] {
    const rows = this.#db.facts
      .prepare(
        `SELECT ${COLUMNS} FROM jobs WHERE project_id = ? AND updated_at >= ? AND state IN ('submit_unknown',
           'rejected', 'remote_failed', 'remote_cancelled', 'download_blocked', 'result_lost', 'cancelled')`,
      )
      .all(projectId, since);
    return (rows as JobRow[]).map(toJob);
  }

  idsIn(projectId: string): Set<string> {
    const ids = this.#db.facts.prepare('SELECT id FROM jobs WHERE project_id = ?');
    return new Set(ids.pluck().all(projectId) as string[]);
  }

  /** Ids of the jobs of a project that are saved. */
  savedIn(projectId: string): Set<string> {
    const ids = this.#db.facts.prepare(`SELECT id FROM jobs WHERE project_id = ? AND state = 'saved'`);
    return new Set(ids.pluck().all(projectId) as string[]);
  }

  unsentOf(batchId: string): Job[] {
    const rows = this.#db.facts
      .prepare(`SELECT ${COLUMNS} FROM jobs WHERE batch_id = ? AND state IN ('needs_assets', 'ready')`)
      .all(batchId);
    return (rows as JobRow[]).map(toJob);
  }

  /** Ids of the jobs of a project that wait to be sent, the last one first, by the content of their shots. */
  unsentByContent(projectId: string): Map<string, string[]> {
    const rows = this.#db.facts
      .prepare(
        `SELECT jobs.id, shots.content_hash AS content FROM jobs JOIN shots ON shots.id = jobs.shot_id
         WHERE jobs.project_id = ? AND state IN ('needs_assets', 'ready') ORDER BY seq DESC`,
      )
      .all(projectId) as { id: string; content: string }[];
    const byContent = new Map<string, string[]>();
    for (const { id, content } of rows) byContent.set(content, [...(byContent.get(content) ?? []), id]);
    return byContent;
  }

  inOneCommit(work: () => void): void {
    this.#commit.immediate(work);
  }

  /** The job besides `except` that a task of the service at `origin` belongs to. */
  ofTask(taskId: string, origin: string, except: string): Job | null {
    const row = this.#ofTask.get(taskId, origin, except) as JobRow | undefined;
    return row ? toJob(row) : null;
  }

  /** What a step adds to the journal; null when it adds nothing. */
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

  #writeState(updates: JobUpdates, job: Job, next: JobState, now: number): void {
    const written = columnsOf(next);
    const before = columnsOf(job.state);
    const isSameTask = written.taskId === before.taskId;
    const isSameState = isSameTask && written.state === before.state && written.attemptId === before.attemptId;
    const update = isSameState ? updates.sameState : isSameTask ? updates.sameTask : updates.otherTask;
    const { changes } = update.run({
      ...written,
      id: job.id,
      from: before.state,
      revision: job.revision,
      facts: JSON.stringify(next),
      dueAt: Math.ceil(dueAtOf(next)),
      savedAt: savedAtOf(job, next),
      now,
    });
    if (changes !== 1) throw new StaleJobError(job.id);
  }
}

/** A file that was gone and is back, or is fetched again, leaves the time at which its take was saved first. */
const savedAtOf = ({ savedAt }: Job, next: JobState): number | null =>
  savedAt ?? (next.state === 'saved' ? next.savedAt : null);

const columnsOf = (state: JobState) => ({
  state: state.state,
  attemptId: attemptOf(state)?.id ?? null,
  taskId: taskOf(state)?.id ?? null,
});

/** The statements for a step: unchanged columns are left out, and so are the indexes and checks that read them. */
type JobUpdates = Readonly<Record<'sameState' | 'sameTask' | 'otherTask', Database.Statement>>;

function jobUpdates(db: Database.Database): JobUpdates {
  const update = (changed: string) =>
    db.prepare(
      `UPDATE jobs SET ${changed} facts = @facts, due_at = @dueAt, revision = revision + 1, updated_at = @now
       WHERE id = @id AND state = @from AND revision = @revision`,
    );
  return {
    sameState: update(''),
    sameTask: update('state = @state, attempt_id = @attemptId, saved_at = @savedAt,'),
    otherTask: update('state = @state, attempt_id = @attemptId, saved_at = @savedAt, task_id = @taskId,'),
  };
}

class DecisionStore {
  readonly #add: Database.Statement;
  readonly #written: Database.Statement;
  readonly #has: Database.Statement;
  readonly #of: Database.Statement;
  readonly #projects: Database.Statement;

  constructor(db: Database.Database) {
    this.#add = db.prepare('INSERT OR REPLACE INTO unwritten_decisions (job_id, revision) VALUES (?, ?)');
    this.#written = db.prepare('DELETE FROM unwritten_decisions WHERE job_id = ? AND revision <= ?');
    this.#has = db.prepare('SELECT 1 FROM unwritten_decisions WHERE job_id = ?');
    const placed = 'FROM unwritten_decisions JOIN jobs ON jobs.id = job_id';
    this.#of = db.prepare(`SELECT job_id ${placed} WHERE project_id = ?`).pluck();
    this.#projects = db.prepare(`SELECT DISTINCT project_id ${placed}`).pluck();
  }

  /** Belongs in the commit of the decision. `revision` of the job with it. */
  add(jobId: string, revision: number): void {
    this.#add.run(jobId, revision);
  }

  /** The recipe has the job as it was at this revision. */
  written({ id, revision }: { readonly id: string; readonly revision: number }): void {
    this.#written.run(id, revision);
  }

  has(jobId: string): boolean {
    return this.#has.get(jobId) !== undefined;
  }

  of(projectId: string): string[] {
    return this.#of.all(projectId) as string[];
  }

  projects(): string[] {
    return this.#projects.all() as string[];
  }
}
