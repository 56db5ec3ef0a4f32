export type Breaker = ReturnType<typeof createBreaker>;

export interface BreakerSnapshot {
  readonly unclear: number;
  /** When the next probe is due; null while submits may go. */
  readonly probeAt: number | null;
  readonly failedProbes: number;
  /** How often it opened without a clear outcome in between. */
  readonly openings: number;
}

const OPENS_AFTER = 5;
const FIRST_PROBE_MS = 5000;
const MAX_PROBE_MS = 60_000;
const MAX_REST_MS = 600_000;
const allWell: BreakerSnapshot = { unclear: 0, probeAt: null, failedProbes: 0, openings: 0 };

/**
 * Stops submits while their answers are unclear: each one might add a paid request that a person has to check. A free
 * GET finds out when the service works again. It has no timer and makes no call. Times are milliseconds since the
 * epoch.
 */
export function createBreaker(snapshot: BreakerSnapshot = allWell) {
  let state = snapshot;
  return {
    /** Whether a submit may go now. If not, a probe is due at `probeAt`. */
    allow: (now: number): { ok: true } | { ok: false; probeAt: number; probeDue: boolean } =>
      state.probeAt === null ? { ok: true } : { ok: false, probeAt: state.probeAt, probeDue: now >= state.probeAt },
    onOutcome: (outcome: 'clear' | 'unclear', now: number): void => {
      state = outcome === 'clear' ? allWell : afterUnclear(state, now);
    },
    onProbe: (answered: boolean, now: number): void => {
      if (state.probeAt !== null) state = answered ? afterAnswer(state) : afterSilence(state, now);
    },
    snapshot: (): BreakerSnapshot => state,
  };
}

function afterUnclear(state: BreakerSnapshot, now: number): BreakerSnapshot {
  const unclear = state.unclear + 1;
  // Submits that were already sent may end while it is open. They do not move the planned probe.
  if (unclear < OPENS_AFTER || state.probeAt !== null) return { ...state, unclear };
  // A service may answer every GET and no POST. So it waits longer each time it opens again. Otherwise all requests of
  // a night could become unknown, a few every five seconds.
  const rest = Math.min(MAX_REST_MS, FIRST_PROBE_MS * 4 ** state.openings);
  return { unclear, probeAt: now + rest, failedProbes: 0, openings: state.openings + 1 };
}

/** Submits may go again, on trial: one more unclear outcome opens it immediately. */
function afterAnswer(state: BreakerSnapshot): BreakerSnapshot {
  return { ...state, unclear: OPENS_AFTER - 1, probeAt: null, failedProbes: 0 };
}

function afterSilence(state: BreakerSnapshot, now: number): BreakerSnapshot {
  const failedProbes = state.failedProbes + 1;
  return { ...state, failedProbes, probeAt: now + Math.min(MAX_PROBE_MS, FIRST_PROBE_MS * 2 ** failedProbes) };
}
