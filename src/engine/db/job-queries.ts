import { toAttempt, failureShown, toTask } from '../machine/job-facts.ts';
import {
  standingFor,
  type Counts,
  type JobState,
  type JobStateOf,
  type JobStateName,
  type JobView,
  type Standing,
} from '../../contract/job.ts';
import { specNamed } from '../../contract/kinds/index.ts';
import type { Params } from '../../contract/kinds/spec.ts';
import { remarksFor, type Output, type TakeLink } from '../../contract/take.ts';
import { toTrashState, type TrashPhase } from '../../contract/trash.ts';
import type { Flag } from '../../contract/verdict.ts';
import { answerKept, otherModelUsed, referencesNotBound, textCutShort } from '../machine/failures.ts';
import { inScope, type Scope, standingSql, IS_SET_ASIDE, standingCase } from './job-sql.ts';
import { sql, Store, type Sql } from './connection.ts';
import { OutputStore } from './output-store.ts';
import { SourceStore } from './source-store.ts';
import { sumOf } from '../../contract/batch.ts';

export interface JobFilter extends Scope {
  readonly standing?: Standing;
  readonly state?: JobStateName;
  readonly shots?: readonly string[];
  /** Full job ids, or the beginning or end of one: ids made together begin alike and differ at the end. */
  readonly ids?: readonly string[];
  /** Leaves out settled takes of rows that the list has since changed or removed: they are history. */
  readonly current?: boolean;
  readonly limit?: number;
}

export interface RemainingWork {
  /** Null for that of the settings. */
  readonly service: string | null;
  readonly model: string;
  readonly waiting: number;
  readonly running: number;
}

type ViewRow = Omit<
  JobView,
  'state' | 'standing' | 'dueAt' | 'trash' | 'flag' | 'files' | 'failure' | 'medium' | 'worker' | 'stale'
> & {
  readonly worker: string | null;
  readonly waitsIn: string | null;
  readonly isDark: boolean;
  readonly stale?: JobView['stale'];
  readonly seq: number;
  readonly params: Params;
  readonly facts: JobState;
  readonly dueAt: number;
  readonly trash: TrashPhase | null;
  readonly flag: Flag | null;
};

const VIEW = sql`SELECT jobs.seq, jobs.id, jobs.project_id, jobs.batch_id, projects.name AS project,
    batches.name AS batch, jobs.shot_key AS shot,
    iif(shots.current, shots.position, COALESCE((SELECT now.position FROM shots AS now
      WHERE now.batch_id = jobs.batch_id AND now.key = jobs.shot_key AND now.current = 1), shots.position)) AS position,
    jobs.take, jobs.kind, jobs.model, COALESCE(shots.spec ->> '$.prompt', '') AS prompt,
    shots.spec -> '$.params' AS params, jobs.priority, jobs.turn, jobs.paused, jobs.trash, jobs.flag,
    iif(jobs.state = 'needs_assets', (SELECT name FROM batches AS waited WHERE waited.id = jobs.facts ->> '$.waitsIn'), NULL)
      AS waitsIn, EXISTS (SELECT 1 FROM take_sources WHERE job_id = jobs.id AND is_dark = 1) AS isDark,
    ${IS_SET_ASIDE} AS isSetAside, jobs.facts, jobs.due_at, jobs.created_at, jobs.updated_at,
    iif(held.job_id IS NULL, NULL, COALESCE(held.worker, '')) AS worker
  FROM jobs JOIN projects ON projects.id = jobs.project_id JOIN batches ON batches.id = jobs.batch_id
  JOIN shots ON shots.id = jobs.shot_id LEFT JOIN studio_takes AS held ON held.job_id = jobs.id`;

/** Not history: the take may still get a result, or its row still asks for the same. Needs its shot joined. */
const IS_CURRENT = sql`(jobs.state NOT IN
    ('saved', 'rejected', 'remote_failed', 'remote_cancelled', 'download_blocked', 'result_lost', 'cancelled')
  OR shots.current = 1 OR EXISTS (SELECT 1 FROM shots AS now WHERE now.batch_id = jobs.batch_id AND now.key = jobs.shot_key
    AND now.current = 1 AND now.content_hash = shots.content_hash))`;

/** Jobs read in one go where nobody needs all of them together. */
const SLICE = 500;

export class JobQueries extends Store {
  readonly #outputs = new OutputStore(this.db);
  readonly #sources = new SourceStore(this.db);

  /** `outputs`: its published files, if they were already read. */
  view(jobId: string, outputs?: readonly Output[]): JobView | null {
    const row = this.facts.one<ViewRow>`${VIEW} WHERE jobs.id = ${jobId}`;
    if (!row) return null;
    const [links, stale] = [this.#sources.links([jobId]).get(jobId), this.#sources.stale([jobId]).get(jobId)];
    return toView({ ...row, stale }, links, outputs ?? this.#outputs.outputs(jobId));
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

  /** The jobs of a batch in order with their published files, in slices: 50,000 at once would block everything else. */
  *ofBatch(batchId: string): Generator<{ job: JobView; outputs: readonly Output[] }> {
    for (let last = 0, ended = false; !ended;) {
      // The `+` keeps SQLite from an index that would have it sort the whole batch again for each slice.
      const rows = this.facts.all<ViewRow>`${VIEW} WHERE +jobs.batch_id = ${batchId} AND jobs.seq > ${last}
        ORDER BY jobs.seq LIMIT +${SLICE}`;
      yield* this.#views(rows);
      last = rows.at(-1)?.seq ?? last;
      ended = rows.length < SLICE;
    }
  }

  #views(rows: readonly ViewRow[]): { job: JobView; outputs: readonly Output[] }[] {
    const ids = rows.map(({ id }) => id);
    const [files, links] = [this.#outputs.outputsOf(ids), this.#sources.links(ids)];
    const stale = this.#sources.stale(ids);
    return rows.map((row) => {
      const outputs = files.get(row.id) ?? [];
      return { job: toView({ ...row, stale: stale.get(row.id) }, links.get(row.id), outputs), outputs };
    });
  }

  /** The takes left to make with each model, by the service, without those that are held back or wait for a person. */
  workLeft(): RemainingWork[] {
    return this.facts.all<RemainingWork>`SELECT projects.service, jobs.model,
        SUM(jobs.step IN ('prepare', 'submit')) AS waiting, SUM(jobs.step = 'poll') AS running
      FROM jobs JOIN projects ON projects.id = jobs.project_id
      WHERE jobs.paused IS NULL AND jobs.step IS NOT NULL
        AND (jobs.state <> 'needs_assets' OR jobs.facts ->> '$.wait' IS NULL) GROUP BY 1, 2 ORDER BY 1, 2`;
  }

  /** How many takes wait for a person's pick or release. */
  waiting(scope: Scope): number {
    return this.facts.count`SELECT COUNT(*) FROM jobs WHERE state = 'needs_assets'
      AND COALESCE(paused, 'elsewhere') = 'elsewhere' AND facts ->> '$.wait' IS NOT NULL AND ${inScope(scope)}`;
  }

  /** Counts every take in one snapshot. {@link TakeCounter} answers the same faster on a connection that stays open. */
  counts(scope: Scope): Counts {
    return countsFrom(this.facts
      .all<StandingRow>`SELECT ${standingCase('jobs')} AS standing, COUNT(*) AS takes FROM jobs
      WHERE ${inScope(scope)} AND NOT ${IS_SET_ASIDE} GROUP BY 1`);
  }
}

function toView(row: ViewRow, from: readonly TakeLink[] = [], outputs: readonly Output[]): JobView {
  const state = row.facts;
  const task = toTask(state);
  const attempt = toAttempt(state);
  const failure = failureShown(state);
  const isCut = state.state === 'saved' && state.isCut === true;
  const spec = specNamed(row.kind);
  const medium = spec?.mediumOf?.(row.params) ?? spec?.medium;
  const modelUsed = state.state === 'saved' ? task?.modelUsed : undefined;
  const remarks = [
    ...remarksFor(medium, outputs),
    ...(isCut ? (['cut_short'] as const) : []),
    ...(modelUsed === undefined ? [] : (['other_model'] as const)),
    ...(row.isDark ? (['dark_frame'] as const) : []),
  ];
  const trash = toTrashState(row.trash);
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
    standing: standingFor(state.state, paused),
    ...{ paused, isSetAside },
    ...(task && { taskId: task.id }),
    ...(task?.requestId !== undefined && { requestId: task.requestId }),
    ...(task?.traceId !== undefined && { traceId: task.traceId }),
    ...(row.worker !== null && { worker: row.worker }),
    ...(state.state === 'polling' && { remoteStatus: state.remoteStatus }),
    ...(state.state === 'polling' && state.progress !== undefined && { progress: state.progress }),
    ...(state.state === 'needs_assets' && waitFor(state, row.waitsIn)),
    ...(from.length > 0 && { from: [...from] }),
    ...(row.stale && { stale: row.stale }),
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

const waitFor = (
  { waitsFor, wait, needsFrame }: JobStateOf<'needs_assets'>,
  batch: string | null,
): Pick<JobView, 'waitsFor' | 'wait' | 'needsFrame'> => ({
  ...(waitsFor !== undefined && { waitsFor: batch === null ? waitsFor : `${batch}:${waitsFor}` }),
  ...(wait && { wait }),
  ...(needsFrame !== undefined && { needsFrame }),
});

/**
 * The number of takes of each batch by standing, in a temporary table of this connection. Its triggers run in every
 * commit that changes a standing, and are undone with it. Only the synced connection makes such commits: the other one
 * writes steps of takes that are unfinished before and after.
 */
const KEEP_COUNT = sql`
  CREATE TEMP TABLE take_tally (
    batch_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    standing TEXT NOT NULL,
    takes INTEGER NOT NULL,
    PRIMARY KEY (batch_id, standing)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO take_tally SELECT batch_id, project_id, ${standingCase('jobs')}, COUNT(*) FROM jobs GROUP BY 1, 3;

  CREATE TEMP TRIGGER take_added AFTER INSERT ON main.jobs BEGIN
    INSERT INTO take_tally VALUES (NEW.batch_id, NEW.project_id, ${standingCase('NEW')}, 1)
      ON CONFLICT DO UPDATE SET takes = takes + 1;
  END;
  CREATE TEMP TRIGGER take_moved AFTER UPDATE OF state, paused ON main.jobs
  WHEN ${standingCase('OLD')} <> ${standingCase('NEW')} BEGIN
    UPDATE take_tally SET takes = takes - 1 WHERE batch_id = OLD.batch_id AND standing = ${standingCase('OLD')};
    INSERT INTO take_tally VALUES (NEW.batch_id, NEW.project_id, ${standingCase('NEW')}, 1)
      ON CONFLICT DO UPDATE SET takes = takes + 1;
  END;
`;

/** Few of many, and found by a separate index. */
export const setAside = (
  scope: Scope,
): Sql => sql`SELECT ${standingCase('jobs')} AS standing, COUNT(*) AS takes FROM jobs
  WHERE ${inScope(scope)} AND ${IS_SET_ASIDE} GROUP BY 1`;

/**
 * The number of takes of a scope by standing, without what was set aside; see `JobView.isSetAside`. A window
 * asks for it several times a second, and counting 50,000 takes costs 20 ms, so they are counted at the first call and
 * the count is updated from then on.
 */
export class TakeCounter extends Store {
  #isKept = false;

  counts(scope: Scope): Counts {
    if (!this.#isKept) {
      this.facts.pragma('temp_store = MEMORY');
      this.facts.transaction(() => this.facts.exec(KEEP_COUNT.text))();
      this.#isKept = true;
    }
    const counts = countsFrom(
      this.facts.all<StandingRow>`SELECT standing, takes FROM take_tally AS jobs WHERE ${inScope(scope)}`,
    );
    if (counts.failed + counts.cancelled === 0) return counts;
    for (const { standing, takes } of this.facts.all<StandingRow>`${setAside(scope)}`) counts[standing] -= takes;
    return counts;
  }
}

interface StandingRow {
  readonly standing: Standing;
  readonly takes: number;
}

function countsFrom(rows: readonly StandingRow[]): Counts {
  const counts = sumOf([]);
  for (const { standing, takes } of rows) counts[standing] += takes;
  return counts;
}
