import { createLimiter, type Limiter } from '../api/throttle.ts';
import type { Account, RequestClass, ServiceStore } from '../db/service-store.ts';

const NO_KEY = '-';

/** The host of a result, paced apart from the account; null for what is no address. */
export const hostOf = (url: string): Account | null =>
  URL.canParse(url) ? { origin: new URL(url).origin, keyFingerprint: NO_KEY } : null;

type MaxRates = Readonly<Record<RequestClass, number>>;

/**
 * How fast each account is asked for what: one limiter per account and class of request, whose floors outlive the
 * process.
 */
export class Pacing {
  readonly #store: ServiceStore;
  #maxRates: MaxRates;
  readonly #limiters = new Map<string, Limiter>();

  constructor(store: ServiceStore, maxRates: MaxRates) {
    this.#store = store;
    this.#maxRates = maxRates;
  }

  /** One request may go now, or not before `at` (ms). */
  take(requests: RequestClass, account: Account, now: number): { ok: true } | { ok: false; at: number } {
    return this.#limiter(requests, account).tryTake(now);
  }

  succeeded(requests: RequestClass, account: Account, now: number): void {
    this.#limiter(requests, account).onSuccess(now);
  }

  /**
   * The service answered 429. The floor is on disk before this returns, so that a restart keeps it too.
   * Returns when the next request of this class may go, ms.
   */
  throttled(requests: RequestClass, account: Account, now: number, retryAfterMs: number | null): number {
    const notBefore = this.slowDown(requests, account, now, retryAfterMs);
    this.keep(requests, account);
    return notBefore;
  }

  /** As `throttled`, for a caller with something more urgent to write down before it calls `keep`. */
  slowDown(requests: RequestClass, account: Account, now: number, retryAfterMs: number | null): number {
    const limiter = this.#limiter(requests, account);
    limiter.onThrottled(now, retryAfterMs);
    return limiter.snapshot().notBefore ?? now;
  }

  keep(requests: RequestClass, account: Account): void {
    this.#store.saveRate(account, requests, this.#limiter(requests, account).snapshot());
  }

  /** Until when an account's class is held back by a 429, ms; null when it is not. */
  heldUntil(requests: RequestClass, account: Account, now: number): number | null {
    const { notBefore } = this.#limiter(requests, account).snapshot();
    return notBefore !== null && notBefore > now ? notBefore : null;
  }

  /** Result hosts that named a floor, with the latest one; see `hostOf`. */
  heldHosts(now: number): { readonly host: string; readonly until: number }[] {
    return [...this.#limiters].flatMap(([name, limiter]) => {
      const [requests, keyFingerprint, origin = ''] = name.split(' ');
      const until = limiter.snapshot().notBefore ?? now;
      return requests === 'download' && keyFingerprint === NO_KEY && until > now ? [{ host: origin, until }] : [];
    });
  }

  /** Takes every floor that lies beyond a time, ms, for none, on disk too: its server is asked again. */
  forgetFloors(beyond: number): void {
    this.#store.forgetFloors(beyond);
    for (const limiter of this.#limiters.values()) limiter.forgetFloor(beyond);
  }

  /** New limits; what was learned below them is kept. */
  setMaxRates(maxRates: MaxRates): void {
    const before = this.#maxRates;
    this.#maxRates = maxRates;
    for (const [name, limiter] of this.#limiters) {
      const requests = name.split(' ')[0] as RequestClass;
      const { rate, notBefore } = limiter.snapshot();
      // A rate that only our own limit held back goes as fast as the new one allows.
      const learned = rate < before[requests] ? { rate } : {};
      this.#limiters.set(name, createLimiter({ maxRate: maxRates[requests], notBefore, ...learned }));
    }
  }

  /** Requests a second allowed now, by class, beside the limits of the settings. */
  rates(account: Account | null): { requests: RequestClass; now: number; limit: number }[] {
    return (['submit', 'poll', 'download', 'upload'] as const).map((requests) => {
      const limit = this.#maxRates[requests];
      return { requests, now: account ? this.#limiter(requests, account).snapshot().rate : limit, limit };
    });
  }

  /** Keeps the learned rates for the next start. */
  save(): void {
    for (const [name, limiter] of this.#limiters) {
      const [requests, keyFingerprint, origin] = name.split(' ') as [RequestClass, string, string];
      this.#store.saveRate({ origin, keyFingerprint }, requests, limiter.snapshot());
    }
  }

  #limiter(requests: RequestClass, account: Account): Limiter {
    // Neither a class, a fingerprint nor an address holds a space.
    const name = `${requests} ${account.keyFingerprint} ${account.origin}`;
    const known = this.#limiters.get(name);
    if (known) return known;
    const maxRate = this.#maxRates[requests];
    const limiter = createLimiter({ maxRate, ...this.#store.rate(account, requests) });
    this.#limiters.set(name, limiter);
    return limiter;
  }
}
