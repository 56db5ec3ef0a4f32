import type { RequestClass } from '../../contract/settings.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { isLongWait, type Gate } from '../../contract/events.ts';
import { accountKey, type Account } from '../db/service-store.ts';
import type { StepContext } from './step-context.ts';

type Parts = Pick<StepContext, 'clients' | 'downloader' | 'jobs'>;

/** What services and hosts of results hold back by their 429s, to show to a person. */
export function throttledGates(parts: Parts, now: number): Gate[] {
  const { clients, downloader } = parts;
  const hosts = downloader.held().map(({ host, until }) => throttledGate(host, 'download', until, now));
  return [...clients.accounts().flatMap((account) => gatesFor(parts, account, now)), ...hosts];
}

/** Of an account that gets nothing new, only the tasks can wait. */
function gatesFor({ clients, jobs }: Parts, account: Account, now: number): Gate[] {
  const services = clients.servicesOf(account);
  const hasTasks = jobs.tasksInFlight.accountKeys().has(accountKey(account));
  const who = services.includes(null)
    ? messageFor('waiting.service')
    : messageFor('waiting.serviceAt', { address: account.origin });
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

const fullGate = (who: Text, model: string, count: number, until: number): Gate => ({
  reason: 'throttled',
  message: messageFor('waiting.modelFull', { who, model, count }),
  until,
});

function throttledGate(who: Text, request: RequestClass, until: number, now: number): Gate {
  const long = isLongWait(until - now) ? 'yes' : 'no';
  return { reason: 'throttled', message: messageFor('waiting.askedToWait', { who, request, long }), until };
}
