import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { TakeOrder } from '../../../src/contract/batch.ts';
import { BatchStore, type Batch } from '../../../src/engine/db/batch-store.ts';
import { DueJobs } from '../../../src/engine/db/due-jobs.ts';
import { openDatabase } from '../../../src/engine/db/open.ts';
import { ProjectStore } from '../../../src/engine/db/project-store.ts';
import { newJob } from '../../../src/engine/machine/job-machine.ts';
import { folderOfTest } from '../../support/folders.ts';
import { shot } from './seed.ts';

interface Wanted {
  readonly order: TakeOrder;
  readonly shots: readonly { readonly takes: number; readonly priority: number }[];
}

const wanted: fc.Arbitrary<Wanted> = fc.record({
  order: fc.constantFrom('list', 'scout'),
  shots: fc.array(fc.record({ takes: fc.integer({ min: 1, max: 4 }), priority: fc.integer({ min: 0, max: 1 }) }), {
    minLength: 1,
    maxLength: 6,
  }),
});

function emptyQueue() {
  const folder = folderOfTest();
  const db = openDatabase(folder);
  onTestFinished(() => db.close());
  const batches = new BatchStore(db);
  new ProjectStore(db).save({ id: 'project', path: folder, name: 'Film' }, 1);
  const aBatch = (id: string, order: TakeOrder): Batch => ({
    ...{ id, projectId: 'project', name: id, folder: id, listFolder: folder, source: 'list.csv' },
    ...{ nameTemplate: '{shot}', order, createdAt: 1, changedAt: 0 },
  });
  const queue = ({ order, shots }: Wanted, id: string): void => {
    const batch = aBatch(id, order);
    batches.save(batch);
    shots.forEach(({ takes, priority }, index) => {
      const spec = shot(index, { takes, priority });
      const shotId = `${id} ${spec.key}`;
      batches.addShot({ id: shotId, batchId: id, key: spec.key, position: index, contentHash: '', spec }, 1);
      for (let take = 1; take <= takes; take += 1) {
        batches.takes.add(batch, { id: `${shotId} ${take}`, shotId, take, spec, state: newJob, createdAt: 1 });
      }
    });
  };
  const reorder = (id: string, order: TakeOrder): void => {
    batches.save(aBatch(id, order));
    batches.takes.putInOrder(id);
  };
  const claimed = (): string[] => new DueJobs(db).claim('submit', 1, 1000, {}).map(({ id }) => id);
  const clear = (): void => void db.facts.exec('DELETE FROM jobs; DELETE FROM shots; DELETE FROM batches;');
  const inOneCommit = (work: () => void): void => batches.inOneCommit(work);
  return { queue, reorder, claimed, clear, inOneCommit };
}

/** By priority, then the number of the take where its batch goes by it, then as they came. */
function inOrder(batches: readonly Wanted[]): string[] {
  const takes = batches.flatMap(({ order, shots }, batch) =>
    shots.flatMap(({ takes: count, priority }, index) =>
      Array.from({ length: count }, (_, before) => ({
        id: `batch-${batch} ${shot(index).key} ${before + 1}`,
        priority,
        turn: order === 'scout' ? before + 1 : 1,
      })),
    ),
  );
  return takes.toSorted((a, b) => b.priority - a.priority || a.turn - b.turn).map(({ id }) => id);
}

describe('the order in which takes are sent', () => {
  it('is priority, then first takes of scouted batches before second ones, then the batches and their rows', () => {
    const { queue, claimed, clear, inOneCommit } = emptyQueue();
    fc.assert(
      fc.property(fc.array(wanted, { minLength: 1, maxLength: 3 }), (batches) => {
        inOneCommit(() => {
          clear();
          batches.forEach((each, index) => queue(each, `batch-${index}`));
        });
        expect(claimed()).toEqual(inOrder(batches));
      }),
      { numRuns: 60 },
    );
  });

  it('of what waits already changes with its batch, and is the same as if it had been so from the start', () => {
    const { queue, reorder, claimed, clear, inOneCommit } = emptyQueue();
    fc.assert(
      fc.property(wanted, wanted, fc.constantFrom('list', 'scout'), (first, second, order) => {
        inOneCommit(() => {
          clear();
          queue(first, 'batch-0');
          queue(second, 'batch-1');
          reorder('batch-0', order);
        });
        expect(claimed()).toEqual(inOrder([{ ...first, order }, second]));
      }),
      { numRuns: 60 },
    );
  });
});
