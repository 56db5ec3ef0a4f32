import type { Downloader } from '../downloads/outcomes.ts';
import type { Clock } from '../ports.ts';
import { hostOf, type Pacing } from './pacing.ts';

/**
 * Asks no host again before the time that it named in a 429, whichever take it is for. It holds back nothing but
 * downloads from that host: a result's address is a stranger's text.
 */
export function pacedByHost(downloader: Downloader, pacing: Pacing, clock: Clock): Downloader {
  return {
    download: async (request) => {
      const host = hostOf(request.url);
      const held = host && pacing.heldUntil('download', host, clock.now());
      if (host && held !== null) {
        const message = `${host.origin} asked to wait (429).`;
        return { type: 'throttled', complaint: { code: 'http_429', message }, retryAfterMs: held - clock.now() };
      }
      const outcome = await downloader.download(request);
      if (outcome.type !== 'throttled' || !host) return outcome;
      const until = pacing.throttled('download', host, clock.now(), outcome.retryAfterMs);
      return { ...outcome, retryAfterMs: until - clock.now() };
    },
    close: () => downloader.close(),
  };
}
