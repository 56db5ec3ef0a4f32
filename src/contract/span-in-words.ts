import { say } from './messages/words.ts';
import type { TimeSpan } from './time-span.ts';

const MINUTE = 60_000;

/** A length as exact as it can be known: `2 h 10 min`. */
function roundedLength(ms: number): string {
  const step = ms < 60 * MINUTE ? 1 : ms < 360 * MINUTE ? 5 : 15;
  const minutes = Math.max(1, Math.round(ms / MINUTE / step) * step);
  const hours = Math.floor(minutes / 60);
  return say('time.lengthOf', { days: Math.floor(hours / 24), hours: hours % 24, minutes: minutes % 60 }).trim();
}

/** `2 h 10 min (1 h 40 min – 3 h)`; without the span where it is within what is rounded. */
export function spanInWords({ early, usual, late }: TimeSpan): string {
  if (late < MINUTE) return say('time.seconds', { seconds: Math.max(0, Math.round(usual / 1000)) });
  const [from, length, to] = [early, usual, late].map(roundedLength) as [string, string, string];
  return from === to ? length : say('time.span', { length, from, to });
}
