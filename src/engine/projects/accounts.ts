import { accountNamed, accountsIn, serviceOfAccount, type AccountSummary } from '../../contract/accounts.ts';
import { messageFor } from '../../contract/messages/message.ts';
import type { Settings } from '../../contract/settings.ts';
import type { Stores } from '../db/stores.ts';
import { refused, type RefusedError } from '../base/errors.ts';

/** Throws RefusedError when there is none of that name. */
export function accountCalled(settings: Settings, name: string): AccountSummary {
  const account = accountNamed(settings, name);
  if (account) return account;
  throw refused('unknown_account', messageFor('failure.unknownAccount', { name, names: namesIn(settings) }));
}

/** The account that is meant where none is named. Throws RefusedError where there are several. */
export function onlyAccount(settings: Settings): AccountSummary {
  const [first, ...others] = accountsIn(settings);
  if (first && others.length === 0) return first;
  const text = messageFor('failure.accountNeeded', { names: namesIn(settings) });
  throw refused('account_needed', text, 'remedy.nameAccount');
}

/** What is refused where a project has another account than the wanted one. */
export const otherAccount = (project: string, its: AccountSummary | null, wanted: AccountSummary): RefusedError =>
  refused(
    'other_account',
    messageFor('failure.otherAccount', { project, its: its?.name ?? 'none', account: wanted.name }),
    'remedy.changeAccount',
  );

/** Throws RefusedError while a project uses the account, or a task that it was sent with is followed. */
export function requireUnused(
  { projects, ledger }: Pick<Stores, 'projects' | 'ledger'>,
  { id, name }: Pick<AccountSummary, 'id' | 'name'>,
): void {
  const users = projects.onService(serviceOfAccount(id)).map((project) => project.name);
  const count = ledger.followed(serviceOfAccount(id));
  if (users.length === 0 && count === 0) return;
  if (users.length === 0)
    throw refused('account_in_use', messageFor('failure.accountFollowed', { account: name, count }));
  const text = messageFor('failure.accountInUse', { account: name, count: users.length, projects: users.slice(0, 5) });
  throw refused('account_in_use', text);
}

const namesIn = (settings: Settings): string[] => accountsIn(settings).map(({ name }) => name);
