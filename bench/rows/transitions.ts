import Database from 'better-sqlite3';
import { join } from 'node:path';
import { better, defineQueue, type Queue } from 'plainjob';
import type { Attempt } from '../../src/contract/job.ts';
import type { PlannedRequest } from '../../src/contract/take.ts';
import type { JobStore } from '../../src/engine/db/job-store.ts';
import { seedJobs } from '../../test/engine/db/seed.ts';
import { findingsOf } from '../finding.ts';
import { inTurns, timed, type Side } from '../measure.ts';
import type { MeasureRow } from '../row.ts';

/** Jobs that each side moves through all their states in one round. */
const JOBS = 150;
const unit = { name: '/s', digits: 0 };

/** A commit of ours: what it writes, and whether it is synced. */
interface Commit {
  readonly written: unknown;
  readonly isSynced: boolean;
}

/**
 * How fast jobs are moved on the disk: three synced commits, and one that is not, take a job from `ready` to `saved`. The
 * raw peer updates one row by its key with a text of the same length, once for each commit and synced as that is. plainjob moves its jobs in two steps, and
 * at its own settings (`synchronous=NORMAL`) syncs none of them: a power cut may take back the last. So it is measured
 * a second time with its commits synced like ours.
 */
export const measure: MeasureRow = async ({ rounds, folder }) => {
  const count = JOBS * (rounds + 1);
  const seeded = seedJobs(join(folder, 'ours'), count + 1);
  const [sample = '', ...jobIds] = seeded.jobIds;
  const commits = [...moveToTheEnd(seeded.jobs, sample)];
  const queues = [
    plainQueue(join(folder, 'plain.db'), count),
    plainQueue(join(folder, 'plain-synced.db'), count),
  ] as const;
  queues[1].db.pragma('synchronous = FULL');
  const compared = await inTurns(rounds, ours(seeded.jobs, jobIds), [
    raw(join(folder, 'raw.db'), count, commits),
    plainjob('plainjob (not synced)', queues[0].queue),
    plainjob('plainjob with synchronous=FULL', queues[1].queue),
  ]);
  seeded.db.close();
  for (const { queue } of queues) queue.close();
  return findingsOf('Durable job transitions', unit, compared, [{ atLeast: 0.8 }, null, null]);
};

function ours(jobs: JobStore, jobIds: readonly string[]): Side {
  const turns = turnsOf(jobIds);
  return perSecond('ours', () => {
    let moved = 0;
    for (const jobId of turns()) for (const _ of moveToTheEnd(jobs, jobId)) moved += 1;
    return moved;
  });
}

function raw(file: string, count: number, commits: readonly Commit[]): Side {
  const connect = (synchronous: 'FULL' | 'NORMAL'): Database.Database => {
    const db = new Database(file);
    db.pragma('journal_mode = WAL');
    db.pragma(`synchronous = ${synchronous}`);
    return db;
  };
  const synced = connect('FULL');
  synced.exec('CREATE TABLE jobs (id INTEGER PRIMARY KEY, facts TEXT NOT NULL) STRICT');
  const insert = synced.prepare('INSERT INTO jobs (id, facts) VALUES (?, ?)');
  const texts = commits.map(({ written }) => JSON.stringify(written));
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  synced.transaction(() => ids.forEach((id) => insert.run(id, texts[0]))).immediate();
  const update = 'UPDATE jobs SET facts = ? WHERE id = ?';
  const [updateSynced, updateOnly] = [synced.prepare(update), connect('NORMAL').prepare(update)];
  const turns = turnsOf(ids);
  return perSecond('raw better-sqlite3', () => {
    let moved = 0;
    for (const id of turns()) {
      for (const [index, { isSynced }] of commits.entries()) {
        moved += (isSynced ? updateSynced : updateOnly).run(texts[index], id).changes;
      }
    }
    return moved;
  });
}

/** A queue of plainjob at its own settings, with jobs that wait. */
function plainQueue(file: string, count: number): { readonly db: Database.Database; readonly queue: Queue } {
  const db = new Database(file);
  const nothing = (): void => undefined;
  const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  const queue = defineQueue({ connection: better(db), logger });
  const shots = Array.from({ length: count }, (_, index) => ({ shot: index, prompt: `Shot ${index}` }));
  queue.addMany('shot', shots);
  return { db, queue };
}

const plainjob = (name: string, queue: Queue): Side =>
  perSecond(name, () => {
    let moved = 0;
    for (let index = 0; index < JOBS; index += 1) {
      const job = queue.getAndMarkJobAsProcessing('shot');
      if (job === undefined) throw new Error('plainjob has no job left');
      queue.markJobAsDone(job.id);
      moved += 2;
    }
    return moved;
  });

/** Each call hands out the next jobs of one round. */
function turnsOf<Id>(ids: readonly Id[]): () => readonly Id[] {
  let taken = 0;
  return () => ids.slice(taken, (taken += JOBS));
}

function perSecond(name: string, move: () => number): Side {
  return {
    name,
    measure: async () => {
      let moved = 0;
      const ms = await timed(() => {
        moved = move();
      });
      return (moved / ms) * 1000;
    },
  };
}

/** Moves one job through everything that goes well, one commit at a time. */
function* moveToTheEnd(jobs: JobStore, jobId: string): Generator<Commit> {
  const now = Date.now();
  const found = jobs.get(jobId);
  if (!found) throw new Error(`The job ${jobId} was not found.`);
  const submitting = jobs.intend(found, attemptFor(jobId, now), request);
  yield { written: [submitting.state, request], isSynced: true };
  const task = { id: `task_${jobId}`, requestId: `req_${jobId}`, traceId: `trace_${jobId}`, acceptedAt: now };
  const accepted = jobs.advance(submitting, { type: 'accepted', task, nextPollAt: now, deadlineAt: now }, now);
  yield { written: accepted.state, isSynced: true };
  const downloading = jobs.advance(accepted, { type: 'succeeded', results: [{ at: 'url', url }] }, now);
  yield { written: downloading.state, isSynced: false };
  const saved = jobs.advance(downloading, { type: 'saved', at: now }, now);
  yield { written: saved.state, isSynced: true };
}

const url = `https://media.example/results/0001.mp4?Expires=1767600000&Signature=${'s'.repeat(256)}`;

const request: PlannedRequest = {
  operation: 'videos.create',
  method: 'POST',
  path: '/v1/videos',
  encoding: 'json',
  body: {
    model: 'vgen-2.0-cl-fast',
    prompt: 'A lighthouse in a storm, waves breaking over the rocks, slow dolly in, cold morning light',
    duration: 5,
    aspect_ratio: '16:9',
  },
  files: [],
  answers: 'task',
};

const attemptFor = (jobId: string, intendedAt: number): Attempt => ({
  id: `attempt-${jobId}`,
  number: 1,
  bodyHash: 'a'.repeat(64),
  origin: 'https://service.example',
  keyFingerprint: '0123456789abcdef',
  intendedAt,
});
