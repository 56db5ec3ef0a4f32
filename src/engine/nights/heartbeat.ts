/** The clocks are checked every minute; after a longer gap than this, the machine slept, ms. */
const ASLEEP_MS = 3 * 60_000;
/** Clocks are regularly corrected by less than this, ms. */
const SMALL_CHANGE_MS = 30_000;

/** What the clocks said at one check. */
export interface Look {
  /** The clock of the machine, ms since the epoch. */
  readonly wall: number;
  /** Ms since some moment, including the machine's sleep; setting the clock does not change it. */
  readonly steady: number;
}

/** What happened between two checks. */
export interface Gap {
  /** How long the machine slept or paused the process, ms; 0 if it did not. */
  readonly slept: number;
  /** By how much the clock was set to another time, ms; below 0 when it was set back, 0 when it was not. */
  readonly clockBy: number;
}

/** Summer time changes neither clock, so it counts as neither. Pure. */
export function gapBetween(before: Look, now: Look): Gap {
  const passed = Math.max(0, now.steady - before.steady);
  const clockBy = now.wall - before.wall - passed;
  return {
    slept: passed >= ASLEEP_MS ? passed : 0,
    clockBy: Math.abs(clockBy) >= SMALL_CHANGE_MS ? clockBy : 0,
  };
}

/** How long no engine ran though there was work, ms, from the last beat; 0 if it is too short to report. Pure. */
export function timeOff(lastBeat: number, startedAt: number): number {
  const ms = startedAt - lastBeat;
  return ms >= ASLEEP_MS ? ms : 0;
}
