import { attemptOf, failureShown, taskOf } from '../machine/job-facts.ts';
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
import { remarksOf, type Output, type TakeLink } from '../../contract/take.ts';
import { trashStateOf, type TrashPhase } from '../../contract/trash.ts';
import { answerKept, otherModelUsed, referencesNotBound, textCutShort } from '../machine/failures.ts';
import { inScope, type Scope } from './job-row.ts';
import { sql, Store, withoutNulls, type EngineDatabase } from './connection.ts';
import { SourceStore } from './source-store.ts';
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

type OutputRow = Omit<Output, 'home'> & { readonly jobId: string; readonly home: string | null };

type ViewRow = Omit<JobView, 'state' | 'standing' | 'dueAt' | 'trash' | 'flag' | 'files' | 'failure' | 'medium'> & {
  readonly seq: number;
  /** JSON, as `facts` is. */
  readonly params: string;
  readonly facts: string;
  readonly dueAt: number;
  readonly trash: TrashPhase | null;
  readonly flag: 'pick' | 'reject' | null;
};

interface JobWithOutputs {
  readonly job: JobView;
  readonly outputs: readonly Output[];
}

const VIEW = sql`SELECT jobs.seq, jobs.id, jobs.project_id, jobs.batch_id, projects.name AS project,
    batches.name AS batch, jobs.shot_key AS shot,
    iif(shots.current, shots.position, COALESCE((SELECT now.position FROM shots AS now
      WHERE now.batch_id = jobs.batch_id AND now.key = jobs.shot_key AND now.current = 1), shots.position)) AS position,
    jobs.take, jobs.kind, jobs.model, COALESCE(shots.spec ->> '$.prompt', '') AS prompt,
    shots.spec -> '$.params' AS params, jobs.priority, jobs.turn, jobs.paused, jobs.trash, jobs.flag,
    ${IS_SET_ASIDE} AS isSetAside, jobs.facts, jobs.due_at, jobs.created_at, jobs.updated_at
  FROM jobs JOIN projects ON projects.id = jobs.project_id JOIN batches ON batches.id = jobs.batch_id
  JOIN shots ON shots.id = jobs.shot_id`;

/** Not history: the take may still get a result, or its row still asks for the same. Needs its shot joined. */
const IS_CURRENT = sql`(jobs.state NOT IN
    ('saved', 'rejected', 'remote_failed', 'remote_cancelled', 'download_blocked', 'result_lost', 'cancelled')
  OR shots.current = 1 OR EXISTS (SELECT 1 FROM shots AS now WHERE now.batch_id = jobs.batch_id AND now.key = jobs.shot_key
    AND now.current = 1 AND now.content_hash = shots.content_hash))`;

/** Jobs read in one go where nobody needs all of them together. */
const SLICE = 500;

/** Reads jobs without changing them. Works on a read-only database beside a running engine. */
export class JobQueries extends Store {
  readonly #sources: SourceStore;

  constructor(db: EngineDatabase) {
    super(db);
    this.#sources = new SourceStore(db);
  }

  /** `outputs`: its published files, if they were already read. */
  view(jobId: string, outputs?: readonly Output[]): JobView | null {
    const row = this.facts.one<ViewRow>`${VIEW} WHERE jobs.id = ${jobId}`;
    if (!row) return null;
    return toView(row, this.#sources.links([jobId]).get(jobId), outputs ?? this.outputs(jobId));
  }

  list({ state, shots, ids, current, standing, limit = -1, ...scope }: JobFilter): JobView[] {
    const rows = this.facts.all<ViewRow>`${VIEW} WHERE ${inScope(scope)}
      AND (${state} IS NULL OR jobs.state = ${state})
      AND (${shots} IS NULL OR jobs.shot_key IN (SELECT value FROM json_each(${shots})))
      AND (${ids} IS NULL OR EXISTS (SELECT 1 FROM json_each(${ids})
        WHERE substr(jobs.id, 1, length(value)) = value OR substr(jobs.id, -length(value)) = value))
      AND ${current ? IS_CURRENT : sql`TRUE`} AND ${standing ? standingSql[standing] : sql`TRUE`}
      ORDER BY jobs.seq LIMIT +${limit}`;
    return this.#views(rows).map(({ job }) => job);
  }

  /**
   * The jobs of a batch in order, with their published files, read a slice at a time, so that going through 50,000 does
   * not block everything else.
   */
  *ofBatch(batchId: string): Generator<JobWithOutputs> {
    for (let last = 0, ended = false; !ended;) {
      // The `+` keeps SQLite from an index that would have it sort the whole batch again for each slice.
      const rows = this.facts.all<ViewRow>`${VIEW} WHERE +jobs.batch_id = ${batchId} AND jobs.seq > ${last}
        ORDER BY jobs.seq LIMIT +${SLICE}`;
      yield* this.#views(rows);
      last = rows.at(-1)?.seq ?? last;
      ended = rows.length < SLICE;
    }
  }

  #views(rows: readonly ViewRow[]): JobWithOutputs[] {
    const ids = rows.map(({ id }) => id);
    const [files, links] = [this.#outputsOf(ids), this.#sources.links(ids)];
    return rows.map((row) => {
      const outputs = files.get(row.id) ?? [];
      return { job: toView(row, links.get(row.id), outputs), outputs };
    });
  }

  /**
   * How many takes of a scope have each standing, the same in every host: without what was set aside; see
   * `JobView.isSetAside`.
   */
  counts(scope: Scope): Counts {
    const counts: Counts = { saved: 0, failed: 0, unknown: 0, cancelled: 0, unfinished: 0 };
    type Row = { readonly state: JobStateName; readonly paused: PauseReason | null; readonly jobs: number };
    const rows = this.facts.all<Row>`SELECT state, paused, COUNT(*) AS jobs FROM jobs
      WHERE ${inScope(scope)} AND NOT ${IS_SET_ASIDE} GROUP BY state, paused`;
    for (const row of rows) counts[standingOf(row.state, row.paused)] += row.jobs;
    return counts;
  }

  stateCounts(scope: Scope): Partial<Record<JobStateName, number>> {
    const rows = this.facts.all<{ state: JobStateName; jobs: number }>`SELECT state, COUNT(*) AS jobs FROM jobs
      WHERE ${inScope(scope)} GROUP BY state`;
    return Object.fromEntries(rows.map((row) => [row.state, row.jobs]));
  }

  /** The takes left to make with each model, by the service that they are sent to, without those that are held back. */
  workLeft(): RemainingWork[] {
    return this.facts.all<RemainingWork>`SELECT projects.service, jobs.model,
        SUM(jobs.step IN ('prepare', 'submit')) AS waiting, SUM(jobs.step = 'poll') AS running
      FROM jobs JOIN projects ON projects.id = jobs.project_id
      WHERE jobs.paused IS NULL AND jobs.step IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2`;
  }

  outputs(jobId: string): Output[] {
    return this.#outputsOf([jobId]).get(jobId) ?? [];
  }

  #outputsOf(jobIds: readonly string[]): Map<string, Output[]> {
    const rows = this.facts.all<OutputRow>`SELECT job_id, number, file, home, bytes, sha256, format, verified
      FROM json_each(${jobIds}) CROSS JOIN outputs ON job_id = value
      WHERE file IS NOT NULL ORDER BY json_each.id, number`;
    const found = new Map<string, Output[]>();
    for (const { jobId, ...row } of rows) {
      const output = withoutNulls(row);
      const before = found.get(jobId);
      if (before) before.push(output);
      else found.set(jobId, [output]);
    }
    return found;
  }
}

function toView(row: ViewRow, from: readonly TakeLink[] = [], outputs: readonly Output[]): JobView {
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
  const { id, projectId, batchId, project, batch, shot, position, take, kind, model, prompt } = row;
  const { priority, turn, paused, isSetAside, dueAt, createdAt, updatedAt, flag } = row;
  // In the order of `JobView`: `--json` prints the same line whether an engine shares its answer or not.
  return {
    ...{ id, projectId, batchId, project, batch, shot, position, take, kind },
    ...(medium && { medium }),
    ...{ model, prompt, priority, turn },
    state: state.state,
    standing: standingOf(state.state, paused),
    ...{ paused, isSetAside },
    ...(task && { taskId: task.id }),
    ...(task?.requestId !== undefined && { requestId: task.requestId }),
    ...(task?.traceId !== undefined && { traceId: task.traceId }),
    ...(state.state === 'polling' && { remoteStatus: state.remoteStatus }),
    ...(state.state === 'polling' && state.progress !== undefined && { progress: state.progress }),
    ...(state.state === 'needs_assets' && state.waitsFor !== undefined && { waitsFor: state.waitsFor }),
    ...(from.length > 0 && { from: [...from] }),
    ...(attempt && { sentAt: attempt.intendedAt }),
    ...(dueAt > 0 && { dueAt }),
    ...{ createdAt, updatedAt },
    ...(failure && { failure }),
    ...('kept' in state && state.kept && { keptAnswer: state.kept }),
    ...(hasAnswer && { hasAnswer }),
    ...(notice && { notice }),
    files: outputs.map((output) => output.file),
    ...(flag && { flag }),
    ...(trash && { trash }),
    ...(remarks.length > 0 && { remarks }),
  };
}
