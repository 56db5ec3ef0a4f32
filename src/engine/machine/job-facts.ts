import type { Attempt, JobState, JobStateName, JobStateOf, TaskRef } from '../../contract/job.ts';
import type { Failure } from '../../contract/failure.ts';

const settled: ReadonlySet<JobStateName> = new Set([
  'saved',
  'rejected',
  'remote_failed',
  'remote_cancelled',
  'result_lost',
  'cancelled',
]);

/** True while the job may still get a result without a new POST. */
export const isUnfinished = (job: JobState): boolean => !settled.has(job.state);

export const FILES_GONE = 'files_gone';

/** It was saved, but its files are no longer in the project folder. */
export const hasMissingFiles = (job: JobState): job is JobStateOf<'result_lost'> =>
  job.state === 'result_lost' && job.failure.code === FILES_GONE;

/** The attempt a state carries, if any. */
export function attemptOf(job: JobState): Attempt | null {
  return 'attempt' in job ? job.attempt : null;
}

/** The task a state carries, if any. */
export function taskOf(job: JobState): TaskRef | null {
  return 'task' in job ? job.task : null;
}

/** A take whose files are all published. */
export const savedOf = (
  { attempt, task, results }: Pick<JobStateOf<'downloading'>, 'attempt' | 'task' | 'results'>,
  savedAt: number,
): JobStateOf<'saved'> => ({
  state: 'saved',
  attempt,
  task,
  savedAt,
  ...(results.some((result) => result.at === 'file' && result.isCut) && { isCut: true }),
});

/** The failure worth showing beside the state, if any. */
export function failureShown(job: JobState): Failure | null {
  if ('failure' in job) return job.failure;
  return 'lastFailure' in job ? job.lastFailure : null;
}

/** When the next step is due, ms; 0 for "now" and for states that wait for a person. */
export function dueAtOf(job: JobState): number {
  switch (job.state) {
    case 'ready':
      return job.notBefore ?? 0;
    case 'needs_assets':
      return job.nextCheckAt;
    case 'accepted':
    case 'polling':
      return job.nextPollAt;
    case 'downloading':
      return job.retryAt ?? 0;
    case 'submit_unknown':
      return job.look?.at ?? 0;
    default:
      return 0;
  }
}

/** The ids of an accepted submit, as its answer and the take's recipe both name them. */
export interface TaskIds {
  readonly taskId: string;
  readonly otherTaskIds?: readonly string[] | undefined;
  readonly requestId?: string | undefined;
  readonly traceId?: string | undefined;
  /** See `TaskRef.unbound`. */
  readonly unbound?: readonly string[] | undefined;
  /** See `TaskRef.modelUsed`. */
  readonly modelUsed?: string | undefined;
}

export const taskRef = (
  { taskId, otherTaskIds, requestId, traceId, unbound, modelUsed }: TaskIds,
  acceptedAt: number,
): TaskRef => ({
  id: taskId,
  ...(otherTaskIds && otherTaskIds.length > 0 && { otherIds: [...otherTaskIds] }),
  ...(requestId !== undefined && { requestId }),
  ...(traceId !== undefined && { traceId }),
  acceptedAt,
  ...(unbound && { unbound: [...unbound] }),
  ...(modelUsed !== undefined && { modelUsed }),
});
