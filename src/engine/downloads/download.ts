import type { Agent } from 'undici';
import type { Clock, Disk, Logger, RoutesTo } from '../base/ports.ts';
import { timeLimit } from '../base/time-limit.ts';
import { reachOfHost, resolveByDns, type Resolve, createResultAgent } from './exchange.ts';
import type { AddressScope } from '../api/address.ts';
import { DownloadRun } from './download-run.ts';
import type { DownloadOutcome, DownloadRequest } from './outcomes.ts';

export interface DownloaderOptions {
  readonly clock: Clock;
  readonly disk: Disk;
  readonly logger: Logger;
  /** No byte for this long ends the try, ms; it is noticed up to ten seconds later. There is no limit on the whole download: a slow one is still one. */
  readonly stallMs?: number;
  /** Bytes a second, over half a minute. */
  readonly slowBelow?: number;
  /** The part is fsynced and its offset handed to `persist` every so many bytes. */
  readonly syncEveryBytes?: number;
  readonly resolve?: Resolve;
  readonly routesTo?: RoutesTo;
}

const STALL_MS = 60_000;
const PACE_WINDOW_MS = 30_000;
/** A line that is merely thin, shared by all downloads of a night, is faster than this. */
const SLOW_BELOW = 1000;
const SYNC_EVERY_BYTES = 16 * 1000 ** 2;
/** One reason for all: making an error for each of thousands of small files costs more than opening them. */
const FINISHED = new Error('The download is over.');

/**
 * Fetches results into `.part` files: resumable, hashed in the same pass, synced before it says `complete`. The
 * service's own address decides where a result may come from; see `mayReach`. `complete` does not check what the file
 * is: when `inspectFile` then refuses a part, delete it and its resume point.
 */
export function createDownloader(options: DownloaderOptions) {
  const { clock } = options;
  const resolve = options.resolve ?? resolveByDns;
  const stallMs = options.stallMs ?? STALL_MS;
  const agents = new Map<AddressScope, Agent>();
  const gone = new AbortController();

  const agentFor = async (origin: string): Promise<Agent> => {
    // A name that cannot be resolved now says nothing: its results may still be at public addresses.
    const reach = await reachOfHost(new URL(origin).hostname, resolve).catch(() => 'public' as const);
    const agent =
      agents.get(reach) ?? createResultAgent(reach, resolve, { routesTo: options.routesTo, gone: gone.signal });
    agents.set(reach, agent);
    return agent;
  };

  return {
    /** Fetches one result into its part. Never throws for anything the network, the server or the disk does. */
    async download(request: DownloadRequest): Promise<DownloadOutcome> {
      const run = new DownloadRun(request, {
        clock,
        disk: options.disk,
        logger: options.logger,
        syncEveryBytes: options.syncEveryBytes ?? SYNC_EVERY_BYTES,
      });
      const finished = new AbortController();
      const watch = watchForStall(clock, stallMs, run, finished.signal);
      const pace = watchPace(clock, options.slowBelow ?? SLOW_BELOW, run, request.onPace, finished.signal);
      try {
        return await run.start(await agentFor(request.service.origin));
      } finally {
        finished.abort(FINISHED);
        await Promise.all([watch, pace]);
      }
    },
    async close(): Promise<void> {
      gone.abort(FINISHED);
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

export type Downloader = ReturnType<typeof createDownloader>;

function watchForStall(clock: Clock, stallMs: number, run: DownloadRun, finished: AbortSignal): Promise<void> {
  return timeLimit(clock, stallMs, finished, () => run.hasHeard()).then(
    () => run.stall(stallMs),
    () => undefined,
  );
}

/** Looks at each half minute how much came in it. What waits for our own disk is not slow. */
async function watchPace(
  clock: Clock,
  slowBelow: number,
  run: DownloadRun,
  onPace: DownloadRequest['onPace'],
  finished: AbortSignal,
): Promise<void> {
  let wasSlow = false;
  for (let before = run.bytesTaken; onPace; before = run.bytesTaken) {
    try {
      await clock.sleep(PACE_WINDOW_MS, { signal: finished });
    } catch {
      if (wasSlow) onPace(false);
      return;
    }
    const bytes = run.bytesTaken - before;
    const isSlow = run.isWaitingForServer && bytes < (slowBelow * PACE_WINDOW_MS) / 1000;
    if (isSlow !== wasSlow) onPace(isSlow);
    wasSlow = isSlow;
  }
}
