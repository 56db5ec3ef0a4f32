import type { StartPlan } from '../../contract/batch.ts';
import { mayHaveBecome } from '../../contract/prompt-library.ts';
import { standingFor } from '../../contract/job.ts';
import type { Settings } from '../../contract/settings.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { BatchStore } from '../db/batch-store.ts';
import { estimate, type NewTakes } from './estimate.ts';
import { contentHash } from './plan-import.ts';
import { planBatch } from './start-batch.ts';

export interface StartRequest {
  readonly projectId: string;
  readonly name: string;
  readonly settings: Settings;
  readonly shots: readonly ShotSpec[];
  /** As in `StartBatch`. */
  readonly again: boolean;
  readonly written?: ReadonlyMap<string, string>;
  readonly keepOthers?: boolean | undefined;
}

export interface PlannedStart {
  readonly plan: Omit<StartPlan, 'lasts' | 'uploads' | 'outside' | 'paidAgain' | 'cap' | 'texts' | 'withoutPrice'>;
  readonly toMake: readonly NewTakes[];
}

export function planStart(batches: BatchStore, request: StartRequest): PlannedStart {
  const plan = planBatch(batches, request.projectId, request.name, request.shots, request.keepOthers);
  const made = takesMade(batches, request);
  const wanted = [...plan.added, ...plan.changed, ...plan.unchanged].map((shot): NewTakes => {
    return { shot, takes: Math.max(0, shot.takes - (made.get(`${shot.key}\n${contentHash(shot)}`) ?? 0)) };
  });
  return {
    plan: {
      added: plan.added.map(({ key }) => key),
      changed: plan.changed.map(({ key }) => key),
      changedByTexts: changedByTexts(batches, request, plan.changed),
      unchanged: plan.unchanged.length,
      removed: [...plan.removed],
      failed: failedTakes(batches, request, plan.unchanged),
      ...estimate(wanted, request.settings),
    },
    toMake: wanted.filter(({ takes }) => takes > 0),
  };
}

/** Takes that a batch has already and that count, by shot key and content. */
function takesMade(batches: BatchStore, { projectId, name, again }: StartRequest): ReadonlyMap<string, number> {
  const batch = batches.named(projectId, name);
  const counts = batch ? batches.takes.byContent(batch.id) : [];
  return new Map(counts.map((count) => [`${count.key}\n${count.contentHash}`, again ? count.again : count.takes]));
}

function changedByTexts(
  batches: BatchStore,
  { projectId, name, written = new Map() }: StartRequest,
  changed: readonly ShotSpec[],
): string[] {
  const batch = written.size === 0 ? null : batches.named(projectId, name);
  if (!batch) return [];
  const withoutPrompt = (spec: ShotSpec): string => contentHash({ ...spec, prompt: '' });
  return changed.flatMap((spec) => {
    const prompt = written.get(spec.key);
    const before = prompt === undefined ? null : batches.currentShot(batch.id, spec.key);
    if (prompt === undefined || before === null || withoutPrompt(before) !== withoutPrompt(spec)) return [];
    return mayHaveBecome(prompt, before.prompt) ? [spec.key] : [];
  });
}

function failedTakes(batches: BatchStore, { projectId, name }: StartRequest, unchanged: readonly ShotSpec[]): string[] {
  const batch = batches.named(projectId, name);
  const failed = (batch ? batches.takes.withoutResult(batch.id) : []).filter(
    ({ state }) => standingFor(state, null) === 'failed',
  );
  if (failed.length === 0) return [];
  const shots = new Map(unchanged.map((shot) => [shot.key, shot]));
  return failed.flatMap((take) => {
    const shot = shots.get(take.key);
    return shot && contentHash(shot) === take.contentHash ? [take.key] : [];
  });
}
