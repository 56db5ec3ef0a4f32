import { attemptOf, failureShown, taskOf } from '../machine/job-facts.ts';
import type Database from 'better-sqlite3';
import {
  standingOf,
  type Counts,
  type JobState,
  type JobStateName,
  type JobView,
  type PauseReason,
  type Standing,
} from '../../contract/job.ts';
import { specNamed } from '../../contract/kinds/index.ts';
import type { Params } from '../../contract/kinds/spec.ts';
import { remarksOf } from '../../contract/remarks.ts';
import type { Output } from '../../contract/take.ts';
import { trashStateOf, type TrashPhase } from '../../contract/trash.ts';
import type { TakeLink } from '../../contract/take-source.ts';
import { answerKept, otherModelUsed, referencesNotBound, textCutShort } from '../machine/failures.ts';
import { scopeParameters, type Scope } from './job-row.ts';
import type { EngineDatabase } from './open.ts';
import { prepareLinks } from './source-store.ts';
import { standingSql, IS_SET_ASIDE } from './standing-sql.ts';

export interface JobFilter extends Scope {
  readonly standing?: Standing;
  readonly state?: JobStateName;
  /** Shot keys. */
  readonly shots?: readonly string[];
  /** Full job ids, or the beginning or end of one: ids made together begin alike and differ at the end. */
  readonly ids?: readonly string[];
  /** Leaves out settled takes of rows that the list has since changed or removed: they are history. */
  readonly current?: boolean;
  readonly limit?: number;
}

/** Takes of one model that are not over. */
export interface RemainingWork {
  /** Null for that of the settings. */
  readonly service: string | null;
  readonly model: string;
  readonly waiting: number;
  /** Takes whose tasks run at the service. */
  readonly running: number;
}

type OutputRow = Omit<Output, 'verified' | 'home'> & {
  readonly job_id: string;
  readonly home: string | null;
  readonly verified: 0 | 1;
};

interface ViewRow {
  seq: number;
  id: string;
  project_id: string;
  batch_id: string;
  project: string;
  batch: string;
  shot: string;
  position: number;
  take: number;
  kind: string;
  model: string;
  prompt: string | null;
  params: string;
  priority: number;
  turn: number;
  paused: PauseReason | null;
  trash: TrashPhase | null;
  flag: 'pick' | 'reject' | null;
  set_aside: 0 | 1;
  facts: string;
  due_at: number;
  created_at: number;
  updated_at: number;
}

const VIEW = `SELECT jobs.seq, jobs.id, jobs.project_id, jobs.batch_id, projects.name AS project, batches.name AS batch, jobs.shot_key AS shot,
  iif(shots.current, shots.position, COALESCE((SELECT now.position FROM shots AS now
    WHERE now.batch_id = jobs.batch_id AND now.key = jobs.shot_key AND now.current = 1), shots.position)) AS position, jobs.take, jobs.kind,
  jobs.model, shots.spec ->> '$.prompt' AS prompt, shots.spec -> '$.params' AS params, jobs.priority, jobs.turn, jobs.paused, jobs.trash, jobs.flag, ${IS_SET_ASIDE} AS set_aside, jobs.facts, jobs.due_at, jobs.created_at, jobs.updated_at
  FROM jobs JOIN projects ON projects.id = jobs.project_id JOIN batches ON batches.id = jobs.batch_id
  JOIN shots ON shots.id = jobs.shot_id`;

const IN_SCOPE = `(@projectId IS NULL OR jobs.project_id = @projectId) AND (@batchId IS NULL OR jobs.batch_id = @batchId)`;

/** Not history: the take may still get a result, or its row still asks for the same. Needs its shot joined. */
const IS_CURRENT = `(jobs.state NOT IN
    ('saved', 'rejected', 'remote_failed', 'remote_cancelled', 'download_blocked', 'result_lost', 'cancelled')
  OR shots.current = 1 OR EXISTS (SELECT 1 FROM shots AS now WHERE now.batch_id = jobs.batch_id AND now.key = jobs.shot_key
    AND now.current = 1 AND now.content_hash = shots.content_hash))`;

/** Jobs read in one go where nobody needs all of them together. */
const SLICE = 500;

/** Reads jobs without changing them. Works on a read-only database beside a running engine. */
export class JobQueries {
  readonly #db: EngineDatabase;
  readonly #one: Database.Statement;
  readonly #files: Database.Statement;
  readonly #links: ReturnType<typeof prepareLinks>;

  constructor(db: EngineDatabase) {
    this.#db = db;
    this.#one = db.facts.prepare(`${VIEW} WHERE jobs.id = ?`);
    this.#links = prepareLinks(db);
    this.#files = db.facts.prepare(
      `SELECT job_id, number, file, home, bytes, sha256, format, verified FROM json_each(?)
       CROSS JOIN outputs ON job_id = value WHERE file IS NOT NULL ORDER BY json_each.id, number`,
    );
  }

  /** `outputs`: its published files, if they were already read. */
  view(jobId: string, outputs?: readonly Output[]): JobView | null {
    const row = this.#one.get(jobId) as ViewRow | undefined;
    return row ? this.#toView(row, this.#links([jobId]).get(jobId), outputs) : null;
  }

  list(filter: JobFilter): JobView[] {
    const rows = this.#db.facts
      .prepare(
        `${VIEW} WHERE ${IN_SCOPE}
         AND (@state IS NULL OR jobs.state = @state)
         AND (@shots IS NULL OR jobs.shot_key IN (SELECT value FROM json_each(@shots)))
         AND (@ids IS NULL OR EXISTS (SELECT 1 FROM json_each(@ids)
           WHERE substr(jobs.id, 1, length(value)) = value OR substr(jobs.id, -length(value)) = value))
         ${filter.current ? `AND ${IS_CURRENT}` : ''}
         ${filter.standing ? `AND ${standingSql[filter.standing]}` : ''}
         ORDER BY jobs.seq LIMIT @limit`,
      )
      .all({
        ...scopeParameters(filter),
        state: filter.state ?? null,
        shots: filter.shots ? JSON.stringify(filter.shots) : null,
        ids: filter.ids ? JSON.stringify(filter.ids) : null,
        limit: filter.limit ?? -1,
      }) as ViewRow[];
    const ids = rows.map(({ id }) => id);
    const [outputs, links] = [this.#outputsOf(ids), this.#links(ids)];
    return rows.map((row) => this.#toView(row, links.get(row.id), outputs.get(row.id) ?? []));
  }

  /**
   * The jobs of a batch in order, with their published files, read a slice at a time, so that going through 50,000 does
   * not block everything else.
   */
  *ofBatch(batchId: string): Generator<{ readonly job: JobView; readonly outputs: readonly Output[] }> {
    // The `+` keeps SQLite from an index that would have it sort the whole batch again for each slice.
    const slice = this.#db.facts.prepare(`${VIEW} WHERE +jobs.batch_id = ? AND jobs.seq > ? ORDER BY jobs.seq LIMIT ?`);
    for (let last = 0, ended = false; !ended;) {
      const rows = slice.all(batchId, last, SLICE) as ViewRow[];
      const ids = rows.map(({ id }) => id);
      const [files, links] = [this.#outputsOf(ids), this.#links(ids)];
      for (const row of rows) {
        const outputs = files.get(row.id) ?? [];
        yield { job: this.#toView(row, links.get(row.id), outputs), outputs };
      }
      last = rows.at(-1)?.seq ?? last;
      ended = rows.length < SLICE;
    }
  }

  /**
   * How many takes of a scope have each standing, the same in every host: without what was set aside; see
   * `JobView.isSetAside`.
   */
  counts(scope: Scope): Counts {
    const counts: Counts = { saved: 0, failed: 0, unknown: 0, cancelled: 0, unfinished: 0 };
    const rows = this.#db.facts
      .prepare(
        `SELECT state, paused, COUNT(*) AS jobs FROM jobs WHERE ${IN_SCOPE} AND NOT ${IS_SET_ASIDE} GROUP BY state, paused`,
      )
      .all(scopeParameters(scope)) as { state: JobStateName; paused: PauseReason | null; jobs: number }[];
    for (const row of rows) counts[standingOf(row.state, row.paused)] += row.jobs;
    return counts;
  }

  stateCounts(scope: Scope): Partial<Record<JobStateName, number>> {
    const rows = this.#db.facts
      .prepare(`SELECT state, COUNT(*) AS jobs FROM jobs WHERE ${IN_SCOPE} GROUP BY state`)
      .all(scopeParameters(scope)) as { state: JobStateName; jobs: number }[];
    return Object.fromEntries(rows.map((row) => [row.state, row.jobs]));
  }

  /** The takes left to make with each model, by the service that they are sent to, without those that are held back. */
  workLeft(): RemainingWork[] {
    return this.#db.facts
      .prepare(
        `SELECT projects.service, jobs.model, SUM(jobs.step IN ('prepare', 'submit')) AS waiting,
           SUM(jobs.step = 'poll') AS running
         FROM jobs JOIN projects ON projects.id = jobs.project_id
         WHERE jobs.paused IS NULL AND jobs.step IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2`,
      )
      .all() as RemainingWork[];
  }

  outputs(jobId: string): Output[] {
    return this.#outputsOf([jobId]).get(jobId) ?? [];
  }

  #outputsOf(jobIds: readonly string[]): Map<string, Output[]> {
    const found = new Map<string, Output[]>();
    for (const { job_id, home, verified, ...file } of this.#files.iterate(
      JSON.stringify(jobIds),
    ) as Iterable<OutputRow>) {
      const output = { ...file, ...(home !== null && { home }), verified: verified === 1 };
      const before = found.get(job_id);
      if (before) before.push(output);
      else found.set(job_id, [output]);
    }
    return found;
  }

  #toView(row: ViewRow, from: readonly TakeLink[] = [], outputs: readonly Output[] = this.outputs(row.id)): JobView {
    const state = JSON.parse(row.facts) as JobState;
    const task = taskOf(state);
    const attempt = attemptOf(state);
    const failure = failureShown(state);
    const isCut = state.state === 'saved' && state.isCut === true;
    const spec = specNamed(row.kind);
    const medium = spec?.mediumOf?.(JSON.parse(row.params) as Params) ?? spec?.medium;
    const modelUsed = state.state === 'saved' ? task?.modelUsed : undefined;
    const remarks = [
      ...remarksOf(medium, outputs),
      ...(isCut ? (['cut_short'] as const) : []),
      ...(modelUsed === undefined ? [] : (['other_model'] as const)),
    ];
    const trash = trashStateOf(row.trash);
    const hasAnswer = state.state === 'cancelled' && state.results !== undefined;
    const notice =
      (hasAnswer ? answerKept(state.at) : null) ??
      (task && referencesNotBound(task)) ??
      (task && modelUsed !== undefined ? otherModelUsed(modelUsed, row.model, task.acceptedAt) : null) ??
      (isCut ? textCutShort(state.savedAt) : null);
    return {
      id: row.id,
      projectId: row.project_id,
      batchId: row.batch_id,
      project: row.project,
      batch: row.batch,
      shot: row.shot,
      position: row.position,
      take: row.take,
      kind: row.kind,
      ...(medium && { medium }),
      model: row.model,
      prompt: row.prompt ?? '',
      priority: row.priority,
      turn: row.turn,
      state: state.state,
      standing: standingOf(state.state, row.paused),
      paused: row.paused,
      isSetAside: row.set_aside === 1,
      ...(task && { taskId: task.id }),
      ...(task?.requestId !== undefined && { requestId: task.requestId }),
      ...(task?.traceId !== undefined && { traceId: task.traceId }),
      ...(state.state === 'polling' && { remoteStatus: state.remoteStatus }),
      ...(state.state === 'polling' && state.progress !== undefined && { progress: state.progress }),
      ...(state.state === 'needs_assets' && state.waitsFor !== undefined && { waitsFor: state.waitsFor }),
      ...(from.length > 0 && { from: [...from] }),
      ...(attempt && { sentAt: attempt.intendedAt }),
      ...(row.due_at > 0 && { dueAt: row.due_at }),
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      ...(failure && { failure }),
      ...('kept' in state && state.kept && { keptAnswer: state.kept }),
      ...(hasAnswer && { hasAnswer }),
      ...(notice && { notice }),
      files: outputs.map((output) => output.file),
      ...(row.flag && { flag: row.flag }),
      ...(trash && { trash }),
      ...(remarks.length > 0 && { remarks }),
    };
  }
}
