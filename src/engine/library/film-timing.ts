import { perSecond, type Rate, rateFor, reduced } from '../../contract/rate.ts';

interface Timing {
  readonly rate?: Rate;
  readonly isVariable?: true;
}

/** Denominators of rates that people chose; a larger one comes from rounding. */
const MAX_DENOMINATOR = 1001;

/**
 * The rate of a film whose frames begin at `ticks` (whole numbers in order, `resolution` a second). A container rounds
 * each time to its tick: frames that are no further from an even pace have a constant rate. Of others the usual pause
 * gives the nominal one. Nothing for fewer than two frames. Pure.
 */
export function timingOf(ticks: readonly number[], resolution: number): Timing {
  const [first = 0, last = 0] = [ticks[0], ticks.at(-1)];
  const span = last - first;
  if (ticks.length < 2 || span <= 0) return {};
  const pace = span / (ticks.length - 1);
  const isConstant = ticks.every((tick, at) => Math.abs(tick - (first + at * pace)) <= 1);
  if (!isConstant) {
    const usual = medianPause(ticks);
    return { rate: rateFor(resolution / usual, Math.max(TOLERANCE, 1 / usual)), isVariable: true };
  }
  const exact = Number.isInteger(pace) && Number.isInteger(resolution) ? reduced(resolution, pace) : null;
  if (exact && exact.den <= MAX_DENOMINATOR && isRate(exact)) return { rate: exact };
  return { rate: rateFor(resolution / pace, Math.max(TOLERANCE, 1 / span)) };
}

const TOLERANCE = 0.0004;

const isRate = (rate: Rate): boolean => perSecond(rate) >= 0.01 && rate.num <= 10_000_000;

function medianPause(ticks: readonly number[]): number {
  const pauses = ticks.slice(1).map((tick, at) => tick - (ticks[at] ?? 0));
  return Math.max(1, pauses.toSorted((one, other) => one - other)[Math.floor(pauses.length / 2)] ?? 1);
}
