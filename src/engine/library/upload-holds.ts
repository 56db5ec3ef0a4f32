import { messageFor } from '../../contract/messages/message.ts';
import { nothingUnusual, type StepReport } from '../machine/job-facts.ts';
import { toProblem, type ServiceError } from '../api/errors.ts';
import { AuthenticationError, NoAnswerError, RateLimitError } from '../api/errors.ts';
import { notAskedProblem } from '../api/request-queue.ts';
import { backoff } from '../api/retry.ts';
import type { Account } from '../db/service-store.ts';
import type { Held, LibraryParts } from './library-parts.ts';

/** A request had no usable answer: when to try again, and what that says about the service. `failures` in a row. */
export function heldBy(
  { clients, ports: { clock, random } }: Pick<LibraryParts, 'clients' | 'ports'>,
  account: Account,
  error: ServiceError,
  failures: number,
): Held {
  const now = clock.now();
  const why = error.text;
  if (error instanceof RateLimitError) {
    const until = clients.queues(account).poll.heldUntil() ?? now;
    const wasAsked = error.code !== notAskedProblem.code;
    return { type: 'held', until, report: wasAsked ? { saw: 'answer' } : nothingUnusual, why };
  }
  // Half the backoff is certain, so that a run of bad luck with jitter cannot become a hammer.
  const until = now + Math.ceil(1000 + backoff(failures, random));
  return { type: 'held', until, report: reportOf(error), why };
}

/** The account's key is not known any more: the account is found again when the queue comes back. */
export function keyChanged({ ports: { clock } }: Pick<LibraryParts, 'ports'>): Held {
  return { type: 'held', until: clock.now() + 1000, report: nothingUnusual, why: messageFor('failure.keyChanged') };
}

function reportOf(error: ServiceError): StepReport {
  const { message } = toProblem(error);
  if (error instanceof AuthenticationError) return { saw: 'key_refused', message };
  if (error instanceof NoAnswerError && error.code !== 'stopped') return { saw: 'no_connection', message };
  return nothingUnusual;
}
