import type { Attempt, JobState, JobStateName, JobStateOf, TaskRef } from '../../contract/job.ts';
import type { Failure } from '../../contract/failure.ts';
import type { CapState } from '../../contract/ledger.ts';
import type { Text } from '../../contract/messages/message.ts';

const settled: ReadonlySet<JobStateName> = new Set([
  'saved',
  'rejected',
  'remote_failed',
  'remote_cancelled',
  'result_lost',
  'cancelled',
]);

export const isUnfinished = (job: JobState): boolean => !settled.has(job.state);

export const FILES_GONE = 'files_gone';

export const hasMissingFiles = (job: JobState): job is JobStateOf<'result_lost'> =>
  job.state === 'result_lost' && job.failure.code === FILES_GONE;

export function toAttempt(job: JobState): Attempt | null {
  return 'attempt' in job ? job.attempt : null;
}

export function toTask(job: JobState): TaskRef | null {
  return 'task' in job ? job.task : null;
}

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

export function failureShown(job: JobState): Failure | null {
  if ('failure' in job) return job.failure;
  return 'lastFailure' in job ? job.lastFailure : null;
}

/** When the next step is due, ms; 0 for "now" and for states that wait for a person. */
export function toDueAt(job: JobState): number {
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
  readonly unbound?: readonly string[] | undefined;
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

/** What a step saw besides its own job. The scheduler decides what follows for the queue. */
export type StepReport =
  /** The service answered normally, or was not asked. */
  | { readonly saw: 'nothing_unusual' }
  | { readonly saw: 'answer' }
  | { readonly saw: 'unclear_answer' }
  | { readonly saw: 'no_connection'; readonly message: Text }
  | { readonly saw: 'key_refused'; readonly message: Text }
  /** The account is empty: every other submit would be refused too. */
  | { readonly saw: 'no_credit'; readonly message: Text }
  /** Too little room on the disk of the job's project, or on the one with the database. */
  | { readonly saw: 'disk_low'; readonly disk: 'project' | 'data'; readonly message: Text }
  /** A cap on what a batch, a project or a night may cost. `unpriced`: a model whose price is not known. */
  | { readonly saw: 'cap_reached'; readonly cap: CapState; readonly unpriced: string | undefined }
  | { readonly saw: 'project_in_use'; readonly error: { readonly whoWorks: Text } };

export const NO_INCIDENT: StepReport = { saw: 'nothing_unusual' };
