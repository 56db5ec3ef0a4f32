import { Store } from './connection.ts';
import { attemptOf } from '../machine/job-facts.ts';
import type { JobState } from '../../contract/job.ts';
import type { InFlight } from '../machine/ceiling.ts';
import { accountKey, accountOfKey, type Account } from './service-store.ts';

/**
 * Tasks that are followed, by account and model: counted once, then updated with each write. Each claim of submits
 * needs it, and counting ten thousand takes milliseconds.
 */
export class TasksInFlight extends Store {
  #tasks: Map<string, number> | null = null;

  of(account: Account, model: string): InFlight {
    this.#tasks ??= this.#counted();
    let all = 0;
    for (const [name, tasks] of this.#tasks) if (name.startsWith(nameOf(account, ''))) all += tasks;
    return { own: this.#tasks.get(nameOf(account, model)) ?? 0, all };
  }

  /** Names of the accounts that have some; see `accountKey`. */
  accountKeys(): Set<string> {
    this.#tasks ??= this.#counted();
    return new Set([...this.#tasks].flatMap(([name, tasks]) => (tasks > 0 ? [accountKey(accountOfKey(name))] : [])));
  }

  /** A job changed its state. */
  moved(model: string, from: JobState, to: JobState): void {
    if (isFollowed(from) === isFollowed(to)) return;
    const attempt = attemptOf(to) ?? attemptOf(from);
    if (!attempt || !this.#tasks) return;
    const name = nameOf(attempt, model);
    this.#tasks.set(name, (this.#tasks.get(name) ?? 0) + (isFollowed(to) ? 1 : -1));
  }

  /** Counts again at the next call: after other writes, or when none was made. */
  forget(): void {
    this.#tasks = null;
  }

  #counted(): Map<string, number> {
    const rows = this.facts.all<Account & { model: string; tasks: number }>`
      SELECT facts ->> '$.attempt.origin' AS origin, facts ->> '$.attempt.keyFingerprint' AS keyFingerprint, model,
        COUNT(*) AS tasks
      FROM jobs WHERE step = 'poll' AND state <> 'submit_unknown' AND paused IS NULL GROUP BY 1, 2, 3`;
    return new Map(rows.map(({ model, tasks, ...account }) => [nameOf(account, model), tasks]));
  }
}

const isFollowed = ({ state }: JobState): boolean => state === 'accepted' || state === 'polling';

const nameOf = (account: Account, model: string): string => `${accountKey(account)} ${model}`;
