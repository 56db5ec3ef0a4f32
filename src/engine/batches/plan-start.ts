import { stat } from 'node:fs/promises';
import type { StartPlan } from '../../contract/batch.ts';
import type { Settings } from '../../contract/settings.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { BatchStore } from '../db/batch-store.ts';
import { rulesOf } from '../kinds/index.ts';
import { localPath, readMediaReference } from '../kinds/media-reference.ts';
import { estimate, type NewTakes } from './estimate.ts';
import { contentHash } from './plan-import.ts';
import { planBatch } from './start-batch.ts';

export interface StartWish {
  readonly projectId: string;
  readonly name: string;
  /** Absolute; local paths of the shots are relative to it. */
  readonly listFolder: string;
  readonly settings: Settings;
  readonly shots: readonly ShotSpec[];
  /** Make new takes of unchanged shots too. */
  readonly again: boolean;
}

/** What starting a list would do and cost; changes nothing. */
export async function planStart(batches: BatchStore, wish: StartWish): Promise<StartPlan> {
  const plan = planBatch(batches, wish.projectId, wish.name, wish.shots);
  const made = takesMade(batches, wish);
  const wanted = [...plan.added, ...plan.changed, ...plan.unchanged].map((shot): NewTakes => {
    const missing = shot.takes - (made.get(`${shot.key}\n${contentHash(shot)}`) ?? 0);
    return { shot, takes: wish.again ? shot.takes : Math.max(0, missing) };
  });
  return {
    added: plan.added.map(({ key }) => key),
    changed: plan.changed.map(({ key }) => key),
    unchanged: plan.unchanged.length,
    removed: [...plan.removed],
    ...estimate(wanted, wish.settings),
    uploads: await uploadsOf(
      wanted.filter(({ takes }) => takes > 0).map(({ shot }) => shot),
      wish.listFolder,
    ),
  };
}

/** Takes that a batch has already, by shot key and content. */
function takesMade(batches: BatchStore, { projectId, name }: StartWish): ReadonlyMap<string, number> {
  const batch = batches.named(projectId, name);
  const counts = batch ? batches.takesByContent(batch.id) : [];
  return new Map(counts.map(({ key, contentHash: content, takes }) => [`${key}\n${content}`, takes]));
}

/** Local files the shots need, each once, with its size; files that are gone since the check are left out. */
async function uploadsOf(shots: readonly ShotSpec[], listFolder: string): Promise<StartPlan['uploads']> {
  const paths = new Set(
    shots.flatMap(({ kind, params }) =>
      rulesOf(kind)
        .mediaOf(params)
        .flatMap(({ cell }) => {
          const reference = readMediaReference(cell);
          return reference.at === 'local' ? [localPath(reference.path, listFolder)] : [];
        }),
    ),
  );
  const uploads: StartPlan['uploads'] = [];
  for (const path of paths) {
    const bytes = await stat(path).then(
      ({ size }) => size,
      () => null,
    );
    if (bytes !== null) uploads.push({ path, bytes });
  }
  return uploads;
}
