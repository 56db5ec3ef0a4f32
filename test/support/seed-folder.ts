import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ShotSpec } from '../../src/contract/shot.ts';
import type { Recipe } from '../../src/contract/take.ts';
import { writeBatchFile, type BatchFile } from '../../src/engine/files/batch-file.ts';

const BATCH = { id: 'batch-1', name: 'Day 1' };
/** The project's id. */
const PROJECT = 'project';

/** A project folder as another data folder leaves it: one batch of `takes` shots, each with a take that is saved. */
export async function seedFolder(projectPath: string, takes: number): Promise<void> {
  const own = join(projectPath, '.dailies');
  for (const name of ['takes', 'parts', 'batches']) mkdirSync(join(own, name), { recursive: true });
  mkdirSync(join(projectPath, BATCH.name));
  const project = { format: 1, id: PROJECT, name: 'Film', createdAt: 1 };
  writeFileSync(join(own, 'project.json'), JSON.stringify(project));
  const shots = Array.from({ length: takes }, (_, index) => specOf(index));
  await writeBatchFile(projectPath, batchOf(shots));
  shots.forEach((shot, index) => {
    const file = `${BATCH.name}/${shot.key}_t1.mp4`;
    const recipe = recipeOf(shot, index, file);
    writeFileSync(join(own, 'takes', `${recipe.takeId}.json`), `${JSON.stringify(recipe, null, 2)}\n`);
    writeFileSync(join(projectPath, file), 'film');
  });
}

/** The shots of such a project. */
export const specOf = (index: number): ShotSpec => ({
  key: `SC${String(index).padStart(5, '0')}`,
  kind: 'video',
  model: 'vgen-2.0-cl-fast',
  prompt: `Shot ${index}: a lighthouse in a storm, waves breaking over the rocks, slow dolly in, cold morning light`,
  takes: 1,
  params: { duration: 5, aspect_ratio: '16:9' },
  extra: {},
  columns: { scene: String(index % 97) },
  priority: 0,
});

export const batchOf = (shots: readonly ShotSpec[]): BatchFile => ({
  format: 1,
  ...BATCH,
  folder: BATCH.name,
  listFolder: '/lists',
  source: 'list.csv',
  createdAt: 1,
  changedAt: 0,
  nameTemplate: '{shot}_t{take}',
  order: 'list',
  shots: [...shots],
});

function recipeOf(shot: ShotSpec, index: number, file: string): Recipe {
  const number = String(index).padStart(6, '0');
  const { model, prompt, params } = shot;
  return {
    format: 1,
    takeId: `take-${number}`,
    take: 1,
    batch: BATCH,
    shot,
    state: 'saved',
    request: {
      operation: 'videos.create',
      method: 'POST',
      path: '/v1/videos',
      encoding: 'json',
      body: { model, prompt, ...params },
      files: [],
      answers: 'task',
    },
    attemptId: `attempt-${number}`,
    origin: 'http://127.0.0.1:9',
    keyFingerprint: 'f'.repeat(16),
    taskId: `task_${number}`,
    requestId: `req_${number}`,
    traceId: `trace_${number}`,
    createdAt: 1000 + index,
    updatedAt: 2000 + index,
    outputs: [{ number: 1, file, bytes: 4, sha256: 'a'.repeat(64), format: 'mp4', verified: true }],
  };
}
