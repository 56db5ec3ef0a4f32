import { messageFor } from '../../contract/messages/message.ts';
import { NotStartedError, RequestQueue } from '../api/request-queue.ts';
import type { Account, ServiceStore } from '../db/service-store.ts';
import type { Downloader } from '../downloads/download.ts';
import type { DownloadOutcome, DownloadRequest } from '../downloads/outcomes.ts';
import type { Clock } from '../base/ports.ts';

/** The account limits how many requests run and how fast; of a host, only the waits that its 429s ask for count. */
const unlimited = { concurrency: Infinity, maxRate: Infinity };

/** Sends no request to a host before the time in its 429. Only for that host: a result's address can be anyone's. */
export function createResultHosts(downloader: Downloader, store: ServiceStore, clock: Clock) {
  const queues = new Map<string, RequestQueue>();

  async function download(request: DownloadRequest): Promise<DownloadOutcome> {
    if (!URL.canParse(request.url)) return downloader.download(request);
    const { origin } = new URL(request.url);
    const queue = queues.get(origin) ?? newQueue(origin);
    try {
      const outcome = await queue.run(() => downloader.download(request), { patienceMs: 0 });
      if (outcome.type !== 'throttled') return outcome;
      queue.note(outcome);
      queue.save();
      return { ...outcome, retryAfterMs: (queue.heldUntil() ?? 0) - clock.now() };
    } catch (error) {
      if (!(error instanceof NotStartedError) || error.until === null) throw error;
      const complaint = { code: 'http_429', message: messageFor('failure.hostAskedToWait', { host: origin }) };
      return { type: 'throttled', complaint, retryAfterMs: error.until - clock.now() };
    }
  }

  function held(): { readonly host: string; readonly until: number }[] {
    return [...queues].flatMap(([host, queue]) => {
      const until = queue.heldUntil();
      return until === null ? [] : [{ host, until }];
    });
  }

  function forgetFloors(beyond: number): void {
    for (const queue of queues.values()) queue.forgetFloor(beyond);
  }

  function newQueue(origin: string): RequestQueue {
    const host: Account = { origin, keyFingerprint: '-' };
    const queue = new RequestQueue({
      clock,
      limits: unlimited,
      learned: { rate: Infinity, notBefore: store.rate(host, 'download')?.notBefore ?? null },
      save: ({ notBefore }) => store.saveRate(host, 'download', { rate: 1, notBefore }),
    });
    queues.set(origin, queue);
    return queue;
  }

  return { download, held, forgetFloors, close: () => downloader.close() };
}

export type ResultHosts = ReturnType<typeof createResultHosts>;
