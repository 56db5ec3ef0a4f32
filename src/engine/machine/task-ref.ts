import type { TaskRef } from '../../contract/job.ts';

/** The ids of an accepted submit, as its answer and the take's recipe both name them. */
export interface TaskIds {
  readonly taskId: string;
  readonly otherTaskIds?: readonly string[] | undefined;
  readonly requestId?: string | undefined;
  readonly traceId?: string | undefined;
  /** See `TaskRef.unbound`. */
  readonly unbound?: readonly string[] | undefined;
}

export const taskRef = (
  { taskId, otherTaskIds, requestId, traceId, unbound }: TaskIds,
  acceptedAt: number,
): TaskRef => ({
  id: taskId,
  ...(otherTaskIds && otherTaskIds.length > 0 && { otherIds: [...otherTaskIds] }),
  ...(requestId !== undefined && { requestId }),
  ...(traceId !== undefined && { traceId }),
  acceptedAt,
  ...(unbound && { unbound: [...unbound] }),
});
