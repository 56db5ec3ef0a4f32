import type { StartPlan } from '../../contract/batch.ts';
import { standingFor } from '../../contract/job.ts';
import type { Settings } from '../../contract/settings.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { Batch, BatchStore } from '../db/batch-store.ts';
import { estimate, type NewTakes } from './estimate.ts';
import { contentHash } from './plan-import.ts';
import { missingTakes, planBatch } from './start-batch.ts';

export interface StartRequest {
  readonly projectId: string;
  readonly name: string;
  readonly settings: Settings;
  readonly shots: readonly ShotSpec[];
  /** As in `StartBatch`. */
  readonly again: boolean;
  readonly keepOthers?: boolean | undefined;
}

export interface PlannedStart {
  readonly plan: Omit<StartPlan, 'lasts' | 'uploads' | 'outside' | 'paidAgain' | 'cap' | 'texts' | 'withoutPrice'>;
  readonly toMake: readonly NewTakes[];
}

export async function planStart(batches: BatchStore, request: StartRequest): Promise<PlannedStart> {
  const { projectId, name, shots, again, settings, keepOthers } = request;
  const plan = await planBatch(batches, projectId, name, shots, keepOthers);
  const batch = batches.named(projectId, name);
  const wanted = await missingTakes(batches, { batch, plan, again });
  return {
    plan: {
      added: plan.added.map(({ key }) => key),
      changed: plan.changed.map(({ key }) => key),
      unchanged: plan.unchanged.length,
      removed: [...plan.removed],
      failed: batch ? failedTakes(batches, batch, plan.unchanged) : [],
      ...estimate(wanted, settings),
    },
    toMake: wanted.filter(({ takes }) => takes > 0),
  };
}

function failedTakes(batches: BatchStore, { id }: Batch, unchanged: readonly ShotSpec[]): string[] {
  const failed = batches.takes.withoutResult(id).filter(({ state }) => standingFor(state, null) === 'failed');
  if (failed.length === 0) return [];
  const shots = new Map(unchanged.map((shot) => [shot.key, shot]));
  return failed.flatMap((take) => {
    const shot = shots.get(take.key);
    return shot && contentHash(shot) === take.contentHash ? [take.key] : [];
  });
}
