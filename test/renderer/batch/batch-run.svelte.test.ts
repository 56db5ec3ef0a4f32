import { flushSync } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import type { JobView } from '../../../src/contract/job.ts';
import { BatchRun } from '../../../src/renderer/views/batch/run/batch-run.svelte.ts';

const engine = vi.hoisted(() => ({ jobs: null as unknown, emit: (_changes: object): void => undefined }));
vi.mock('../../../src/renderer/lib/state/changes.svelte.ts', () => ({
  changeStream: {
    listen: (listener: (changes: object) => void) => {
      engine.emit = listener;
      return () => undefined;
    },
  },
}));
vi.mock('../../../src/renderer/lib/client.ts', () => ({
  toTrouble: (error: Error) => ({ message: error.message, remedy: '' }),
  api: { batches: { list: () => Promise.resolve([]) }, jobs: { list: () => engine.jobs } },
}));

const job = (shot: string, standing: JobView['standing'], listRow: number): JobView =>
  ({ id: shot, shot, standing, take: 1, listRow, state: 'saved', isSetAside: false }) as unknown as JobView;

let stop = (): void => undefined;
afterEach(() => {
  stop();
  vi.unstubAllGlobals();
});

function runOf(jobs: Promise<unknown>): BatchRun {
  engine.jobs = jobs;
  let made: BatchRun | undefined;
  stop = $effect.root(() => void (made = new BatchRun('film', 'day')));
  flushSync();
  return made ?? expect.unreachable();
}

it('the shot to edit is one of those that are filtered for, though their takes are not read yet', async () => {
  const answer = Promise.withResolvers<unknown>();
  const run = runOf(answer.promise);
  run.standing = 'failed';
  // Everything that does not wait for the answer has happened.
  await new Promise((soon) => setTimeout(soon));
  answer.resolve({ jobs: [job('100', 'saved', 0), job('900', 'failed', 1)], total: 2 });
  await run.firstRead;
  expect(run.rows.map(({ id }) => id)).toEqual(['900']);
});

it('a list is opened all the same when the takes of its batch cannot be read', async () => {
  const run = runOf(Promise.reject(new Error('away')));
  await run.firstRead;
  expect(run.isRead).toBe(false);
});

it('a change that arrives while the takes are read outlives the page that was read before it', async () => {
  const page = Promise.withResolvers<unknown>();
  const run = runOf(page.promise);
  const failed = { ...job('010', 'failed', 0), batchId: 'day' };
  engine.emit({ jobs: [failed], resync: false, verdicts: [] });
  page.resolve({ jobs: [job('010', 'unfinished', 0), job('020', 'saved', 1)], total: 2 });
  await run.firstRead;
  expect(run.rows.map(({ jobs }) => jobs[0]?.standing)).toEqual(['failed', 'saved']);
});

it('verdicts are followed as they are given', async () => {
  const run = runOf(Promise.resolve({ jobs: [job('010', 'saved', 0)], total: 1 }));
  await run.firstRead;
  const give = (takeId: string, flag: 'pick' | null): void =>
    engine.emit({ jobs: [], resync: false, verdicts: [{ takeId, verdict: { rating: 0, flag, note: '' } }] });
  give('of another batch', 'pick');
  give('010', 'pick');
  expect(run.rows[0]?.jobs[0]?.flag).toBe('pick');
  give('010', null);
  expect(run.rows[0]?.jobs[0]).not.toHaveProperty('flag');
});
