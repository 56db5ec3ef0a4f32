import { messageFor } from '../../contract/messages/message.ts';
import type { ServiceProblem } from '../machine/failures.ts';
import type { RequestClass, Settings } from '../../contract/settings.ts';
import PQueue from 'p-queue';
import type { Clock } from '../base/ports.ts';
import type { Blame } from '../machine/ceiling.ts';
import type { PollOutcome, SubmitOutcome } from './calls.ts';

export type AccountQueues = Readonly<Record<RequestClass, RequestQueue>>;

type Outcome = SubmitOutcome | PollOutcome;
type Throttled = Extract<Outcome, { type: 'throttled' }>;

export interface RequestLimits {
  /** Requests that run at once: a whole number from 1, or Infinity. */
  readonly concurrency: number;
  /** Requests a second. */
  readonly maxRate: number;
}

export interface RunOptions {
  /** Higher goes first; equal ones go in order of arrival. */
  readonly priority?: number;
  /** The longest wait for the floor of a 429, ms; unlimited if absent. The wait for a token is not limited. */
  readonly patienceMs?: number;
  /** Checked just before the work would start. If false, the work never starts and takes no token. */
  readonly isWanted?: () => boolean;
  /** Ends the wait, and frees the slot of running work. Use it only for work that this signal ends too. */
  readonly signal?: AbortSignal | undefined;
}

/** The longest time a single request waits for a floor, ms. After that it is stored and sent later. */
export const QUEUE_TIMEOUT_MS = 5000;

/** For a request that was not sent because the floor of an earlier 429 still holds. */
export const notAskedProblem: ServiceProblem = {
  httpStatus: 429,
  code: 'not_asked',
  message: messageFor('failure.notAsked'),
};

/** The work was not started, so nothing was sent. `until` is when a 429's floor ends, ms; null for any other reason. */
export class NotStartedError extends Error {
  readonly until: number | null;

  constructor(until: number | null) {
    super('The request was not started.');
    this.until = until;
  }
}

/**
 * One class of requests of one account: limited concurrency, even spacing, and no request before the time that a 429
 * named. p-queue limits the concurrency; the limiter says when the next request may start. Only the clock runs timers.
 *
 * `run` holds a slot while the work runs. The work of a submit is its whole step, so that nothing waits between its
 * intent and its first byte.
 */
export class RequestQueue {
  readonly #clock: Clock;
  /** Starts paused, because what an earlier process learned may still delay requests. */
  readonly #queue = new PQueue({ autoStart: false });
  readonly #save: (learned: LimiterSnapshot) => void;
  #limits: RequestLimits;
  #limiter: Limiter;
  #apart = 0;
  /** True while a new floor is only in memory. */
  #isUnsaved = false;
  #isClosed = false;
  #wake = new AbortController();
  #wakesAt: number | null = null;
  /** A 429 came: other machines with this account wait too. `isCount`: it is about the number of tasks. */
  onThrottled: (answer: {
    readonly retryAfterMs: number;
    readonly isCount: boolean;
    readonly model: string | null;
  }) => void = () => undefined;

  /** `learned` comes from an earlier process. `save` keeps it for the next one and must not throw. */
  constructor(options: {
    readonly clock: Clock;
    readonly limits: RequestLimits;
    readonly learned?: LimiterSnapshot | null;
    readonly save?: (learned: LimiterSnapshot) => void;
  }) {
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#save = options.save ?? (() => undefined);
    this.#limiter = createLimiter({ ...options.learned, maxRate: options.limits.maxRate });
    this.#applyConcurrency();
  }

  /** Runs `work` in its turn. Throws `NotStartedError` if it does not start. */
  async run<Result>(work: () => Promise<Result>, options: RunOptions = {}): Promise<Result> {
    const { priority = 0, patienceMs = Infinity, isWanted = () => true, signal } = options;
    for (;;) {
      const until = this.heldUntil();
      if (this.#isClosed || (until !== null && until - this.#clock.now() > patienceMs))
        throw new NotStartedError(until);
      let started = false;
      const inSlot = async (): Promise<Result> => {
        started = true;
        if (!isWanted()) throw new NotStartedError(null);
        this.#limiter.tryTake(this.#clock.now());
        this.#runOrWait();
        try {
          return await work();
        } finally {
          // Save the floor only now, after the caller has stored the outcome of the request that brought it.
          if (this.#isUnsaved) this.save();
        }
      };
      try {
        const turn = this.#queue.add(inSlot, { priority, signal });
        this.#runOrWait();
        return await turn;
      } catch (error) {
        // A new floor rejects all waiting work, so that each one decides again whether to wait.
        if (started || signal?.aborted === true) throw error;
      }
    }
  }

  /** Notes how the service answered; other outcomes say nothing about the rate. `blame`: what a 429 is about. */
  note(
    outcome: Pick<Throttled, 'type' | 'retryAfterMs'> | { readonly type: Exclude<Outcome['type'], 'throttled'> },
    blame: BlameFor = () => 'rate',
    model: string | null = null,
  ): void {
    const now = this.#clock.now();
    if (outcome.type === 'accepted' || outcome.type === 'answered' || outcome.type === 'task') {
      this.#limiter.onSuccess(now);
    } else if (outcome.type === 'throttled') {
      const { retryAfterMs } = outcome;
      const refusal = { hurried: this.#limiter.wasAtFullRate(now), pauseMs: retryAfterMs ?? 0 };
      const isCount = blame(refusal) === 'count';
      if (isCount) this.#limiter.onTooMany(now, retryAfterMs);
      else this.#limiter.onThrottled(now, retryAfterMs);
      this.#isUnsaved = true;
      this.#queue.clear();
      this.#runOrWait();
      this.onThrottled({ retryAfterMs: (this.heldUntil() ?? now) - now, isCount, model });
    }
  }

  /** Another machine with this account got a 429: begins nothing for so long, and keeps its rate. */
  holdFor(ms: number): void {
    const now = this.#clock.now();
    if ((this.heldUntil() ?? now) >= now + ms) return;
    this.#limiter.onTooMany(now, ms);
    this.#queue.clear();
    this.#runOrWait();
  }

  heldUntil(): number | null {
    const { notBefore } = this.#limiter.snapshot();
    return notBefore !== null && notBefore > this.#clock.now() ? notBefore : null;
  }

  forgetFloor(beyond: number): void {
    this.#limiter.forgetFloor(beyond);
    this.#runOrWait();
  }

  get rate(): number {
    return this.#limiter.snapshot().rate;
  }

  /** Sets new limits and keeps what was learned below them. */
  setLimits(limits: RequestLimits): void {
    const { rate, notBefore } = this.#limiter.snapshot();
    // A rate that only our own limit reduced rises to the new limit.
    const learned = rate < this.#limits.maxRate ? { rate } : {};
    if (limits.maxRate !== this.#limits.maxRate) {
      this.#limiter = createLimiter({ maxRate: limits.maxRate, notBefore, ...learned });
    }
    this.#limits = limits;
    this.#applyConcurrency();
    this.#runOrWait();
  }

  /** How many of the running requests do not count against the concurrency. */
  setApart(count: number): void {
    this.#apart = count;
    this.#applyConcurrency();
  }

  /** Starts nothing more. Resolves when all running work has ended. */
  async drain(): Promise<void> {
    this.#isClosed = true;
    this.#queue.clear();
    this.#sleepUntil(null);
    await this.#queue.onIdle();
  }

  save(): void {
    this.#isUnsaved = false;
    this.#save(this.#limiter.snapshot());
  }

  #applyConcurrency(): void {
    this.#queue.concurrency = this.#limits.concurrency + this.#apart;
  }

  #runOrWait(): void {
    const opensAt = this.#limiter.opensAt(this.#clock.now());
    if (opensAt <= this.#clock.now()) {
      this.#sleepUntil(null);
      this.#queue.start();
    } else {
      this.#queue.pause();
      this.#sleepUntil(this.#queue.size > 0 ? opensAt : null);
    }
  }

  #sleepUntil(at: number | null): void {
    if (at === this.#wakesAt) return;
    this.#wake.abort(over);
    this.#wakesAt = at;
    if (at === null) return;
    this.#wake = new AbortController();
    this.#clock.sleep(at - this.#clock.now(), { signal: this.#wake.signal }).then(
      () => {
        this.#wakesAt = null;
        this.#runOrWait();
      },
      () => undefined,
    );
  }
}

/** Ends a sleep. One shared value, so that no error is created for each. */
const over = Symbol('over');

/** See `Ceiling.onThrottled`. */
type BlameFor = (refusal: { readonly hurried: boolean; readonly pauseMs: number }) => Blame;

export function toQueues(queueOf: (requests: RequestClass) => RequestQueue): AccountQueues {
  return {
    submit: queueOf('submit'),
    poll: queueOf('poll'),
    download: queueOf('download'),
    upload: queueOf('upload'),
  };
}

/** Queues with the limits in the settings, for a process that stores nothing it learns. */
export const queuesUnder = (settings: Settings, clock: Clock): AccountQueues =>
  toQueues((requests) => new RequestQueue({ clock, limits: limitsFor(settings, requests) }));

/** Uploads burden the service like submits and take longest; more at once do not help. */
const UPLOADS_AT_ONCE = 3;

export function limitsFor(
  { concurrency, maxRate }: Pick<Settings, 'concurrency' | 'maxRate'>,
  requests: RequestClass,
): RequestLimits {
  if (requests === 'upload') return { concurrency: UPLOADS_AT_ONCE, maxRate: maxRate.submit };
  return { concurrency: Math.max(1, Math.floor(concurrency[requests])), maxRate: maxRate[requests] };
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
const STALE_429_MS = 1000;
/** A request is hurried if it follows the previous one within this many spaces. */
const HURRIED_SPACES = 2;
/** The floor after a 429 that named none, doubled for each further one in a row. */
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

/**
 * Keeps one class of requests (submit, poll, upload, download) of one account below what the service accepts. It spaces
 * requests evenly, slows down after each 429 and speeds up again after successes (additive increase, multiplicative
 * decrease). It approaches a rate that was refused twice in small, growing steps, so that a lasting limit causes few
 * 429s. Times are milliseconds since the epoch, rates requests a second. It has no timer: it only says when.
 */
export function createLimiter(options: { readonly maxRate: number } & Partial<LimiterSnapshot>) {
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

  const isNews = (now: number): boolean => last429 === null || now < last429 || now - last429 >= STALE_429_MS;
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
    const floor = retryAfterMs ?? Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (throttledInARow - 1));
    notBefore = Math.max(notBefore ?? 0, now + floor);
  };

  const opensAt = (now: number): number => {
    // If the clock was set back, do not wait until it has caught up.
    if (lastTaken !== null && lastTaken > now) lastTaken = now;
    const spaced = lastTaken === null ? now : Math.ceil(lastTaken + 1000 / rate);
    return Math.max(spaced, notBefore ?? now);
  };

  return {
    /** When the next request may be made, ms; `now` or earlier if it may be made now. */
    opensAt,

    /** Takes the right to make one request now, or says when to ask again. */
    tryTake: (now: number): { ok: true } | { ok: false; at: number } => {
      const at = opensAt(now);
      if (now < at) return { ok: false, at };
      lastGap = lastTaken === null ? Infinity : now - lastTaken;
      lastTaken = now;
      return { ok: true };
    },

    onSuccess: (now: number): void => {
      if (!isNews(now)) return;
      throttledInARow = 0;
      speedUp();
    },

    /** A 429. `retryAfterMs` is the wait that the service named, null if it named none. */
    onThrottled: (now: number, retryAfterMs: number | null): void => {
      if (isNews(now)) slowDown();
      pause(now, retryAfterMs);
    },

    /** A 429 that is not about the rate: sets the same floor and keeps the rate. */
    onTooMany: pause,

    /** Whether the refused request was sent as soon as the rate allowed. If not, the 429 is not about the rate. */
    wasAtFullRate: (now: number): boolean => {
      // Requests that were refused together were sent together.
      if (isNews(now)) hurried = throttledInARow === 0 && lastGap < (HURRIED_SPACES * 1000) / rate;
      return hurried;
    },

    forgetFloor: (beyond: number): void => {
      if (notBefore !== null && notBefore > beyond) notBefore = null;
    },

    snapshot: (): LimiterSnapshot => ({ rate, notBefore }),
  };
}

export type Limiter = ReturnType<typeof createLimiter>;

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
