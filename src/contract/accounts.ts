import type { NamedAccount, Settings, SettingsChange } from './settings.ts';

/**
 * An account is a name, an address and a key, with prices, limits and a cap of its own. The first one is described by
 * the settings themselves, the others by `settings.accounts`. The database keeps for each project the service that its
 * requests go to: null for the first account, `account:ID` for another one, any other name for a built-in service.
 */
export interface AccountSummary {
  /** Null for the first one. */
  readonly id: string | null;
  readonly name: string;
  readonly baseUrl: string;
}

const PREFIX = 'account:';

export const serviceOfAccount = (id: string | null): string | null => (id === null ? null : `${PREFIX}${id}`);

/** The id of an account's service; null for the first one. Not for a built-in service: see {@link isAccount}. */
export const accountOfService = (service: string | null): string | null => service?.slice(PREFIX.length) ?? null;

/** False for a built-in service, which costs nothing. */
export const isAccount = (service: string | null): boolean => service === null || service.startsWith(PREFIX);

export const accountsIn = ({ accountName, baseUrl, accounts }: Settings): AccountSummary[] => [
  { id: null, name: accountName, baseUrl },
  ...accounts.map(({ id, name, baseUrl: address }) => ({ id, name, baseUrl: address })),
];

export const accountWithId = (settings: Settings, id: string | null): AccountSummary | undefined =>
  accountsIn(settings).find((account) => account.id === id);

/** The account of a service; undefined for a built-in one, and for one that was removed. */
export const accountOn = (settings: Settings, service: string | null): AccountSummary | undefined =>
  isAccount(service) ? accountWithId(settings, accountOfService(service)) : undefined;

export const accountNamed = (settings: Settings, name: string): AccountSummary | undefined =>
  accountsIn(settings).find((account) => isSameName(account.name, name));

export const isSameName = (one: string, other: string): boolean => folded(one) === folded(other);
const folded = (name: string): string => name.trim().normalize('NFC').toLowerCase();

/** The settings as they hold for a service: with address, prices and limits of its account. A built-in one is free. */
export function settingsOn(settings: Settings, service: string | null): Settings {
  if (service === null) return settings;
  if (!isAccount(service)) return { ...settings, prices: [{ model: '*', per: 'take', price: 0 }] };
  const account = settings.accounts.find(({ id }) => id === accountOfService(service));
  if (!account) return { ...settings, baseUrl: '', prices: [] };
  const { baseUrl, prices, concurrency, maxRate } = account;
  return { ...settings, baseUrl, prices, concurrency, maxRate };
}

/** The settings with a change to one account; the first one where `id` is null. */
export function withAccount(
  settings: Settings,
  id: string | null,
  change: Partial<Pick<NamedAccount, 'name' | 'baseUrl' | 'prices' | 'concurrency' | 'maxRate'>>,
): Settings {
  if (id !== null) {
    const accounts = settings.accounts.map((account) => (account.id === id ? { ...account, ...change } : account));
    return { ...settings, accounts };
  }
  const { name = settings.accountName, ...others } = change;
  return { ...settings, ...others, accountName: name };
}

/** A change of what each account has of its own: as of the settings, with its name. */
export type AccountChange = Pick<SettingsChange, 'baseUrl' | 'prices' | 'concurrency' | 'maxRate'> & {
  readonly name?: string;
};

/** A change to one account as one of the settings, which have all others as they are. */
export function changeOfAccount(
  { accounts }: Settings,
  id: string | null,
  { name, ...change }: AccountChange,
): SettingsChange {
  if (id === null) return { ...change, ...(name !== undefined && { accountName: name }) };
  return {
    accounts: accounts.map((account) => {
      if (account.id !== id) return account;
      const concurrency = { ...account.concurrency, ...change.concurrency };
      const maxRate = { ...account.maxRate, ...change.maxRate };
      return { ...account, ...change, ...(name !== undefined && { name }), concurrency, maxRate } as NamedAccount;
    }),
  };
}
