import type { Clock } from '../base/ports.ts';

/** A day at most, so that a clock that jumps cannot make a wait endless, ms. */
const MAX_SLEEP_MS = 86_400_000;

export async function sleepUntil(at: number, clock: Clock, woken: AbortSignal): Promise<void> {
  const ms = Math.min(Math.max(0, at - clock.now()), MAX_SLEEP_MS);
  try {
    await clock.sleep(ms, { signal: woken });
  } catch {
    // Woken early: the caller looks again.
  }
}
