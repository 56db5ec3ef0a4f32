import { isLongWait, type Gate } from '../../contract/events.ts';
import type { Account } from '../db/service-store.ts';
import type { StepContext } from './step-context.ts';

/** The 429s of the service of the settings, and of the hosts of results, that still hold something back. */
export function throttledGates(
  { clients, downloader, jobs }: Pick<StepContext, 'clients' | 'downloader' | 'jobs'>,
  now: number,
): Gate[] {
  const current = clients.currentIfAny();
  const account = (['upload', 'submit', 'poll'] as const).flatMap((step) => {
    const until = current && clients.queues(current)[step].heldUntil();
    return until === null ? [] : [throttledGate('The service', step, until, now)];
  });
  const hosts = downloader.held().map(({ host, until }) => throttledGate(host, 'download from it', until, now));
  return [...account, ...hosts, ...(current ? fullGates({ clients, jobs }, current, now) : [])];
}

/** Models of which a shot waits for a place at the service. */
function fullGates({ clients, jobs }: Pick<StepContext, 'clients' | 'jobs'>, account: Account, now: number): Gate[] {
  return [...clients.ceilings(account).places()].flatMap(([model, { count, nextTryAt }]) => {
    if (nextTryAt <= now || !jobs.hasReady(model)) return [];
    const most = count === 0 ? 'no task' : `at most ${String(count)} ${count === 1 ? 'task' : 'tasks'}`;
    const message = `The service runs ${most} of ${model} at once. The next shot is sent when one ends.`;
    return [{ reason: 'throttled', message, until: nextTryAt }];
  });
}

function throttledGate(who: string, what: string, until: number, now: number): Gate {
  const message = `${who} asked to wait (429) before the next ${what}.`;
  const long = 'That is long: resume the queue to ask again now, which costs nothing.';
  return { reason: 'throttled', message: isLongWait(until - now) ? `${message} ${long}` : message, until };
}
