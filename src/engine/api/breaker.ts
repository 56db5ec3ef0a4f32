/**
 * Stops submits while the service answers them in no clear way: each would leave one more paid request of unknown
 * fate for a person to sort out. A free GET finds out when it is well again. It holds no timer and makes no call.
 * Times are milliseconds since the epoch.
 */
export interface Breaker {
  /** May a submit go now? When not, a probe is due at `probeAt`. */
  allow(now: number): { ok: true } | { ok: false; probeAt: number; probeDue: boolean };
  /**
   * How a submit that was sent ended: `clear` when the service took, refused or throttled it. One that was never sent
   * says nothing here.
   */
  onOutcome(outcome: 'clear' | 'unclear', now: number): void;
  /** How the probe ended. */
  onProbe(answered: boolean, now: number): void;
  snapshot(): BreakerSnapshot;
}

export interface BreakerSnapshot {
  /** Unclear ends in a row. */
  readonly unclear: number;
  /** When the next probe is due while it is open; null while submits may go. */
  readonly probeAt: number | null;
  /** Probes that failed since it opened. */
  readonly failedProbes: number;
  /** How often it opened with no clear end in between. */
  readonly openings: number;
}

const OPENS_AFTER = 5;
const FIRST_PROBE_MS = 5000;
const LONGEST_PROBE_MS = 60_000;
const LONGEST_REST_MS = 600_000;
const allWell: BreakerSnapshot = { unclear: 0, probeAt: null, failedProbes: 0, openings: 0 };

export function createBreaker(snapshot: BreakerSnapshot = allWell): Breaker {
  let state = snapshot;
  return {
    allow: (now) =>
      state.probeAt === null ? { ok: true } : { ok: false, probeAt: state.probeAt, probeDue: now >= state.probeAt },
    onOutcome: (outcome, now) => {
      state = outcome === 'clear' ? allWell : afterUnclear(state, now);
    },
    onProbe: (answered, now) => {
      if (state.probeAt !== null) state = answered ? afterAnswer(state) : afterSilence(state, now);
    },
    snapshot: () => state,
  };
}

function afterUnclear(state: BreakerSnapshot, now: number): BreakerSnapshot {
  const unclear = state.unclear + 1;
  // Submits that were under way when it opened end while it is open: the probe stays when it was planned.
  if (unclear < OPENS_AFTER || state.probeAt !== null) return { ...state, unclear };
  // A service can answer every GET and no POST. Each time it opens again it therefore rests longer, or a night's queue
  // would become unknown five seconds at a time.
  const rest = Math.min(LONGEST_REST_MS, FIRST_PROBE_MS * 4 ** state.openings);
  return { unclear, probeAt: now + rest, failedProbes: 0, openings: state.openings + 1 };
}

/** Submits may go again, on trial: one more unclear end opens it at once. */
function afterAnswer(state: BreakerSnapshot): BreakerSnapshot {
  return { ...state, unclear: OPENS_AFTER - 1, probeAt: null, failedProbes: 0 };
}

function afterSilence(state: BreakerSnapshot, now: number): BreakerSnapshot {
  const failedProbes = state.failedProbes + 1;
  return { ...state, failedProbes, probeAt: now + Math.min(LONGEST_PROBE_MS, FIRST_PROBE_MS * 2 ** failedProbes) };
}
