import { messageFor } from '../../contract/messages/message.ts';
import { NotStartedError, RequestQueue } from '../api/request-queue.ts';
import type { Account, ServiceStore } from '../db/service-store.ts';
import type { Downloader } from '../downloads/download.ts';
import type { DownloadOutcome, DownloadRequest } from '../downloads/outcomes.ts';
import type { Clock } from '../base/ports.ts';

/** The account limits how many requests run and how fast; of a host, only the waits that its 429s ask for count. */
const unlimited = { concurrency: Infinity, maxRate: Infinity };

/** Sends no request to a host before the time in its 429. Only for that host: a result's address can be anyone's. */
export class ResultHosts implements Downloader {
  readonly #downloader: Downloader;
  readonly #store: ServiceStore;
  readonly #clock: Clock;
  readonly #queues = new Map<string, RequestQueue>();

  constructor(downloader: Downloader, store: ServiceStore, clock: Clock) {
    this.#downloader = downloader;
    this.#store = store;
    this.#clock = clock;
  }

  async download(request: DownloadRequest): Promise<DownloadOutcome> {
    if (!URL.canParse(request.url)) return this.#downloader.download(request);
    const { origin } = new URL(request.url);
    const queue = this.#queues.get(origin) ?? this.#newQueue(origin);
    try {
      const outcome = await queue.run(() => this.#downloader.download(request), { patienceMs: 0 });
      if (outcome.type !== 'throttled') return outcome;
      queue.note(outcome);
      queue.save();
      return { ...outcome, retryAfterMs: (queue.heldUntil() ?? 0) - this.#clock.now() };
    } catch (error) {
      if (!(error instanceof NotStartedError) || error.until === null) throw error;
      const complaint = { code: 'http_429', message: messageFor('failure.hostAskedToWait', { host: origin }) };
      return { type: 'throttled', complaint, retryAfterMs: error.until - this.#clock.now() };
    }
  }

  close(): Promise<void> {
    return this.#downloader.close();
  }

  held(): { readonly host: string; readonly until: number }[] {
    return [...this.#queues].flatMap(([host, queue]) => {
      const until = queue.heldUntil();
      return until === null ? [] : [{ host, until }];
    });
  }

  forgetFloors(beyond: number): void {
    for (const queue of this.#queues.values()) queue.forgetFloor(beyond);
  }

  #newQueue(origin: string): RequestQueue {
    const host: Account = { origin, keyFingerprint: '-' };
    const queue = new RequestQueue({
      clock: this.#clock,
      limits: unlimited,
      learned: { rate: Infinity, notBefore: this.#store.rate(host, 'download')?.notBefore ?? null },
      save: ({ notBefore }) => this.#store.saveRate(host, 'download', { rate: 1, notBefore }),
    });
    this.#queues.set(origin, queue);
    return queue;
  }
}
