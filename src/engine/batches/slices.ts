import { setImmediate } from 'node:timers/promises';
import type { BatchStore } from '../db/batch-store.ts';

/** How long we work at a stretch before others may, ms. Well below the 50 ms at which a window feels stuck. */
const STRETCH_MS = 12;

/** Lets long work on a big list give way in time: call it for every row, and `await` what it returns, if anything. */
export function givingWay(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < STRETCH_MS) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}

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
  }
}
