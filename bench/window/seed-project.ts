import { createHash } from 'node:crypto';
import { copyFileSync, linkSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Attempt, JobState } from '../../src/contract/job.ts';
import type { ShotSpec } from '../../src/contract/shot.ts';
import { BatchStore, type Batch } from '../../src/engine/db/batch-store.ts';
import { openDatabase } from '../../src/engine/db/open.ts';
import { OutputStore } from '../../src/engine/db/output-store.ts';
import { ProjectStore } from '../../src/engine/db/project-store.ts';
import type { Stills } from './stills.ts';

const TAKES_PER_SHOT = 4;
/** More than a window shows at first. These are files of their own: a second name of a file is not opened. */
const FIRST_IN_SIGHT = 200;
export const PROJECT = 'project';

export interface SavedTakes {
  readonly dataFolder: string;
  readonly projectPath: string;
  readonly takes: number;
  /** What the takes show, in turn. */
  readonly stills: Stills;
}

/** A project as it is on the morning after: one batch of stills, four takes a shot, every one saved. */
export function seedSavedTakes({ dataFolder, projectPath, takes, stills }: SavedTakes): void {
  const batch = batchIn(projectPath);
  mkdirSync(join(projectPath, '.dailies'), { recursive: true });
  mkdirSync(join(projectPath, batch.folder));
  const db = openDatabase(dataFolder);
  const batches = new BatchStore(db);
  const outputs = new OutputStore(db);
  new ProjectStore(db).save({ id: PROJECT, path: projectPath, name: 'Film' }, batch.createdAt);
  batches.save(batch);
  batches.inOneCommit(() => {
    for (let index = 0; index < takes; index += 1) {
      const shotId = `shot-${Math.floor(index / TAKES_PER_SHOT)}`;
      const spec = specOf(Math.floor(index / TAKES_PER_SHOT));
      const take = (index % TAKES_PER_SHOT) + 1;
      const id = takeId(index);
      if (take === 1) {
        const place = { key: spec.key, position: index, contentHash: shotId, spec };
        batches.addShot({ id: shotId, batchId: batch.id, ...place }, batch.createdAt);
      }
      batches.takes.add(batch, {
        id,
        shotId,
        take,
        spec,
        state: savedState(id, batch.createdAt),
        createdAt: batch.createdAt,
      });
      const still = stills.original(index);
      const file = `${batch.folder}/${spec.key}_t${take}.jpg`;
      const { bytes } = still;
      outputs.saveFound(id, { number: 1, file, bytes, sha256: contentOf(index), format: 'jpg', verified: true });
      const place = index < FIRST_IN_SIGHT ? copyFileSync : linkOrCopy;
      place(still.path, join(projectPath, file));
    }
  });
  db.close();
}

/** Small pictures in the server's cache, so that none has to be made. */
export function seedThumbs({ dataFolder, takes, stills }: Omit<SavedTakes, 'projectPath'>): void {
  for (let index = 0; index < takes; index += 1) {
    const sha256 = contentOf(index);
    const folder = join(dataFolder, 'thumbs', sha256.slice(0, 2));
    mkdirSync(folder, { recursive: true });
    linkOrCopy(stills.thumb(index), join(folder, `${sha256}-320.webp`));
  }
}

export const takeId = (index: number): string => `take-${String(index).padStart(6, '0')}`;

/** Each take is a content of its own to the server and to the browser. */
const contentOf = (index: number): string => createHash('sha256').update(takeId(index)).digest('hex');

const batchIn = (projectPath: string): Batch => ({
  id: 'batch',
  projectId: PROJECT,
  name: 'Day 1',
  folder: 'Day 1',
  listFolder: projectPath,
  source: 'list.csv',
  nameTemplate: '{shot}_t{take}',
  order: 'list',
  createdAt: Date.now(),
  changedAt: 0,
});

const specOf = (shot: number): ShotSpec => ({
  key: `SC${String(shot).padStart(5, '0')}`,
  kind: 'image',
  model: 'image-demo',
  prompt: `Shot ${shot}: a lighthouse in a storm, waves breaking over the rocks, slow dolly in, cold morning light`,
  takes: TAKES_PER_SHOT,
  params: { size: '1536x1024' },
  extra: {},
  columns: { scene: String(shot % 97) },
  priority: 0,
});

function savedState(id: string, at: number): JobState {
  const attempt: Attempt = {
    id: `attempt-${id}`,
    number: 1,
    bodyHash: 'a'.repeat(64),
    origin: 'https://service.example',
    keyFingerprint: '0123456789abcdef',
    intendedAt: at,
  };
  const task = { id: `task_${id}`, requestId: `req_${id}`, traceId: `trace_${id}`, acceptedAt: at };
  return { state: 'saved', attempt, task, savedAt: at };
}

/** Thousands of files that share their bytes cost no disk. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
