/** The frame that is shown at a time. A film shows frame n from n / fps on. Pure; `time` in seconds. */
export const frameAt = (time: number, fps: number): number => Math.max(0, Math.floor(time * fps + 0.01));

/** A time well inside a frame: seeking to its very beginning may show the one before. Pure; in seconds. */
export const timeOfFrame = (frame: number, fps: number): number => (Math.max(0, frame) + 0.5) / fps;

const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');

/** `00:01:02:14`: hours, minutes, seconds and frames, counted without drops, as editors write it. Pure. */
export function timecode(frame: number, fps: number): string {
  const perSecond = Math.max(1, Math.round(fps));
  const seconds = Math.floor(frame / perSecond);
  return [seconds / 3600, (seconds % 3600) / 60, seconds % 60, frame % perSecond].map(two).join(':');
}

/** `1:02.4`: for what has no frames. Pure; `time` in seconds. */
export function toClock(time: number): string {
  const tenths = Math.floor(Math.max(0, time) * 10 + 0.001);
  return `${Math.floor(tenths / 600)}:${two((tenths % 600) / 10)}.${tenths % 10}`;
}

const common = [23.976, 24, 25, 29.97, 30, 48, 50, 59.94, 60, 120] as const;

/** The frame rate meant by the shortest time seen between two frames, in seconds. Pure. */
export function toRate(shortest: number): number {
  const measured = 1 / shortest;
  const nearest = common.reduce((best, each) => (Math.abs(each - measured) < Math.abs(best - measured) ? each : best));
  // Timestamps are rounded to the container's unit; 24 and 23.976 are further apart than that.
  return Math.abs(nearest - measured) / measured < 0.0008 ? nearest : Math.round(measured * 1000) / 1000;
}
