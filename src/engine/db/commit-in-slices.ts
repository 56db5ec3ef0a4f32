import { setImmediate } from 'node:timers/promises';
import { STRETCH_MS } from '../base/slices.ts';
import type { BatchStore } from './batch-store.ts';

/**
 * Writes something for each item, a commit a slice, and lets everything else have its turn in between. The commits are
 * not synced: the batch is marked as unfinished before, and the commit that takes the mark away makes all of it durable.
 */
export async function commitInSlices<Item>(
  batches: BatchStore,
  items: readonly Item[],
  write: (item: Item) => void,
  signal?: AbortSignal,
): Promise<void> {
  for (let next = 0; next < items.length;) {
    batches.inUnsyncedCommit(() => {
      const start = performance.now();
      for (; next < items.length && performance.now() - start < STRETCH_MS; next += 1) write(items[next] as Item);
    });
    signal?.throwIfAborted();
    await setImmediate();
    if (!batches.isLogLong) continue;
    batches.emptyLog();
    await setImmediate();
  }
}
