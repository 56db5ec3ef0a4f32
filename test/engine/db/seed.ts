import type { ShotSpec } from '../../../src/contract/shot.ts';
import { BatchStore, type Batch } from '../../../src/engine/db/batch-store.ts';
import { JobStore } from '../../../src/engine/db/job-store.ts';
import { openDatabase, type EngineDatabase } from '../../../src/engine/db/open.ts';
import { OutputStore } from '../../../src/engine/db/output-store.ts';
import { ProjectStore } from '../../../src/engine/db/project-store.ts';
import { newJob } from '../../../src/engine/machine/job-machine.ts';
import { folderOfTest } from '../../support/folders.ts';
import { onTestFinished } from 'vitest';

export const shot = (index: number, changes: Partial<ShotSpec> = {}): ShotSpec => ({
  key: String(index).padStart(4, '0'),
  kind: 'video',
  model: 'vgen-2.0-cl-fast',
  prompt: `Shot ${index}`,
  takes: 1,
  params: { duration: 5 },
  extra: {},
  columns: {},
  priority: 0,
  ...changes,
});

/** A still of a demo model, under its key. */
export const still = (key: string, changes: Partial<ShotSpec> = {}): ShotSpec => ({
  ...shot(0, { key, kind: 'image', model: 'image-demo', prompt: `Still ${key}`, params: {} }),
  ...changes,
});

export const shots = (count: number): ShotSpec[] => Array.from({ length: count }, (_, index) => shot(index + 1));

export interface Seeded {
  readonly db: EngineDatabase;
  readonly jobs: JobStore;
  readonly batches: BatchStore;
  readonly outputs: OutputStore;
  readonly projects: ProjectStore;
  readonly batch: Batch;
  readonly jobIds: readonly string[];
}

/** A database with one project, one batch and `count` ready jobs of one shot each. */
export function seedJobs(
  dataFolder: string,
  count: number,
  change: (index: number) => Partial<ShotSpec> = () => ({}),
): Seeded {
  const db = openDatabase(dataFolder);
  const batches = new BatchStore(db);
  const projects = new ProjectStore(db);
  projects.save({ id: 'project', path: dataFolder, name: 'Film' }, 1);
  const batch: Batch = {
    id: 'batch',
    projectId: 'project',
    name: 'Day 1',
    folder: 'Day 1',
    listFolder: dataFolder,
    source: 'list.csv',
    nameTemplate: '{shot}_t{take}',
    order: 'list',
    createdAt: 1,
    changedAt: 0,
  };
  batches.save(batch);
  const jobIds = Array.from({ length: count }, (_, index) => `job-${String(index).padStart(6, '0')}`);
  batches.inOneCommit(() => {
    jobIds.forEach((id, index) => {
      const spec = shot(index, change(index));
      const shotId = `shot-${id}`;
      batches.addShot({ id: shotId, batchId: batch.id, key: spec.key, position: index, contentHash: 'hash', spec }, 1);
      batches.takes.add(batch, { id, shotId, take: 1, spec, state: newJob, createdAt: 1 });
    });
  });
  return { db, jobs: new JobStore(db), batches, outputs: new OutputStore(db), projects, batch, jobIds };
}

/** The same in a folder that goes away with the test. */
export function seedOfTest(count: number, change?: (index: number) => Partial<ShotSpec>): Seeded {
  const seeded = seedJobs(folderOfTest(), count, change);
  onTestFinished(() => seeded.db.close());
  return seeded;
}
