import { messageFor } from '../../contract/messages/message.ts';
import { refused } from '../base/errors.ts';
import type { Batch, BatchStore } from '../db/batch-store.ts';

/** Throws RefusedError for an unknown batch. */
export function requireBatch(batches: BatchStore, batchId: string): Batch {
  const batch = batches.get(batchId);
  if (batch) return batch;
  throw refused('not_found', messageFor('failure.noSuchItem', { what: 'batch' }), 'remedy.chooseOther');
}

/** Throws RefusedError for an archived batch: it is read only. */
export function requireUnarchivedBatch(batches: BatchStore, { id, name }: Pick<Batch, 'id' | 'name'>): void {
  if (!batches.isArchived(id)) return;
  throw refused('batch_archived', messageFor('failure.batchArchived', { batch: name }), 'remedy.unarchiveBatch');
}
