import { attemptOf, failureShown, taskOf } from '../machine/job-facts.ts';
import type { PlannedRequest, Output, Recipe } from '../../contract/take.ts';
import type { TakeAsset } from '../../contract/asset.ts';
import type { TakeExtras } from '../../contract/take-extras.ts';
import type { TakeSource } from '../../contract/take-source.ts';
import type { Batch } from '../db/batch-store.ts';
import type { Job } from '../db/job-store.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { trashStateOf } from '../../contract/trash.ts';
import type { Verdict } from '../../contract/verdict.ts';

/** Facts about a take that its job does not hold. */
export interface TakeFacts {
  readonly request: PlannedRequest | null;
  readonly outputs: readonly Output[];
  readonly assets: readonly TakeAsset[];
  readonly from: readonly TakeSource[];
  readonly extras: TakeExtras | null;
  readonly verdict: Verdict | null;
}

/** The content of a job's recipe file in its current state. Pure. */
export function recipeOf(
  job: Job,
  batch: Pick<Batch, 'id' | 'name'>,
  shot: ShotSpec,
  { request, outputs, assets, from, extras, verdict }: TakeFacts,
): Recipe {
  const attempt = attemptOf(job.state);
  const task = taskOf(job.state);
  const failure = failureShown(job.state);
  const trash = trashStateOf(job.trash);
  return {
    format: 1,
    takeId: job.id,
    take: job.take,
    ...(job.round > 0 && { round: job.round }),
    batch: { id: batch.id, name: batch.name },
    shot,
    state: job.state.state,
    ...(request && { request }),
    ...(assets.length > 0 && { assets: [...assets] }),
    ...(from.length > 0 && { from: [...from] }),
    ...(attempt && {
      attemptId: attempt.id,
      origin: attempt.origin,
      keyFingerprint: attempt.keyFingerprint,
    }),
    ...(task && {
      taskId: task.id,
      ...(task.otherIds && { otherTaskIds: task.otherIds }),
      ...(task.requestId !== undefined && { requestId: task.requestId }),
      ...(task.traceId !== undefined && { traceId: task.traceId }),
      ...(task.unbound && { unbound: task.unbound }),
      ...(task.modelUsed !== undefined && { modelUsed: task.modelUsed }),
    }),
    createdAt: job.createdAt,
    updatedAt: job.updatedAt,
    ...(attempt && job.savedAt !== 0 && { sentAt: attempt.intendedAt }),
    ...(job.savedAt && { savedAt: job.savedAt }),
    outputs: [...outputs],
    ...(extras && { extras }),
    ...(job.state.state === 'saved' && job.state.isCut && { isCut: true }),
    ...(failure && { failure }),
    ...(verdict && { verdict }),
    ...(trash && { trash }),
  };
}
