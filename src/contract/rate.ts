import * as z from 'zod';

/** Frames a second as a fraction, since decimals drift: 23.976 is 24000/1001. */
export const Rate = z.object({ num: z.int().min(1).max(10_000_000), den: z.int().min(1).max(1_000_000) });
export type Rate = z.infer<typeof Rate>;

/** Of a cut whose clips have no rate of their own: stills and slates. */
export const DEFAULT_RATE: Rate = { num: 24, den: 1 };

const ntsc = (whole: number): Rate => ({ num: whole * 1000, den: 1001 });
const COMMON: readonly Rate[] = [
  ...[24, 25, 30, 48, 50, 60, 100, 120].map((whole) => ({ num: whole, den: 1 })),
  ...[24, 30, 48, 60, 120].map(ntsc),
];

export const perSecond = ({ num, den }: Rate): number => num / den;
export const isSameRate = (one: Rate, other: Rate): boolean => one.num * other.den === other.num * one.den;

/** The rate that editors call it by: 24 for 23.976. Pure. */
export const nominal = (rate: Rate): number => Math.max(1, Math.round(perSecond(rate)));

/** Where a frame begins, s. */
export const toSeconds = (frames: number, { num, den }: Rate): number => (frames * den) / num;

/** The frame that begins nearest to a time, s. Pure. */
export const nearestFrame = (seconds: number, { num, den }: Rate): number => Math.round((seconds * num) / den);

/** Frames of one rate in frames of another, none of them begun twice. Pure. */
export const convertFrames = (frames: number, from: Rate, to: Rate): number =>
  isSameRate(from, to) ? frames : Math.round((frames * from.den * to.num) / (from.num * to.den));

/** The rate that a measured one means: a common one within `tolerance`, else with three digits. Pure. */
export function rateFor(measured: number, tolerance = 0.0004): Rate {
  const off = (rate: Rate): number => Math.abs(perSecond(rate) - measured) / measured;
  const nearest = COMMON.reduce((best, each) => (off(each) < off(best) ? each : best));
  return off(nearest) <= tolerance ? nearest : reduced(Math.max(1, Math.round(measured * 1000)), 1000);
}

/** A fraction in its lowest terms. Pure. */
export function reduced(num: number, den: number): Rate {
  let [one, other] = [num, den];
  while (other > 0) [one, other] = [other, one % other];
  return { num: num / one, den: den / one };
}

const two = (value: number): string => String(value).padStart(2, '0');

/**
 * `01:00:02:14`: hours, minutes, seconds and frames, as editors write it. `drop` leaves out the numbers that drop frame
 * timecode (29.97 and 59.94) leaves out, and ends in `;14`. Pure.
 */
export function timecode(frame: number, rate: Rate, { drop = false } = {}): string {
  const whole = nominal(rate);
  const isDrop = drop && rate.den === 1001 && whole % 30 === 0;
  const counted = isDrop ? frame + dropped(frame, whole) : frame;
  const seconds = Math.floor(counted / whole);
  const clock = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
  return `${clock}${isDrop ? ';' : ':'}${two(counted % whole)}`;
}

/** The frame of a timecode, or null for what is none. Pure. */
export function parseTimecode(text: string, rate: Rate): { readonly frame: number; readonly isDrop: boolean } | null {
  const [, hours, minutes, seconds, mark, frames] = /^(\d{1,2}):(\d\d):(\d\d)([:;.])(\d{2,3})$/.exec(text) ?? [];
  if (frames === undefined) return null;
  const whole = nominal(rate);
  const allMinutes = Number(hours) * 60 + Number(minutes);
  const counted = (allMinutes * 60 + Number(seconds)) * whole + Number(frames);
  const isDrop = mark !== ':' && rate.den === 1001 && whole % 30 === 0;
  const left = isDrop ? (whole / 15) * (allMinutes - Math.floor(allMinutes / 10)) : 0;
  return { frame: counted - left, isDrop };
}

/** Numbers left out before a frame: two (of 60: four) each minute but each tenth. */
function dropped(frame: number, whole: number): number {
  const each = whole / 15;
  const inTen = whole * 600 - each * 9;
  const [tens, rest] = [Math.floor(frame / inTen), frame % inTen];
  const minutes = rest < whole * 60 ? 0 : 1 + Math.floor((rest - whole * 60) / (whole * 60 - each));
  return each * (9 * tens + minutes);
}
