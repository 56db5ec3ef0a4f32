/** Time as the demo service sees it. Tests give their own, so that nothing waits for real. */
export interface DemoClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects when the signal aborts first. */
  sleep(ms: number, options?: { signal?: AbortSignal }): Promise<void>;
}
