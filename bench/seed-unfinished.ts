import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Attempt, JobState } from '../src/contract/job.ts';
import type { PlannedRequest } from '../src/contract/take.ts';
import type { ShotSpec } from '../src/contract/shot.ts';
import { keyFingerprint } from '../src/engine/api/address.ts';
import { BatchStore, type Batch } from '../src/engine/db/batch-store.ts';
import { JobStore } from '../src/engine/db/job-store.ts';
import { openDatabase } from '../src/engine/db/open.ts';
import { ProjectStore } from '../src/engine/db/project-store.ts';
import { newJob } from '../src/engine/machine/job-machine.ts';
import { BENCH_KEY } from './ports.ts';

type UnfinishedState = 'ready' | 'submitting' | 'polling' | 'downloading';

export interface Unfinished {
  readonly dataFolder: string;
  readonly projectPath: string;
  /** Address of the service the jobs were sent to. */
  readonly origin: string;
  /** How many jobs are in which state. */
  readonly jobs: Partial<Readonly<Record<UnfinishedState, number>>>;
}

export const jobIdAt = (index: number): string => `job-${String(index).padStart(6, '0')}`;

/** A data folder and a project as an engine leaves them that was killed with many jobs under way. */
export function seedUnfinished({ dataFolder, projectPath, origin, jobs }: Unfinished): void {
  for (const name of ['takes', 'parts', 'batches']) mkdirSync(join(projectPath, '.dailies', name), { recursive: true });
  const db = openDatabase(dataFolder);
  const batches = new BatchStore(db);
  const store = new JobStore(db);
  const now = Date.now();
  new ProjectStore(db).save({ id: 'project', path: projectPath, name: 'Film' }, now);
  const batch: Batch = {
    id: 'batch',
    projectId: 'project',
    name: 'Day 1',
    folder: 'Day 1',
    listFolder: projectPath,
    source: 'list.csv',
    nameTemplate: '{shot}_t{take}',
    order: 'list',
    createdAt: now,
    changedAt: 0,
  };
  batches.save(batch);
  const states = Object.entries(jobs).flatMap(([state, count]) =>
    Array.from({ length: count }, () => state as UnfinishedState),
  );
  batches.inOneCommit(() => {
    states.forEach((state, index) => {
      const id = jobIdAt(index);
      const spec = specOf(index);
      batches.addShot(
        { id: `shot-${id}`, batchId: batch.id, key: spec.key, position: index, contentHash: id, spec },
        now,
      );
      const attempt = attemptOf(id, origin, now);
      batches.takes.add(batch, {
        id,
        shotId: `shot-${id}`,
        take: 1,
        spec,
        state: stateOf(state, attempt, index),
        createdAt: now,
      });
      if (state !== 'ready') store.attempts.adopt(id, attempt, requestOf(spec));
    });
  });
  db.close();
}

export const shotKeyAt = (index: number): string => `SC${String(index).padStart(5, '0')}`;

const specOf = (index: number): ShotSpec => ({
  key: shotKeyAt(index),
  kind: 'video',
  model: 'vgen-2.0-cl-fast',
  prompt: `Shot ${index}: a lighthouse in a storm, waves breaking over the rocks, slow dolly in, cold morning light`,
  takes: 1,
  params: { duration: 5, aspect_ratio: '16:9' },
  extra: {},
  columns: { scene: String(index % 97) },
  priority: 0,
});

const requestOf = ({ model, prompt, params }: ShotSpec): PlannedRequest => ({
  operation: 'videos.create',
  method: 'POST',
  path: '/v1/videos',
  encoding: 'json',
  body: { model, prompt, ...params },
  files: [],
  answers: 'task',
});

const attemptOf = (jobId: string, origin: string, now: number): Attempt => ({
  id: `attempt-${jobId}`,
  number: 1,
  bodyHash: 'a'.repeat(64),
  origin,
  keyFingerprint: keyFingerprint(BENCH_KEY),
  intendedAt: now,
});

function stateOf(state: UnfinishedState, attempt: Attempt, index: number): JobState {
  const acceptedAt = attempt.intendedAt;
  const task = { id: `task_${index}`, requestId: `req_${index}`, traceId: `trace_${index}`, acceptedAt };
  const failure = { lastFailure: null, addressRefreshes: 0 };
  switch (state) {
    case 'ready':
      return newJob;
    case 'submitting':
      return { state, attempt };
    case 'polling': {
      const polled = { remoteStatus: 'running', polls: 2, pollErrors: 0 };
      // Spread over the longest wait between two polls, as jobs are that were accepted over an hour.
      const nextPollAt = acceptedAt + (index % 30) * 1000;
      return { state, attempt, task, nextPollAt, deadlineAt: acceptedAt + 86_400_000, ...polled, ...failure };
    }
    case 'downloading': {
      const url = `${attempt.origin}/files/1000/${index}.mp4?signature=${'s'.repeat(200)}`;
      return { state, attempt, task, results: [{ at: 'url', url }], tries: 0, retryAt: null, ...failure };
    }
  }
}
