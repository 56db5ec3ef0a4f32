import { setImmediate } from 'node:timers/promises';
import { STRETCH_MS } from '../base/slices.ts';
import type { BatchStore } from './batch-store.ts';

/**
 * Writes something for each item, one commit for each slice, and gives everything else a turn in between. The commits
 * are not synced: the batch was marked as unfinished before, and the commit that removes the mark makes all of them
 * durable.
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
