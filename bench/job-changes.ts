import { systemClock } from '../src/host/process-environment.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { EngineEvent } from '../src/contract/events.ts';
import type { Failure } from '../src/contract/failure.ts';
import { JobQueries } from '../src/engine/db/job-queries.ts';
import type { Job, JobStore } from '../src/engine/db/job-store.ts';
import { ChangeFeed } from '../src/server/change-feed.ts';
import { seedJobs } from '../test/engine/db/seed.ts';

/** Changes that are made at once, and how long apart, ms: together a thousand a second. */
const AT_ONCE = 10;
const APART_MS = 10;
/** Changes that each job goes through here. */
const STEPS = 5;

export interface JobChanges {
  readonly folder: string;
  readonly ms: number;
}

/**
 * Gets ready to change jobs as the engine does. What it returns does so, a thousand times a second for `ms`: each change is
 * a synced commit, and is read back for the listeners. `send` gets the messages that a window would.
 */
export function readyToChange({ folder, ms }: JobChanges): (send: (message: string) => void) => Promise<void> {
  const count = Math.ceil((ms / APART_MS) * AT_ONCE);
  const { db, jobs, jobIds } = seedJobs(folder, Math.ceil(count / STEPS));
  const queries = new JobQueries(db);
  const listeners = new Set<(event: EngineEvent) => void>();
  const subscribe = (listener: (event: EngineEvent) => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const changes = changesOf(jobs, jobIds);
  return async (send) => {
    const over = new AbortController();
    const telling = tell(new ChangeFeed({ subscribe }, systemClock, [over.signal]), send);
    const startedAt = performance.now();
    for (let made = 0; made < count; made += AT_ONCE) {
      for (let each = 0; each < AT_ONCE; each += 1) {
        const { value: jobId } = changes.next();
        const job = jobId === undefined ? null : queries.view(jobId);
        if (job) listeners.forEach((listener) => listener({ type: 'job', job }));
      }
      await wait(Math.max(0, startedAt + (made / AT_ONCE + 1) * APART_MS - performance.now()));
    }
    over.abort();
    await telling;
    db.close();
  };
}

async function tell(feed: ChangeFeed, send: (message: string) => void): Promise<void> {
  for await (const changes of feed) send(JSON.stringify(changes));
}

/** Makes one change at each step, and yields whose it was. */
function* changesOf(jobs: JobStore, jobIds: readonly string[]): Generator<string> {
  const now = Date.now();
  for (const jobId of jobIds) {
    for (const step of steps) {
      const job = jobs.get(jobId);
      if (!job) throw new Error(`The job ${jobId} was not found.`);
      step(jobs, job, now);
      yield jobId;
    }
  }
}

const hold = (jobs: JobStore, job: Job, now: number): void => void jobs.setPaused(job.id, 'user', now);
const release = (jobs: JobStore, job: Job, now: number): void => void jobs.setPaused(job.id, null, now);
const failure: Failure = { code: 'x', message: 'Not now.', remedy: 'No action needed.', cost: 'nothing', at: 1 };
const postpone = (jobs: JobStore, job: Job, now: number): void =>
  void jobs.advance(job, { type: 'postponed', notBefore: now, failure }, now);
const steps = [hold, release, postpone, hold, release];

/** In a thread of its own, it says when it is ready, begins when it is told to, and says when all is done. */
if (parentPort) {
  const port = parentPort;
  const change = readyToChange(workerData as JobChanges);
  port.once('message', () => {
    void change((message) => port.postMessage(message)).then(() => port.postMessage('done'));
  });
  port.postMessage('ready');
}
