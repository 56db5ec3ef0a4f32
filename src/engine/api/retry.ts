import type { Clock } from '../ports.ts';

/** A number in [0, 1), like `Math.random`. Given in, so that tests decide it. */
export type Random = () => number;

const SECONDS = /^\d+(\.\d+)?$/;
/** HTTP dates begin with a day's name in all three forms. Without the check, `Date.parse` takes `5 apples` for May. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/**
 * How long a `Retry-After` header asks us to wait, ms from `now`: seconds (whole or not) or an HTTP date. Null when it
 * says nothing usable. Never capped: it is the service's floor.
 */
export function parseRetryAfter(header: string | string[] | undefined, now: number): number | null {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (text === undefined) return null;
  if (SECONDS.test(text)) {
    const ms = Math.ceil(Number(text) * 1000);
    return Number.isFinite(ms) ? ms : null;
  }
  if (!HTTP_DATE.test(text)) return null;
  // The oldest form names no zone, and means GMT like the others.
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Full jitter: anywhere between nothing and the exponential bound, ms. `attempt` counts from 0. */
export function backoff(attempt: number, random: Random, { base = 1000, cap = 60_000 } = {}): number {
  return random() * Math.min(cap, base * 2 ** attempt);
}

/** When to look at a task first, ms after it was accepted: half the median its model has taken so far. */
export function firstPollDelay(learnedMedian: number | null): number {
  return learnedMedian === null ? 3000 : Math.max(500, learnedMedian / 2);
}

/** Wait before the poll after the n-th (counted from 0), ms: 3 s x 1.5^n, at most 30 s, each ±20 %. */
export function nextPollDelay(n: number, random: Random): number {
  return Math.min(30_000, 3000 * 1.5 ** n) * (0.8 + 0.4 * random());
}

/** What a failed try says about trying again: null for never, else the least wait in ms. */
export type AskAgain = (error: unknown) => number | null;

/**
 * Asks again for something that costs nothing to ask for: a GET. Never to be used for a POST.
 * Rejects with the last error after `tries`, at once with one that `askAgain` says null to, or with the signal's reason.
 */
export async function retryGet<T>(
  get: () => Promise<T>,
  askAgain: AskAgain,
  options: { clock: Clock; random: Random; tries: number; signal?: AbortSignal | undefined },
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await get();
    } catch (error) {
      const floor = askAgain(error);
      if (floor === null || attempt + 1 >= options.tries) throw error;
      const wait = Math.max(floor, backoff(attempt, options.random));
      await options.clock.sleep(wait, { signal: options.signal });
    }
  }
}
