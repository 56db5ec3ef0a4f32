import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../engine/ports.ts';

/** Node's timers end at once when asked for more than this, ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, options) {
    const signal = options?.signal;
    for (let left = ms; ; left -= LONGEST_TIMER_MS) {
      try {
        await wait(Math.min(left, LONGEST_TIMER_MS), undefined, signal ? { signal } : {});
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
      if (left <= LONGEST_TIMER_MS) return;
    }
  },
};
