/** Two looks at the clocks lie a minute apart; with a longer gap the machine slept, ms. */
const ASLEEP_MS = 3 * 60_000;
/** Clocks are corrected by less all the time, ms. */
const SMALL_CHANGE_MS = 30_000;

/** What the clocks said at one look. */
export interface Look {
  /** The clock of the machine, ms since the epoch. */
  readonly wall: number;
  /** Ms since some moment, the machine's sleep included; setting the clock does not change it. */
  readonly steady: number;
}

/** What happened between two looks. */
export interface Gap {
  /** How long the machine slept, or held the process, ms; 0 when it did not. */
  readonly slept: number;
  /** By how much the clock was set to another time, ms; below 0 when it was set back, 0 when it was not. */
  readonly clockBy: number;
}

/** Summer time changes neither of the clocks, so it is none of both. Pure. */
export function gapBetween(before: Look, now: Look): Gap {
  const passed = Math.max(0, now.steady - before.steady);
  const clockBy = now.wall - before.wall - passed;
  return {
    slept: passed >= ASLEEP_MS ? passed : 0,
    clockBy: Math.abs(clockBy) >= SMALL_CHANGE_MS ? clockBy : 0,
  };
}

/** How long no engine ran though it had work, by its last sign of life, ms; 0 when that is not worth a word. Pure. */
export function timeOff(lastBeat: number, startedAt: number): number {
  const ms = startedAt - lastBeat;
  return ms >= ASLEEP_MS ? ms : 0;
}
