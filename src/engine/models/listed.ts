import type { Account } from '../db/service-store.ts';

/** The models that accounts were last seen to list. Not asked for here: whoever asked the service leaves the answer. */
export class ListedModels {
  readonly #listed = new Map<string, ReadonlySet<string>>();

  saw(account: Account, models: readonly string[]): void {
    this.#listed.set(nameOf(account), new Set(models));
  }

  /** Undefined while it is not known what the account lists. */
  of(account: Account | null): ReadonlySet<string> | undefined {
    return account === null ? undefined : this.#listed.get(nameOf(account));
  }
}

const nameOf = ({ origin, keyFingerprint }: Account): string => `${keyFingerprint} ${origin}`;
