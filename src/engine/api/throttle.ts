/**
 * Keeps one class of requests (submit, poll, upload, download) of one account below what the service takes: evenly
 * spaced, slower after each 429 and faster again while all goes well (additive increase, multiplicative decrease).
 * Times are milliseconds since the epoch, rates requests a second. It holds no timer: it says when.
 */
export interface Limiter {
  /** When the next request may be made, ms; not later than `now` when that is now. */
  opensAt(now: number): number;
  /** Takes the right to make one request now, or says when to ask again. */
  tryTake(now: number): { ok: true } | { ok: false; at: number };
  /** The service took a request. */
  onSuccess(now: number): void;
  /** 429. `retryAfterMs` is the service's floor, null when it named none. */
  onThrottled(now: number, retryAfterMs: number | null): void;
  /** Takes a floor that lies beyond a time, ms, for none. */
  forgetFloor(beyond: number): void;
  /** What has to outlive the process: the floor above all. */
  snapshot(): LimiterSnapshot;
}

export interface LimiterSnapshot {
  readonly rate: number;
  /** No request before this, ms. Null when the service has named no floor. */
  readonly notBefore: number | null;
}

/** Slowest rate: one request in half a minute. Slower is for the floor to say. */
const SLOWEST = 1 / 30;
/** Share of the greatest rate that one success adds. */
const INCREASE = 0.02;
/** What comes in within this time of a cut answers requests that left before it: it is no news. */
const OLD_NEWS_MS = 1000;
/** Floor after a 429 that named none, doubled for each further one in a row. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

export function createLimiter(options: { readonly maxRate: number } & Partial<LimiterSnapshot>): Limiter {
  const { maxRate } = options;
  const minRate = Math.min(SLOWEST, maxRate);
  let rate = clamp(options.rate ?? maxRate, minRate, maxRate);
  let notBefore = options.notBefore ?? null;
  let lastTaken: number | null = null;
  let lastCut: number | null = null;
  let throttledInARow = 0;

  const isNews = (now: number): boolean => lastCut === null || now < lastCut || now - lastCut >= OLD_NEWS_MS;

  const opensAt = (now: number): number => {
    // A clock set back would otherwise hold everything until it is again as late as it was.
    if (lastTaken !== null && lastTaken > now) lastTaken = now;
    const spaced = lastTaken === null ? now : Math.ceil(lastTaken + 1000 / rate);
    return Math.max(spaced, notBefore ?? now);
  };

  return {
    opensAt,

    tryTake: (now) => {
      const at = opensAt(now);
      if (now < at) return { ok: false, at };
      lastTaken = now;
      return { ok: true };
    },

    onSuccess: (now) => {
      if (!isNews(now)) return;
      throttledInARow = 0;
      rate = Math.min(maxRate, rate + maxRate * INCREASE);
    },

    onThrottled: (now, retryAfterMs) => {
      if (isNews(now)) {
        lastCut = now;
        rate = Math.max(minRate, rate / 2);
        throttledInARow += 1;
      }
      const pause = retryAfterMs ?? Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (throttledInARow - 1));
      notBefore = Math.max(notBefore ?? 0, now + pause);
    },

    forgetFloor: (beyond) => {
      if (notBefore !== null && notBefore > beyond) notBefore = null;
    },

    snapshot: () => ({ rate, notBefore }),
  };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
