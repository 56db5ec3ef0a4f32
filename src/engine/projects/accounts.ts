import { accountNamed, accountsIn, type AccountSummary } from '../../contract/accounts.ts';
import { messageFor } from '../../contract/messages/message.ts';
import type { Settings } from '../../contract/settings.ts';
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

const namesIn = (settings: Settings): string[] => accountsIn(settings).map(({ name }) => name);
