import { messageFor, type Message, type Text } from '../../contract/messages/message.ts';
import { toText } from '../base/errors.ts';
import { isFullDatabase, isLockedDatabase } from '../db/open.ts';
import type { StepReport } from '../machine/job-facts.ts';
import type { Gate, RunState } from '../../contract/events.ts';
import type { Step } from '../db/job-store.ts';

/** While the service cannot be reached: first wait and longest wait before the next submit, ms. */
const FIRST_REST_MS = 1000;
const MAX_REST_MS = 60_000;

export type Halt = 'key_refused' | 'key_missing' | 'no_credit' | 'database';

/** What each of them stops: fetching results needs no key; an empty account may still ask about tasks it paid for. */
const halts: Readonly<Record<Halt, ReadonlySet<Step>>> = {
  key_refused: new Set(['prepare', 'submit', 'poll']),
  key_missing: new Set(['prepare', 'submit', 'poll']),
  no_credit: new Set(['prepare', 'submit']),
  database: new Set(['prepare', 'submit', 'poll', 'download']),
};

/** What holds back the queue or one kind of step, and why: for people, and for when the scheduler looks again. Pure. */
export class Gates {
  #breaker: Breaker = createBreaker();
  #halted: (Gate & { readonly reason: Halt }) | null = null;
  #pausedByUser = false;
  #unreachable: { readonly tries: number; readonly until: number; readonly message: Text } | null = null;

  note(step: Step, report: StepReport, now: number): void {
    switch (report.saw) {
      case 'answer':
        this.#unreachable = null;
        if (step === 'submit') this.#breaker.onOutcome('clear', now);
        return;
      case 'unclear_answer':
        this.#breaker.onOutcome('unclear', now);
        return;
      case 'no_connection':
        this.#rest(report.message, now);
        return;
      case 'key_refused':
        this.halt('key_refused', messageFor('failure.keyRejected', { reason: report.message }));
        return;
      case 'no_credit':
        this.halt('no_credit', messageFor('waiting.noCredit', { reason: report.message }));
        return;
      default:
      // Not about this service.
    }
  }

  /** Stops every step that `halts` lists for the reason until a person has acted. */
  halt(reason: Halt, message: Text): void {
    // An empty account stops the fewest steps, so any other reason replaces it.
    if (!this.#halted || this.#halted.reason === 'no_credit') this.#halted = { reason, message, until: null };
  }

  setPausedByUser(paused: boolean): void {
    this.#pausedByUser = paused;
    // Resuming after a refused key means that the key was changed.
    if (!paused) this.keyChanged();
  }

  get isPausedByUser(): boolean {
    return this.#pausedByUser;
  }

  /** Another key, or a person resumed the queue. A failed database needs a restart. */
  keyChanged(): void {
    if (this.#halted?.reason !== 'database') this.#halted = null;
    this.#unreachable = null;
  }

  /** The address changed: how the service at the old one answered says nothing about this one. */
  addressChanged(): void {
    this.keyChanged();
    this.#breaker = createBreaker();
  }

  tryNow(now: number): void {
    this.#unreachable = null;
    const { probeAt, ...breaker } = this.#breaker.snapshot();
    if (probeAt !== null) this.#breaker = createBreaker({ ...breaker, probeAt: Math.min(probeAt, now) });
  }

  stops(step: Step, { halts: byHalt = false, pause = false }: HeldBy): boolean {
    if (byHalt && this.#halted && halts[this.#halted.reason].has(step)) return true;
    return pause && this.#pausedByUser && (step === 'submit' || step === 'prepare');
  }

  before(step: Step, now: number): Gate | null {
    if (this.#halted && halts[this.#halted.reason].has(step)) return this.#halted;
    if (step !== 'submit' && step !== 'prepare') return null;
    if (this.#pausedByUser) return { reason: 'paused_by_user', message: messageFor('waiting.paused'), until: null };
    if (this.#unreachable && this.#unreachable.until > now) return this.#unreachableGate(this.#unreachable);
    const allowed = this.#breaker.allow(now);
    if (allowed.ok || step === 'prepare') return null;
    return {
      reason: 'breaker',
      message: messageFor('waiting.noClearAnswers'),
      until: allowed.probeAt,
    };
  }

  probeIsDue(now: number): boolean {
    const allowed = this.#breaker.allow(now);
    return !allowed.ok && allowed.probeDue;
  }

  onProbe(answered: boolean, now: number): void {
    this.#breaker.onProbe(answered, now);
  }

  closed(now: number): Gate[] {
    return (['prepare', 'submit', 'poll', 'download'] as const).flatMap((step) => this.before(step, now) ?? []);
  }

  halted(): (Gate & { readonly reason: Halt }) | null {
    return this.#halted;
  }

  #rest(message: Text, now: number): void {
    // When a connection breaks, several requests fail together: that is one outage.
    if (this.#unreachable && this.#unreachable.until > now) return;
    const tries = (this.#unreachable?.tries ?? 0) + 1;
    const until = now + Math.min(MAX_REST_MS, FIRST_REST_MS * 2 ** (tries - 1));
    this.#unreachable = { tries, until, message };
  }

  #unreachableGate({ message, until }: { message: Text; until: number }): Gate {
    return { reason: 'unreachable', message: messageFor('waiting.unreachable', { reason: message }), until };
  }
}

export type TimedGate = Gate & { readonly until: number };

const DATABASE_PAUSE_MS = 15_000;

/** The pause after the database could not be written for a passing reason: a step's result could not be recorded. */
export function createDatabaseBackoff() {
  let gate: TimedGate | null = null;
  const at = (now: number): TimedGate | null => (gate && gate.until > now ? gate : null);
  return {
    at,
    onError(error: unknown, now: number): void {
      gate = { reason: 'database_rest', message: messageOfTrouble(error), until: now + DATABASE_PAUSE_MS };
    },
    closed: (now: number): Gate[] => [at(now) ?? []].flat(),
    tryNow(): void {
      gate = null;
    },
  };
}

function messageOfTrouble(error: unknown): Message {
  if (isLockedDatabase(error)) return messageFor('waiting.databaseLocked');
  if (isFullDatabase(error)) return messageFor('waiting.databaseFull');
  return messageFor('waiting.databaseUnwritable', { reason: toText(error) });
}

export type Breaker = ReturnType<typeof createBreaker>;

interface BreakerSnapshot {
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
const MAX_PAUSE_MS = 600_000;
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
  const rest = Math.min(MAX_PAUSE_MS, FIRST_PROBE_MS * 4 ** state.openings);
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

export interface HeldBy {
  readonly halts?: boolean;
  readonly pause?: boolean;
  readonly caps?: boolean;
  readonly windows?: boolean;
}

export interface RunFacts {
  readonly isUnderWay: boolean;
  readonly isPaused: boolean;
  readonly halts: readonly { readonly gate: Gate; readonly stopsAny: () => boolean }[];
  readonly caps: readonly Gate[];
  readonly windows: readonly Gate[];
  /** Whether one of them continues by itself, perhaps after a wait, if only these hold them back. */
  readonly canContinue: (heldBy: HeldBy) => boolean;
}

/**
 * Whether some takes are over, or what they wait for: the one answer for commands, windows, messages and the app. A
 * person who can help is named before a time that only has to come. Pure.
 */
export function runState({ isUnderWay, isPaused, halts, caps, windows, canContinue }: RunFacts): RunState {
  if (isUnderWay || canContinue({ halts: true, pause: true, caps: true, windows: true })) return { is: 'going' };
  const halt = halts.find(({ stopsAny }) => stopsAny());
  if (halt) return { is: 'halted', gate: halt.gate };
  if (isPaused && canContinue({ caps: true })) return { is: 'paused' };
  const [cap] = caps;
  if (cap && canContinue({ windows: true })) return { is: 'halted', gate: cap };
  const [window] = windows;
  if (window && canContinue({})) return { is: 'awaiting_window', gate: window };
  return { is: 'over' };
}
