import { messageFor } from '../../contract/messages/message.ts';
import { checkMayArchive, requireBatch } from '../projects/overview.ts';
import { refused } from '../base/errors.ts';
import { givenName } from '../projects/rename-project.ts';
import type { Batch, BatchRow, BatchStore } from '../db/batch-store.ts';
import { step, type CommandFunctions } from './command-function.ts';

export const batches: CommandFunctions<'batches'> = {
  addShot: ({ drafts }, { projectId, ...shot }, { by }) => drafts.addShot(projectId, { ...shot, by }),

  rename({ batches, batchFiles, ports }, { batchId, name: wanted }) {
    const batch = requireBatch(batches, batchId);
    const name = givenName(wanted);
    checkName(batches, batch, name);
    const { name: before } = batch;
    if (name === before) return null;
    batches.rename(batch, name, ports.clock.now());
    return {
      facts: { before, name },
      done: { batchId, name },
      undo: step('batches.rename', { batchId, name: before }),
      after: () => batchFiles.write(requireBatch(batches, batchId), before),
    };
  },

  archive({ batches, tally, ports }, { batchId }) {
    const { name } = requireBatch(batches, batchId);
    checkMayArchive('batch', tally.counts({ batchId }));
    batches.archive(batchId, ports.clock.now());
    return { facts: { batch: name }, undo: step('batches.unarchive', { batchId }) };
  },

  unarchive({ batches }, { batchId }) {
    const { name } = requireBatch(batches, batchId);
    if (!batches.isArchived(batchId)) return null;
    batches.archive(batchId, null);
    return { facts: { batch: name }, undo: step('batches.archive', { batchId }) };
  },

  setNotes({ batches }, { batchId, notes: wanted }) {
    const { name, notes: before } = rowFor(batches, batchId);
    const notes = wanted.trim();
    batches.setNotes(batchId, notes);
    return {
      facts: { batch: name },
      done: { batchId, notes },
      undo: step('batches.setNotes', { batchId, notes: before }),
    };
  },

  order({ batches }, { projectId, order, batchIds }) {
    const before = batches.order(projectId);
    const placed = batches.rows(projectId).map(({ id }) => id);
    // Batches that came since have no place that anybody gave them.
    const ids = batchIds ? placed.filter((id) => batchIds.includes(id)) : placed;
    batches.setOrder(projectId, order, batchIds);
    return {
      facts: { order },
      undo: step('batches.order', { projectId, order: before, ...(before === 'hand' && { batchIds: ids }) }),
    };
  },
};

function rowFor(batches: BatchStore, batchId: string): BatchRow {
  const { projectId } = requireBatch(batches, batchId);
  return batches.rows(projectId).find(({ id }) => id === batchId) as BatchRow;
}

function checkName(batches: BatchStore, { id, projectId }: Batch, name: string): void {
  if (rowFor(batches, id).importing) {
    throw refused('import_unfinished', 'failure.importUnfinished');
  }
  const other = batches.named(projectId, name);
  if (other === null || other.id === id) return;
  throw refused('batch_exists', messageFor('failure.batchNameTaken', { batch: name }), 'remedy.chooseOtherName');
}
