import { sql, Sql } from './connection.ts';
import { JobState, type PauseReason, standingFor, type JobStateName, type Standing } from '../../contract/job.ts';
import type { TrashPhase } from '../../contract/trash.ts';
import type { Kind } from '../../contract/kinds/kind.ts';

export interface Job {
  readonly id: string;
  readonly projectId: string;
  readonly batchId: string;
  readonly shotId: string;
  readonly shotKey: string;
  readonly take: number;
  /** The round of new takes of its batch that it belongs to; 0 for none. */
  readonly round: number;
  readonly kind: Kind;
  readonly model: string;
  readonly paused: PauseReason | null;
  /** Where its files are going, or have gone; null when they are in their places. */
  readonly trash: TrashPhase | null;
  readonly state: JobState;
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When it was saved first, ms: 0 where that is not known, null before. */
  readonly savedAt: number | null;
}

export interface Scope {
  readonly projectId?: string | undefined;
  readonly batchId?: string | undefined;
}

export const inScope = ({
  projectId,
  batchId,
}: Scope): Sql => sql`(${projectId} IS NULL OR jobs.project_id = ${projectId})
  AND (${batchId} IS NULL OR jobs.batch_id = ${batchId})`;

export const JOB_COLUMNS = sql`id, project_id, batch_id, shot_id, shot_key, take, round, kind, model, paused, trash,
  facts AS state, revision, created_at, updated_at, saved_at`;

const stateNames: readonly JobStateName[] = JobState.options.map((option) => option.shape.state.value);

/** SQL for the jobs of each standing: by state, with and without the one pause that matters for it. */
export const standingSql: Readonly<Record<Standing, Sql>> = {
  saved: toSql('saved'),
  failed: toSql('failed'),
  unknown: toSql('unknown'),
  cancelled: toSql('cancelled'),
  unfinished: toSql('unfinished'),
};

/** SQL that says the standing of a row of jobs; see `standingFor`. */
export function standingCase(row: 'jobs' | 'OLD' | 'NEW'): Sql {
  const among = (paused: 'deadline' | null): string =>
    stateNames.map((state) => `WHEN '${state}' THEN '${standingFor(state, paused)}'`).join(' ');
  return new Sql(
    `iif(${row}.paused = 'deadline', CASE ${row}.state ${among('deadline')} END, CASE ${row}.state ${among(null)} END)`,
  );
}

function toSql(standing: Standing): Sql {
  const among = (paused: 'deadline' | null): string =>
    stateNames
      .filter((state) => standingFor(state, paused) === standing)
      .map((state) => `'${state}'`)
      .join(', ');
  return new Sql(`(jobs.state IN (${among(null)}) AND jobs.paused IS NOT 'deadline' OR
    jobs.state IN (${among('deadline')}) AND jobs.paused = 'deadline')`);
}

export const WITHOUT_RESULT = sql`('rejected', 'remote_failed', 'remote_cancelled', 'download_blocked',
  'result_lost', 'cancelled')`;

/**
 * A failed or cancelled take that the list no longer needs: its row was removed, or changed and has a newer take. It
 * needs no attention any more, so it is neither counted nor asked about. The condition reads only `jobs`, and its
 * states come first, so that saved and unfinished takes are never looked up.
 */
export const IS_SET_ASIDE = sql`(jobs.state IN ${WITHOUT_RESULT}
  AND NOT EXISTS (SELECT 1 FROM shots AS made JOIN shots AS now
    ON now.batch_id = made.batch_id AND now.key = made.key AND now.current = 1
    WHERE made.id = jobs.shot_id AND (now.content_hash = made.content_hash OR NOT EXISTS (SELECT 1 FROM jobs AS later
      WHERE later.batch_id = jobs.batch_id AND later.shot_key = jobs.shot_key AND later.take > jobs.take))))`;

export const UNSENT = sql`('needs_assets', 'ready')`;
