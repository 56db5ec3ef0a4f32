import { isLongWait, type Gate } from '../../contract/events.ts';
import { accountName, type Account } from '../db/service-store.ts';
import type { StepContext } from './step-context.ts';

type Parts = Pick<StepContext, 'clients' | 'downloader' | 'jobs'>;

/** What services and hosts of results hold back by their 429s, for people. */
export function throttledGates(parts: Parts, now: number): Gate[] {
  const { clients, downloader } = parts;
  const hosts = downloader.held().map(({ host, until }) => throttledGate(host, 'download from it', until, now));
  return [...clients.accounts().flatMap((account) => gatesOf(parts, account, now)), ...hosts];
}

/** Of an account that nothing new is sent to, only its tasks can wait. */
function gatesOf({ clients, jobs }: Parts, account: Account, now: number): Gate[] {
  const services = clients.servicesOf(account);
  const hasTasks = jobs.tasksInFlight.accountNames().has(accountName(account));
  const who = services.includes(null) ? 'The service' : `The service at ${account.origin}`;
  const requests = services.length > 0 ? (['upload', 'submit', 'poll'] as const) : hasTasks ? (['poll'] as const) : [];
  const held = requests.flatMap((request) => {
    const until = clients.queues(account)[request].heldUntil();
    return until === null ? [] : [throttledGate(who, request, until, now)];
  });
  const full = [...clients.ceilings(account).places()].flatMap(([model, { count, nextTryAt }]) =>
    nextTryAt > now && services.some((service) => jobs.due.hasReady(model, service))
      ? [fullGate(who, model, count, nextTryAt)]
      : [],
  );
  return [...held, ...full];
}

/** A shot of a model waits for a place at the service. */
function fullGate(who: string, model: string, count: number, until: number): Gate {
  const most = count === 0 ? 'no task' : `at most ${String(count)} ${count === 1 ? 'task' : 'tasks'}`;
  const message = `${who} runs ${most} of ${model} at once. The next shot is sent when one ends.`;
  return { reason: 'throttled', message, until };
}

function throttledGate(who: string, what: string, until: number, now: number): Gate {
  const message = `${who} asked to wait (429) before the next ${what}.`;
  const long = 'To ask again now, at no cost, resume the queue.';
  return { reason: 'throttled', message: isLongWait(until - now) ? `${message} ${long}` : message, until };
}
