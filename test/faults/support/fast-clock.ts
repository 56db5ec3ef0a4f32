import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../../src/engine/base/ports.ts';

/** How much faster the engine's time goes than real time, so that a poll every three seconds is one every 60 ms. */
const TIMES_FASTER = 50;

/** The same time in every process that is given the same `since` (ms since the epoch). `ahead` is ms of its own time. */
export function fastClock(since: number, ahead = 0): Clock {
  return {
    now: () => Math.round(since + ahead + (performance.timeOrigin + performance.now() - since) * TIMES_FASTER),
    async sleep(ms, { signal } = {}) {
      try {
        // Days pass in minutes here, and a process that has nothing to do is not kept alive by a deadline.
        await wait(Math.max(0, Math.min(ms / TIMES_FASTER, 2 ** 31 - 1)), undefined, signal ? { signal } : {});
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
    },
  };
}
