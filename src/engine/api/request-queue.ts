import { messageFor } from '../../contract/messages/message.ts';
import type { ServiceProblem } from '../machine/failures.ts';
import type { RequestClass, Settings } from '../../contract/settings.ts';
import PQueue from 'p-queue';
import type { Clock } from '../base/ports.ts';
import type { Blame } from '../machine/ceiling.ts';
import type { PollOutcome, SubmitOutcome } from './outcomes.ts';
import { createLimiter, type Limiter, type LimiterSnapshot } from './throttle.ts';

/** One queue for each class of request of one account. */
export type AccountQueues = Readonly<Record<RequestClass, RequestQueue>>;

type Outcome = SubmitOutcome | PollOutcome;
type Throttled = Extract<Outcome, { type: 'throttled' }>;

export interface RequestLimits {
  /** Requests under way at once: a whole number from 1, or Infinity. */
  readonly concurrency: number;
  /** Requests a second. */
  readonly maxRate: number;
}

export interface RunOptions {
  /** Higher goes first; equal ones in the order they came. */
  readonly priority?: number;
  /** Longest wait for the end of a 429's floor, ms; unlimited when absent. The wait for a token is not limited. */
  readonly patienceMs?: number;
  /** Asked just before the work would start: when it says no, the work never starts and takes no token. */
  readonly isWanted?: () => boolean;
  /** Ends the wait, and the slot of what runs. Only for work that this signal ends too. */
  readonly signal?: AbortSignal | undefined;
}

/** Longest wait of a single question for the end of a floor, ms: then it is written down, and asked later. */
export const PATIENCE_MS = 5000;

/** Of a request that was not made, since the floor of an earlier 429 holds. */
export const notAskedProblem: ServiceProblem = {
  httpStatus: 429,
  code: 'not_asked',
  message: messageFor('failure.notAsked'),
};

/** The work was not started, so nothing was sent. `until` is when a 429's floor ends, ms; null for every other reason. */
export class NotStartedError extends Error {
  readonly until: number | null;

  constructor(until: number | null) {
    super('The request was not started.');
    this.until = until;
  }
}

/**
 * One class of requests of one account: so many at once, evenly spaced, and none before the time a 429 named. The
 * concurrency is p-queue's; the limiter says when the next one may start. No timer runs but the clock's.
 *
 * `run` holds a slot for as long as the work takes. A submit's work is its whole step, so that nothing waits between its
 * intent and its first byte.
 */
export class RequestQueue {
  readonly #clock: Clock;
  /** Begins paused: what an earlier process has learned may hold it back. */
  readonly #queue = new PQueue({ autoStart: false });
  readonly #save: (learned: LimiterSnapshot) => void;
  #limits: RequestLimits;
  #limiter: Limiter;
  #apart = 0;
  /** A new floor that is in memory only. */
  #isUnsaved = false;
  #isClosed = false;
  #wake = new AbortController();
  #wakesAt: number | null = null;

  /** `learned` comes from an earlier process; `save` keeps it for the next one, and must not throw. */
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

  /** Runs `work` in its turn. Throws `NotStartedError` when that turn does not come. */
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
          // Only now: what a request came to is written down before the floor it brought.
          if (this.#isUnsaved) this.save();
        }
      };
      try {
        const turn = this.#queue.add(inSlot, { priority, signal });
        this.#runOrWait();
        return await turn;
      } catch (error) {
        // A new floor sends everybody who waits away, to decide once more whether to wait.
        if (started || signal?.aborted === true) throw error;
      }
    }
  }

  /** Notes what the service said to a request. Other outcomes say nothing of how fast it may be asked. `blame` says what a 429 is about. */
  note(
    outcome: Pick<Throttled, 'type' | 'retryAfterMs'> | { readonly type: Exclude<Outcome['type'], 'throttled'> },
    blame: BlameFor = () => 'rate',
  ): void {
    const now = this.#clock.now();
    if (outcome.type === 'accepted' || outcome.type === 'answered' || outcome.type === 'task') {
      this.#limiter.onSuccess(now);
    } else if (outcome.type === 'throttled') {
      const { retryAfterMs } = outcome;
      const refusal = { hurried: this.#limiter.wasHurried(now), pauseMs: retryAfterMs ?? 0 };
      if (blame(refusal) === 'count') this.#limiter.onTooMany(now, retryAfterMs);
      else this.#limiter.onThrottled(now, retryAfterMs);
      this.#isUnsaved = true;
      this.#queue.clear();
      this.#runOrWait();
    }
  }

  /** When the floor of a 429 ends, ms; null when nothing is held back. */
  heldUntil(): number | null {
    const { notBefore } = this.#limiter.snapshot();
    return notBefore !== null && notBefore > this.#clock.now() ? notBefore : null;
  }

  /** Takes a floor that lies beyond a time, ms, for none. */
  forgetFloor(beyond: number): void {
    this.#limiter.forgetFloor(beyond);
    this.#runOrWait();
  }

  /** Requests a second that may start now. */
  get rate(): number {
    return this.#limiter.snapshot().rate;
  }

  /** New limits; what was learned below them is kept. */
  setLimits(limits: RequestLimits): void {
    const { rate, notBefore } = this.#limiter.snapshot();
    // A rate that only our own limit held back goes as fast as the new one allows.
    const learned = rate < this.#limits.maxRate ? { rate } : {};
    if (limits.maxRate !== this.#limits.maxRate) {
      this.#limiter = createLimiter({ maxRate: limits.maxRate, notBefore, ...learned });
    }
    this.#limits = limits;
    this.#applyConcurrency();
    this.#runOrWait();
  }

  /** How many of those that run take no place from others. */
  setApart(count: number): void {
    this.#apart = count;
    this.#applyConcurrency();
  }

  /** Starts nothing more; resolves when all that runs has ended. */
  async drain(): Promise<void> {
    this.#isClosed = true;
    this.#queue.clear();
    this.#sleepUntil(null);
    await this.#queue.onIdle();
  }

  /** Keeps what was learned for the next process. */
  save(): void {
    this.#isUnsaved = false;
    this.#save(this.#limiter.snapshot());
  }

  #applyConcurrency(): void {
    this.#queue.concurrency = this.#limits.concurrency + this.#apart;
  }

  /** Runs while there is a token, and sleeps until the next one while something waits for it. */
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

/** Ends a sleep, without making an error for each. */
const over = Symbol('over');

/** See `Ceiling.onThrottled`. */
type BlameFor = (refusal: { readonly hurried: boolean; readonly pauseMs: number }) => Blame;

export function queuesOf(queueOf: (requests: RequestClass) => RequestQueue): AccountQueues {
  return {
    submit: queueOf('submit'),
    poll: queueOf('poll'),
    download: queueOf('download'),
    upload: queueOf('upload'),
  };
}

/** Queues under the settings' limits, for a process that learns and keeps nothing. */
export const queuesUnder = (settings: Settings, clock: Clock): AccountQueues =>
  queuesOf((requests) => new RequestQueue({ clock, limits: limitsOf(settings, requests) }));

/** Uploads are as hard on the service as submits, and the longest requests: more at once gain nothing. */
const UPLOADS_AT_ONCE = 3;

/** What the settings allow of one class of requests. */
export function limitsOf({ concurrency, maxRate }: Settings, requests: RequestClass): RequestLimits {
  if (requests === 'upload') return { concurrency: UPLOADS_AT_ONCE, maxRate: maxRate.submit };
  return { concurrency: Math.max(1, Math.floor(concurrency[requests])), maxRate: maxRate[requests] };
}
