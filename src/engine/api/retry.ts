import type { Random } from '../base/ports.ts';

const SECONDS = /^\d+(\.\d+)?$/;
/** HTTP dates start with a day's name in all forms. Else `Date.parse` would read `5 apples` as a date in May. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/** A longer wait is the server's mistake: a time since the epoch, milliseconds for seconds, a wrong clock. */
export const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/** A `Retry-After` header, ms from `now`: seconds or a date. Null if unusable or beyond a day; never shortened. */
export function parseRetryAfter(header: string | string[] | undefined, now: number): number | null {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (text === undefined) return null;
  if (SECONDS.test(text)) {
    return bounded(Math.ceil(Number(text) * 1000));
  }
  if (!HTTP_DATE.test(text)) return null;
  // The oldest form has no time zone and means GMT, like the others.
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return bounded(Math.max(0, date - now));
}

const bounded = (ms: number): number | null => (ms <= MAX_RETRY_AFTER_MS ? ms : null);

/** Full jitter: a random wait from 0 to the exponential bound, ms. `attempt` counts from 0. */
export function backoff(attempt: number, random: Random, { base = 1000, cap = 60_000 } = {}): number {
  return random() * Math.min(cap, base * 2 ** attempt);
}
