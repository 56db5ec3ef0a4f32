import { messageFor, type Message } from '../../contract/messages/message.ts';
import type { Gate } from '../../contract/events.ts';
import { isFullDatabase, isLockedDatabase } from '../db/open.ts';
import { toText } from '../base/errors.ts';

const RECHECK_MS = 15_000;

/** The pause after the database could not be written for a passing reason: a step's result could not be recorded. */
export class DatabaseBackoff {
  #gate: (Gate & { readonly until: number }) | null = null;

  onError(error: unknown, now: number): void {
    this.#gate = { reason: 'database_rest', message: messageOfTrouble(error), until: now + RECHECK_MS };
  }

  at(now: number): (Gate & { readonly until: number }) | null {
    return this.#gate && this.#gate.until > now ? this.#gate : null;
  }

  closed(now: number): Gate[] {
    const gate = this.at(now);
    return gate ? [gate] : [];
  }

  tryNow(): void {
    this.#gate = null;
  }
}

function messageOfTrouble(error: unknown): Message {
  if (isLockedDatabase(error)) return messageFor('waiting.databaseLocked');
  if (isFullDatabase(error)) return messageFor('waiting.databaseFull');
  return messageFor('waiting.databaseUnwritable', { reason: toText(error) });
}
