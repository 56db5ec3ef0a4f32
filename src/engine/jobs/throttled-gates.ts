import { isLongWait, type Gate } from '../../contract/events.ts';
import type { StepContext } from './step-context.ts';

/** The 429s of the service of the settings, and of the hosts of results, that still hold something back. */
export function throttledGates(
  { clients, downloader }: Pick<StepContext, 'clients' | 'downloader'>,
  now: number,
): Gate[] {
  const current = clients.currentIfAny();
  const account = (['upload', 'submit', 'poll'] as const).flatMap((step) => {
    const until = current && clients.queues(current)[step].heldUntil();
    return until === null ? [] : [throttledGate('The service', step, until, now)];
  });
  const hosts = downloader.held().map(({ host, until }) => throttledGate(host, 'download from it', until, now));
  return [...account, ...hosts];
}

function throttledGate(who: string, what: string, until: number, now: number): Gate {
  const message = `${who} asked to wait (429) before the next ${what}.`;
  const long = 'That is long: resume the queue to ask again now, which costs nothing.';
  return { reason: 'throttled', message: isLongWait(until - now) ? `${message} ${long}` : message, until };
}
