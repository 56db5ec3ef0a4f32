import type { Gate } from '../../contract/events.ts';
import { scopeName, shareOfMoney, shareOfTakes, type CapState } from '../../contract/ledger.ts';
import { messageFor, type Message } from '../../contract/messages/message.ts';
import type { Capped } from '../db/due-jobs.ts';

/** A batch, project or night whose cap stopped a submit. */
interface Held {
  readonly cap: CapState;
  readonly unpriced: string | undefined;
}

/**
 * The batches, projects or the night whose cap is reached. Nothing of them is sent until a person raises the cap or
 * resumes the queue, or a request that counted turns out not to have been accepted. This class only remembers what a
 * submit found: the check itself is in the transaction of each intent.
 */
export class CapHolds {
  readonly #held = new Map<string, Held>();

  /** A cap stopped a submit. */
  hold(cap: CapState, unpriced: string | undefined): void {
    this.#held.set(scopeName(cap.scope), { cap, unpriced });
  }

  /** Caps or prices changed, or a person resumed the queue: the next submit checks again. */
  clear(): void {
    this.#held.clear();
  }

  get capped(): Capped {
    const scopes = [...this.#held.values()].map(({ cap }) => cap.scope);
    return {
      paid: scopes.some(({ scope }) => scope === 'night'),
      projects: scopes.flatMap((each) => (each.scope === 'project' ? [each.projectId] : [])),
      batches: scopes.flatMap((each) => (each.scope === 'batch' ? [each.batchId] : [])),
    };
  }

  /** Every cap that holds something back, to show to a person. */
  closed(currency: string): Gate[] {
    return [...this.#held.values()].map((held) => ({
      reason: 'cap_reached',
      message: messageOf(held, currency),
      until: null,
      cap: { ...held.cap, unpriced: held.unpriced ?? null },
    }));
  }
}

function messageOf({ cap: state, unpriced }: Held, currency: string): Message {
  const { scope, name, cap } = state;
  const where = { scope: scope.scope, name };
  if (unpriced !== undefined) return messageFor('waiting.capUnpriced', { ...where, model: unpriced });
  const isByTakes = (shareOfTakes(state) ?? 0) > (shareOfMoney(state) ?? -1);
  if (cap.money === null || (cap.takes !== null && isByTakes))
    return messageFor('waiting.capTakes', { ...where, takes: cap.takes ?? 0 });
  return messageFor('waiting.capMoney', { ...where, money: cap.money, currency });
}
