/**
 * Keeps one class of requests (submit, poll, upload, download) of one account below what the service accepts. It spaces
 * requests evenly, slows down after each 429 and speeds up again after successes (additive increase, multiplicative
 * decrease). It approaches a rate that was refused twice in small, growing steps, so that a lasting limit causes few
 * 429s. Times are milliseconds since the epoch, rates requests a second. It has no timer: it only says when.
 */
export interface Limiter {
  /** When the next request may be made, ms; `now` or earlier if it may be made now. */
  opensAt(now: number): number;
  /** Takes the right to make one request now, or says when to ask again. */
  tryTake(now: number): { ok: true } | { ok: false; at: number };
  /** The service accepted a request. */
  onSuccess(now: number): void;
  /** A 429. `retryAfterMs` is the wait that the service named, null if it named none. */
  onThrottled(now: number, retryAfterMs: number | null): void;
  /** A 429 that is not about the rate: sets the same floor and keeps the rate. */
  onTooMany(now: number, retryAfterMs: number | null): void;
  /** Whether the refused request was sent as soon as the rate allowed. If not, the 429 is not about the rate. */
  wasHurried(now: number): boolean;
  /** Removes a floor later than `beyond`, ms. */
  forgetFloor(beyond: number): void;
  /** What to keep for the next process, above all the floor. */
  snapshot(): LimiterSnapshot;
}

export interface LimiterSnapshot {
  readonly rate: number;
  /** No request before this, ms. Null if there is no floor. */
  readonly notBefore: number | null;
}

/** The slowest rate: one request in 30 seconds. Only a floor may slow it further. */
const SLOWEST = 1 / 30;
/** The share of the maximum rate that one success adds. */
const INCREASE = 0.02;
/** The share of the rate that a 429 leaves; `SMALL_CUT` for a rate close to one that was refused before. */
const CUT = 0.5;
const SMALL_CUT = 0.75;
/** Above this share of a refused rate, a success adds little: first this share of the rate, then more each time. */
const NEAR = 0.9;
const FIRST_STEP = 0.002;
const STEP_GROWTH = 1.1;
/** Answers within this time after a 429 are for requests sent before it, so they say nothing new. */
const OLD_NEWS_MS = 1000;
/** A request is hurried if it follows the previous one within this many spaces. */
const HURRIED_SPACES = 2;
/** The floor after a 429 that named none, doubled for each further one in a row. */
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
  /** The rate that was refused last. Infinity after a single 429, which may have been chance. */
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
    // If the clock was set back, do not wait until it has caught up.
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
      // Requests that were refused together were sent together.
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
