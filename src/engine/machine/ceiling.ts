/** Tasks at the service: accepted, and not known to have ended. */
export interface InFlight {
  readonly own: number;
  readonly all: number;
}

/** The cause of a 429 to a submit: the rate, the number of running tasks, or either. */
export type Blame = 'rate' | 'count' | 'either';

export interface CeilingSnapshot extends InFlight {
  /** When one more was last tried or refused. */
  readonly triedAt: number;
  /** From that time to the next try, ms. */
  readonly waitMs: number;
}

const FIRST_WAIT_MS = 30_000;
const MAX_WAIT_MS = 5 * 60_000;
/** A failed try pauses every submit, so tries are that many pauses apart, but no more than an hour. */
const PAUSES_APART = 10;
const HOUR_MS = 3_600_000;
/** After an accepted try: long enough to see which tasks still run. */
const NEXT_LOOK_MS = 3000;
/** After so many accepted tries in a row, there is no ceiling any more. */
const TRIES_TO_FORGET = 3;

/**
 * How many tasks of one model the service runs in parallel, learned from its 429s. A refusal is kept with both counts,
 * and holds back only where both are reached again, so it is right whether the service counts each model separately or
 * all together. At the ceiling, one more is tried now and then, less often after each failed try. Times are
 * milliseconds since the epoch. It has no timer and counts nothing: its caller says how many are in flight.
 */
export function createCeiling(known: CeilingSnapshot | null = null) {
  let ceiling = known;
  /** It comes from a 429 that may have been about the rate: the next submit decides. */
  let isDoubtful = false;
  /** The most tasks that were accepted since the last 429. */
  let most: InFlight = { own: 0, all: 0 };
  /** Accepted tries since the last 429, each with the wait before it. */
  let tries: { readonly acceptedAt: number; readonly waitMs: number }[] = [];

  const forget = (): void => {
    ceiling = null;
    isDoubtful = false;
    tries = [];
  };

  const isReached = ({ own, all }: InFlight): boolean => ceiling !== null && own >= ceiling.own && all >= ceiling.all;

  /** Fewer run than the service has accepted, so the number cannot be too high. */
  const isBelow = (inFlight: InFlight): boolean => {
    const { own, all } = ceiling ?? most;
    // One of them may have ended unnoticed.
    const unseen = isDoubtful ? 1 : 0;
    return inFlight.all === 0 || (inFlight.own < own - unseen && inFlight.all < all - unseen);
  };

  const waitAfterRefusal = (pauseMs: number): number => {
    const first = Math.min(Math.max(FIRST_WAIT_MS, PAUSES_APART * pauseMs), HOUR_MS);
    const isFailedTry = ceiling !== null && !isDoubtful && tries.length === 0;
    return isFailedTry ? Math.min(Math.max(2 * (ceiling?.waitMs ?? 0), first), Math.max(MAX_WAIT_MS, first)) : first;
  };

  return {
    isReached,

    /** When one more is tried at the ceiling, ms. If the clock was set back, the last try is in the future. */
    nextTryAt: (now: number): number => (ceiling === null ? now : Math.min(ceiling.triedAt, now) + ceiling.waitMs),

    /** A submit leaves. `inFlight` counts the submits under way too, without this one. */
    onSent: (inFlight: InFlight, now: number): void => {
      if (!ceiling || !isReached(inFlight)) return;
      // Its answer may be slow: no second try before it.
      const waitMs = isDoubtful ? NEXT_LOOK_MS : Math.max(FIRST_WAIT_MS, ceiling.waitMs);
      ceiling = { ...ceiling, triedAt: now, waitMs };
    },

    onAccepted: (inFlight: InFlight, now: number): void => {
      const own = inFlight.own + 1;
      const all = inFlight.all + 1;
      most = { own: Math.max(most.own, own), all: Math.max(most.all, all) };
      if (!ceiling) return;
      if (!isReached(inFlight)) {
        // Another task has ended since it was sent: the next try decides.
        if (isDoubtful) ceiling = { ...ceiling, waitMs: 0 };
        return;
      }
      tries.push({ acceptedAt: now, waitMs: ceiling.waitMs });
      if (isDoubtful || tries.length === TRIES_TO_FORGET) forget();
      else ceiling = { own, all, triedAt: now, waitMs: NEXT_LOOK_MS };
    },

    /** A task has ended that was last seen running at `lastSeen`, ms. */
    onEnded: (lastSeen: number): void => {
      const index = tries.findLastIndex(({ acceptedAt }) => acceptedAt > lastSeen);
      const [tried] = index < 0 ? [] : tries.splice(index, 1);
      if (!tried || !ceiling) return;
      // The try may have taken the place of that task, and then it proves nothing.
      ceiling = { ...ceiling, own: ceiling.own - 1, all: ceiling.all - 1, waitMs: tried.waitMs };
    },

    /**
     * 429 to a submit while so many others were in flight. `hurried`: it left as soon as the rate allowed.
     * `pauseMs`: how long the limiter sends nothing because of it.
     */
    onThrottled: (
      inFlight: InFlight,
      now: number,
      { hurried, pauseMs }: { hurried: boolean; pauseMs: number },
    ): Blame => {
      const isAboutRate = isBelow(inFlight);
      most = inFlight;
      if (isAboutRate) {
        forget();
        return 'rate';
      }
      const waitMs = waitAfterRefusal(pauseMs);
      isDoubtful = ceiling === null && hurried;
      ceiling = {
        own: Math.min(inFlight.own, ceiling?.own ?? Infinity),
        all: Math.min(inFlight.all, ceiling?.all ?? Infinity),
        triedAt: now,
        waitMs: isDoubtful ? 0 : waitMs,
      };
      tries = [];
      return isDoubtful ? 'either' : 'count';
    },

    /** The state to keep over restarts; null while nothing is learned. */
    snapshot: (): CeilingSnapshot | null => ceiling,
  };
}

export type Ceiling = ReturnType<typeof createCeiling>;
