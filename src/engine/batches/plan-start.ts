import type { Actor } from '../../contract/history.ts';
import type { ChainSums, StartOptions } from '../../contract/batch.ts';
import { standingFor } from '../../contract/job.ts';
import type { Settings } from '../../contract/settings.ts';
import type { DraftList } from '../../contract/draft-list.ts';
import type { Hours } from '../../contract/night-window.ts';
import type { Variables } from '../../contract/prompt-library.ts';
import type { Project } from '../db/project-store.ts';
import type { ImportPlan, ShotSpec } from '../../contract/shot.ts';
import type { Batch, BatchStore } from '../db/batch-store.ts';
import { refused, type RefusedError } from '../base/errors.ts';
import { contentHash, planImport } from './plan-import.ts';
import { chainSums, goesAlone, shotsBeside } from './chain-sums.ts';
import { estimate, type NewTakes } from './price.ts';
import { keyFinder } from './shot-graph.ts';
import { createYielder } from '../base/slices.ts';

export interface StartBatch extends StartOptions {
  readonly project: Project;
  /** Absolute folder of the list. */
  readonly listFolder: string;
  readonly source: string;
  readonly shots: readonly ShotSpec[];
  /** Row of each shot in the list; without it, shots are the rows below the header. */
  readonly rows?: readonly number[];
  readonly texts?: Variables | undefined;
  /** As it was written, to be opened again; its shots include what its variables and defaults stand for. */
  readonly list?: DraftList | undefined;
  /** It is handed to the studio afterwards: only that starts anything in a studio's project. */
  readonly studio?: boolean | undefined;
  /** Its new takes wait on hold until these hours. */
  readonly tonight?: Hours | undefined;
  readonly by?: Actor | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface StartedBatch {
  readonly batch: Batch;
  readonly plan: ImportPlan;
  readonly newTakes: number;
  readonly waiting: number;
}

/** Place of the shot in a row of its list, where the row below a header in the first is place 0, and back. */
export const placeOfRow = (row: number): number => row - 2;
export const rowOfPlace = (place: number): number => place + 2;

/** What starting this list would do to the stored batch of that name; an absent batch is empty. */
export async function planBatch(
  batches: BatchStore,
  projectId: string,
  name: string,
  shots: readonly ShotSpec[],
  keepOthers = false,
): Promise<ImportPlan> {
  const batch = batches.named(projectId, name);
  const plan = await planImport(batch ? batches.currentShots(batch.id) : [], shots);
  return keepOthers ? { ...plan, removed: [] } : plan;
}

export async function missingTakes(
  batches: BatchStore,
  { batch, plan, again }: { readonly batch: Batch | null; readonly plan: ImportPlan; readonly again: boolean },
): Promise<NewTakes[]> {
  const giveWay = createYielder();
  const made = new Map<string, number>();
  for (const count of batch ? batches.takes.byContent(batch.id) : [])
    made.set(`${count.key}\n${count.contentHash}`, again ? count.again : count.takes);
  const missing: NewTakes[] = [];
  for (const shot of [...plan.added, ...plan.changed, ...plan.unchanged]) {
    const known = made.size === 0 ? 0 : (made.get(`${shot.key}\n${contentHash(shot)}`) ?? 0);
    missing.push({ shot, takes: Math.max(0, shot.takes - known) });
    await giveWay();
  }
  return missing;
}

/** A person pays only for what they have seen. */
export const planChanged = (): RefusedError => refused('plan_changed', 'failure.planChanged', 'remedy.lookAtPlan');

export interface StartRequest {
  readonly projectId: string;
  readonly name: string;
  readonly settings: Settings;
  readonly shots: readonly ShotSpec[];
  readonly again: boolean;
  readonly keepOthers?: boolean | undefined;
}

export async function planStart(batches: BatchStore, request: StartRequest) {
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
      ...sumsOf(batches, { projectId, batch, plan, wanted, settings }),
    },
    toMake: wanted.filter(({ takes }) => takes > 0),
  };
}

interface StartedRows extends Pick<StartRequest, 'projectId' | 'settings'> {
  readonly batch: Batch | null;
  readonly plan: ImportPlan;
  readonly wanted: readonly NewTakes[];
}

/** By the results that the batch has: those of a row that changes count no more. */
function sumsOf(batches: BatchStore, { projectId, batch, plan, wanted, settings }: StartedRows): ChainSums {
  const rows = new Map(wanted.map(({ shot }) => [shot.key, shot]));
  const changed = new Set(plan.changed.map(({ key }) => key));
  const hasWaits = wanted.some(({ shot }) => shot.waitFor !== undefined);
  const results = new Map(batch && hasWaits ? batches.takes.usable(batch.id).filter(([key]) => !changed.has(key)) : []);
  const besides = (key: string): ShotSpec | null => (batch && hasWaits ? batches.currentShot(batch.id, key) : null);
  const rowOf = (key: string) => {
    const spec = rows.get(key) ?? besides(key);
    return spec && { spec, isReleased: false };
  };
  const find = keyFinder(
    (text) => rows.has(text) || besides(text) !== null,
    () => rows.keys(),
  );
  const goes = goesAlone({ rowOf, find, results, beside: shotsBeside(batches, projectId) });
  return chainSums(
    wanted.map((each) => ({
      ...each,
      when: !hasWaits || goes({ spec: each.shot, isReleased: false }) ? 'tonight' : 'afterPicks',
    })),
    settings,
  );
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
