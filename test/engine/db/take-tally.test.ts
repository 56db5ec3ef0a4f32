import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PauseReason } from '../../../src/contract/job.ts';
import { JobQueries, setAside, TakeCounter } from '../../../src/engine/db/job-queries.ts';
import { IllegalTransitionError, newJob } from '../../../src/engine/machine/job-machine.ts';
import { anyEvent } from '../jobs/events.ts';
import { seedJobs, seedOfTest, shot, type Seeded } from './seed.ts';

const TAKES = 4;
const someTake = fc.nat({ max: TAKES - 1 });

const anyChange = fc.oneof(
  { weight: 12, arbitrary: fc.record({ type: fc.constant('event'), take: someTake, event: anyEvent }) },
  fc.record({ type: fc.constant('hold'), take: someTake, reason: fc.option(fc.constantFrom(...PauseReason.options)) }),
  fc.record({ type: fc.constant('let all go'), reason: fc.constantFrom(...PauseReason.options) }),
  fc.record({ type: fc.constant('correct the row'), take: someTake }),
  fc.record({ type: fc.constant('drop the row'), take: someTake }),
  fc.record({ type: fc.constant('add a take'), take: someTake }),
);
type Change = typeof anyChange extends fc.Arbitrary<infer Value> ? Value : never;

function apply({ jobs, batches, batch, jobIds }: Seeded, change: Change, number: number): void {
  const spec = shot('take' in change ? change.take : 0);
  const jobId = jobIds['take' in change ? change.take : 0] ?? '';
  switch (change.type) {
    case 'event': {
      const job = jobs.get(jobId);
      if ('event' in change && job) jobs.advance(job, change.event, number);
      return;
    }
    case 'hold':
      return jobs.setPaused(jobId, ('reason' in change && change.reason) || null, number);
    case 'let all go':
      return 'reason' in change && change.reason ? jobs.clearPauses(change.reason) : undefined;
    case 'drop the row':
      return batches.retireShots(batch.id, [spec.key]);
    case 'correct the row': {
      batches.retireShots(batch.id, [spec.key]);
      const id = `corrected-${number}`;
      return batches.addShot({ id, batchId: batch.id, key: spec.key, position: 0, contentHash: id, spec }, number);
    }
    case 'add a take': {
      const take = batches.takes.last(batch.id, spec.key) + 1;
      const id = `added-${number}`;
      batches.takes.add(batch, { id, shotId: `shot-${jobId}`, take, spec, state: newJob, createdAt: number });
    }
  }
}

/** A commit that fails in its last moment. */
function undone({ jobs }: Seeded, work: () => void): void {
  const failed = new Error('failed');
  expect(() =>
    jobs.inOneCommit(() => {
      work();
      throw failed;
    }),
  ).toThrow(failed);
}

it('the stored count of takes equals a fresh count, after every change and every undo', () => {
  const step = fc.record({ change: anyChange, isUndone: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const folder = mkdtempSync(join(tmpdir(), 'dailies-tally-'));
      const seeded = seedJobs(folder, TAKES);
      // Nothing here needs the disk.
      seeded.db.facts.pragma('synchronous = OFF');
      const tally = new TakeCounter(seeded.db);
      const queries = new JobQueries(seeded.db);
      tally.counts({});
      steps.forEach(({ change, isUndone }, index) => {
        const work = () => apply(seeded, change, index + 2);
        try {
          if (isUndone && change.type !== 'event') undone(seeded, work);
          else work();
        } catch (error) {
          if (!(error instanceof IllegalTransitionError)) throw error;
        }
        for (const scope of [{}, { projectId: 'project' }, { batchId: 'batch' }, { batchId: 'another' }])
          expect(tally.counts(scope)).toEqual(queries.counts(scope));
      });
      seeded.db.close();
      rmSync(folder, { recursive: true });
    }),
    { numRuns: 12 },
  );
});

it('the counts that a window asks for often read no saved or running take', () => {
  const { db } = seedOfTest(1);
  const plan = db.facts.all<{ detail: string }>`EXPLAIN QUERY PLAN ${setAside({})}`;
  expect(plan.map(({ detail }) => detail).filter((step) => /^SCAN jobs/.test(step))).toEqual([
    'SCAN jobs USING INDEX jobs_came_to_nothing',
  ]);
});
