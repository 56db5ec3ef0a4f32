import { accountNamed, accountsIn, serviceOfAccount, type AccountSummary } from '../../contract/accounts.ts';
import { messageFor } from '../../contract/messages/message.ts';
import type { Settings } from '../../contract/settings.ts';
import type { ProjectStore } from '../db/project-store.ts';
import { refused } from '../base/errors.ts';

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

/** Throws RefusedError while a project uses the account. */
export function requireUnused(projects: ProjectStore, { id, name }: Pick<AccountSummary, 'id' | 'name'>): void {
  const users = projects.onService(serviceOfAccount(id)).map((project) => project.name);
  if (users.length === 0) return;
  const text = messageFor('failure.accountInUse', { account: name, count: users.length, projects: users.slice(0, 5) });
  throw refused('account_in_use', text);
}

const namesIn = (settings: Settings): string[] => accountsIn(settings).map(({ name }) => name);
