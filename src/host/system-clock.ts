import type { Clock } from '../engine/base/ports.ts';

/** Node's timers end at once when asked for more than this, ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, options) {
    for (let left = ms; ; left -= LONGEST_TIMER_MS) {
      await oneTimer(Math.min(left, LONGEST_TIMER_MS), options?.signal);
      if (left <= LONGEST_TIMER_MS) return;
    }
  },
};

/**
 * A timer of ours, since every answered request cuts short the sleep that would have been its timeout: the one of
 * `timers/promises` makes an AbortError with its stack each time, which nobody reads.
 */
function oneTimer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const cutShort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', cutShort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', cutShort, { once: true });
  });
}
