import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from './ports.ts';

/** How often a limit checks that the process runs, ms. */
const BEAT_MS = 10_000;
/** A beat that is later than this shows that the process stood still: SIGSTOP, a closed lid, a blocked thread, ms. */
const STOOD_STILL_MS = 5000;
/** Turns of the event loop in which a whole answer is read from a socket. */
const READING_TURNS = 10;

/**
 * Resolves when `ms` have passed in which the process ran and `isAlive` was never true; rejects with the signal's
 * reason. After a standstill the timers fire before the sockets are read, where a paid answer may wait: the limit then
 * counts again from its start, and it always ends after the sockets were read.
 */
export async function timeLimit(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  isAlive: () => boolean = () => false,
): Promise<void> {
  const steady = (): number => clock.steady?.() ?? clock.now();
  for (let left = ms; left > 0;) {
    const beat = Math.min(left, BEAT_MS);
    const before = steady();
    await clock.sleep(beat, { signal });
    const stoodStill = steady() - before > beat + STOOD_STILL_MS;
    if (beat === left && !stoodStill) await socketsAreRead();
    signal.throwIfAborted();
    left = isAlive() || stoodStill ? ms : left - beat;
  }
}

/** What `work` resolves to, or `late` when that takes longer than `ms`. */
export async function orLate<Result>(clock: Pick<Clock, 'sleep'>, ms: number, work: Promise<Result>, late: Result) {
  const ended = new AbortController();
  const limit = clock.sleep(ms, { signal: ended.signal }).then(
    () => late,
    () => late,
  );
  try {
    return await Promise.race([work, limit]);
  } finally {
    ended.abort();
  }
}

async function socketsAreRead(): Promise<void> {
  for (let turn = 0; turn < READING_TURNS; turn += 1) await nextTurn();
}

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
