import { perSecond, type Rate } from '../../../../contract/rate.ts';

/** The frame that is shown at a time. A film shows frame n from n / rate on. Pure; `time` in seconds. */
export const frameAt = (time: number, rate: Rate): number => Math.max(0, Math.floor(time * perSecond(rate) + 0.01));

/** A time well inside a frame: seeking to its very beginning may show the one before. Pure; in seconds. */
export const timeOfFrame = (frame: number, rate: Rate): number => (Math.max(0, frame) + 0.5) / perSecond(rate);

const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');

/** `1:02.4`: for what has no frames. Pure; `time` in seconds. */
export function toClock(time: number): string {
  const tenths = Math.floor(Math.max(0, time) * 10 + 0.001);
  return `${Math.floor(tenths / 600)}:${two((tenths % 600) / 10)}.${tenths % 10}`;
}
