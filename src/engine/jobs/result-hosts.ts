import { createLimiter, type Limiter } from '../api/throttle.ts';
import type { Account, ServiceStore } from '../db/service-store.ts';
import type { Downloader } from '../downloads/outcomes.ts';
import type { Clock } from '../ports.ts';

const NO_KEY = '-';

/** The host of a result, held back apart from the account; null for what is no address. */
const hostOf = (url: string): Account | null =>
  URL.canParse(url) ? { origin: new URL(url).origin, keyFingerprint: NO_KEY } : null;

/**
 * Asks no host again before the time that it named in a 429, whichever take it is for. It holds back nothing but
 * downloads from that host: a result's address is a stranger's text.
 */
export class ResultHosts implements Downloader {
  readonly #downloader: Downloader;
  readonly #store: ServiceStore;
  readonly #clock: Clock;
  /** By origin. Only their floors count: how fast is the account's matter. */
  readonly #limiters = new Map<string, Limiter>();

  constructor(downloader: Downloader, store: ServiceStore, clock: Clock) {
    this.#downloader = downloader;
    this.#store = store;
    this.#clock = clock;
  }

  readonly download: Downloader['download'] = async (request) => {
    const host = hostOf(request.url);
    if (!host) return this.#downloader.download(request);
    const limiter = this.#limiter(host);
    const heldFor = this.#heldFor(limiter);
    if (heldFor > 0) {
      const message = `${host.origin} asked to wait (429).`;
      return { type: 'throttled', complaint: { code: 'http_429', message }, retryAfterMs: heldFor };
    }
    const outcome = await this.#downloader.download(request);
    if (outcome.type !== 'throttled') return outcome;
    limiter.onThrottled(this.#clock.now(), outcome.retryAfterMs);
    this.#store.saveRate(host, 'download', limiter.snapshot());
    return { ...outcome, retryAfterMs: this.#heldFor(limiter) };
  };

  close(): Promise<void> {
    return this.#downloader.close();
  }

  /** Hosts whose floor has not ended, with that end, ms. */
  held(): { readonly host: string; readonly until: number }[] {
    const now = this.#clock.now();
    return [...this.#limiters].flatMap(([host, limiter]) => {
      const heldFor = this.#heldFor(limiter);
      return heldFor > 0 ? [{ host, until: now + heldFor }] : [];
    });
  }

  /** Takes every floor that lies beyond a time, ms, for none. */
  forgetFloors(beyond: number): void {
    for (const limiter of this.#limiters.values()) limiter.forgetFloor(beyond);
  }

  #heldFor(limiter: Limiter): number {
    const now = this.#clock.now();
    return Math.max(0, (limiter.snapshot().notBefore ?? now) - now);
  }

  #limiter(host: Account): Limiter {
    const known = this.#limiters.get(host.origin);
    if (known) return known;
    const limiter = createLimiter({ maxRate: 1, notBefore: this.#store.rate(host, 'download')?.notBefore ?? null });
    this.#limiters.set(host.origin, limiter);
    return limiter;
  }
}
