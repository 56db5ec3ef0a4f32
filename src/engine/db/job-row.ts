import { sql, type Sql } from './connection.ts';
import type { JobState, PauseReason } from '../../contract/job.ts';
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

/** A condition on rows of `jobs`. */
export const inScope = ({
  projectId,
  batchId,
}: Scope): Sql => sql`(${projectId} IS NULL OR jobs.project_id = ${projectId})
  AND (${batchId} IS NULL OR jobs.batch_id = ${batchId})`;

/** For `toJob`. */
export const JOB_COLUMNS = sql`id, project_id, batch_id, shot_id, shot_key, take, round, kind, model, paused, trash,
  facts, revision, created_at, updated_at, saved_at`;

export type JobRow = Omit<Job, 'state'> & { readonly facts: string };

export const toJob = ({ facts, ...job }: JobRow): Job => ({ ...job, state: JSON.parse(facts) as JobState });
