import { setTimeout as wait } from 'node:timers/promises';

export interface DemoClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects when the signal aborts first. */
  sleep(ms: number, options?: { signal?: AbortSignal }): Promise<void>;
}

export const realClock: DemoClock = {
  now: () => Date.now(),
  sleep: async (ms, options) => {
    await wait(ms, undefined, options);
  },
};
