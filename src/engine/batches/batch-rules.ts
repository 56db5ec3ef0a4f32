import { messageFor } from '../../contract/messages/message.ts';
import { RefusedError } from '../base/errors.ts';
import type { Batch, BatchStore } from '../db/batch-store.ts';

export function requireBatch(batches: BatchStore, batchId: string): Batch {
  const batch = batches.get(batchId);
  if (batch) return batch;
  throw new RefusedError('not_found', messageFor('failure.noSuchBatch'), messageFor('remedy.chooseOther'));
}

export function requireUnarchivedBatch(batches: BatchStore, { id, name }: Pick<Batch, 'id' | 'name'>): void {
  if (!batches.isArchived(id)) return;
  throw new RefusedError(
    'batch_archived',
    messageFor('failure.batchArchived', { batch: name }),
    messageFor('remedy.unarchiveBatch'),
  );
}
