import type { Capabilities } from '../../contract/model.ts';
import { accountName, type Account } from '../db/service-store.ts';

/** The models that an account lists, by id, with what the service says about each. */
export type AccountModels = ReadonlyMap<string, Capabilities>;

export interface ListedModel {
  readonly id: string;
  readonly listed?: Capabilities | undefined;
}

export function accountModelsOf(models: readonly ListedModel[]): AccountModels {
  return new Map(models.map(({ id, listed = {} }) => [id, listed]));
}

/**
 * The models that accounts listed last. It sends nothing: each command that asks the service stores the answer here.
 */
export class ListedModels {
  readonly #listed = new Map<string, AccountModels>();

  saw(account: Account, models: readonly ListedModel[]): void {
    this.#listed.set(accountName(account), accountModelsOf(models));
  }

  /** Undefined while unknown. */
  of(account: Account | null): AccountModels | undefined {
    return account === null ? undefined : this.#listed.get(accountName(account));
  }
}

/**
 * Ids that the service's reference names in full ("CL video line", "NT line", "Images", "Generic tasks"). A person can
 * choose from them while the account's list is not available.
 */
export const modelsNamed: readonly string[] = [
  'vgen-2.0-cl',
  'vgen-2.0-cl-fast',
  'vgen-2.0-cl-mini',
  'vgen-2.0-cl-b-fast',
  'vgen-2.0-cl-b-mini',
  'vgen-2.0-nt',
  'vgen-2.0-nt-fast',
  'vgen-2.0-nt-mini',
];
