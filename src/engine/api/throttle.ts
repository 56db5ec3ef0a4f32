/**
 * Keeps one class of requests (submit, poll, upload, download) of one account below what the service takes: evenly
 * spaced, slower after each 429 and faster again while all goes well (additive increase, multiplicative decrease).
 * A rate that was refused twice is approached in small steps that grow, so that a lasting limit costs few 429s.
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
  /** 429 that is not about the rate: the same floor, and the rate stays. */
  onTooMany(now: number, retryAfterMs: number | null): void;
  /** Whether what was refused now left as soon as the rate allowed. If not, the 429 is not about the rate. */
  wasHurried(now: number): boolean;
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
/** What a 429 leaves of the rate; and of one that was as good as refused before. */
const CUT = 0.5;
const SMALL_CUT = 0.75;
/** From this share of a refused rate on, a success adds little: first this share of the rate, then ever more. */
const NEAR = 0.9;
const FIRST_STEP = 0.002;
const STEP_GROWTH = 1.1;
/** What comes in within this time of a 429 answers requests that left before it: it is no news. */
const OLD_NEWS_MS = 1000;
/** A request that leaves within so many spaces of the one before it is hurried. */
const HURRIED_SPACES = 2;
/** Floor after a 429 that named none, doubled for each further one in a row. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

export function createLimiter(options: { readonly maxRate: number } & Partial<LimiterSnapshot>): Limiter {
  const { maxRate } = options;
  const minRate = Math.min(SLOWEST, maxRate);
  let rate = clamp(options.rate ?? maxRate, minRate, maxRate);
  let notBefore = options.notBefore ?? null;
  let lastTaken: number | null = null;
  let lastGap = Infinity;
  let last429: number | null = null;
  let throttledInARow = 0;
  let hurried = false;
  /** The rate that was refused last. Infinity after one 429 alone, which may have been bad luck. */
  let refused: number | null = null;
  let step = FIRST_STEP;

  const isNews = (now: number): boolean => last429 === null || now < last429 || now - last429 >= OLD_NEWS_MS;
  const isNearRefused = (): boolean => refused !== null && rate >= NEAR * refused;

  const slowDown = (): void => {
    const left = isNearRefused() ? SMALL_CUT : CUT;
    refused = refused === null ? Infinity : rate;
    step = FIRST_STEP;
    rate = Math.max(minRate, rate * left);
  };

  const speedUp = (): void => {
    if (isNearRefused()) {
      rate += rate * step;
      step *= STEP_GROWTH;
    } else {
      rate = Math.min(rate + maxRate * INCREASE, NEAR * (refused ?? Infinity));
    }
    if (rate < maxRate) return;
    rate = maxRate;
    refused = null;
  };

  const pause = (now: number, retryAfterMs: number | null): void => {
    if (isNews(now)) {
      last429 = now;
      throttledInARow += 1;
    }
    const floor = retryAfterMs ?? Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (throttledInARow - 1));
    notBefore = Math.max(notBefore ?? 0, now + floor);
  };

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
      lastGap = lastTaken === null ? Infinity : now - lastTaken;
      lastTaken = now;
      return { ok: true };
    },

    onSuccess: (now) => {
      if (!isNews(now)) return;
      throttledInARow = 0;
      speedUp();
    },

    onThrottled: (now, retryAfterMs) => {
      if (isNews(now)) slowDown();
      pause(now, retryAfterMs);
    },

    onTooMany: pause,

    wasHurried: (now) => {
      // Whatever was refused together left together.
      if (isNews(now)) hurried = throttledInARow === 0 && lastGap < (HURRIED_SPACES * 1000) / rate;
      return hurried;
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
