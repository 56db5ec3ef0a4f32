import { randomUUID } from 'node:crypto';
import { accountsIn, serviceOfAccount } from '../../contract/accounts.ts';
import { t } from '../../contract/messages/words.ts';
import { isExposed, parseServiceAddress } from '../../engine/api/address.ts';
import { accountCalled, requireUnused } from '../../engine/projects/accounts.ts';
import { nightStart } from '../../engine/projects/spending.ts';
import { findKey, forgetKey, saveKey } from '../../host/key.ts';
import { changeAccounts, changeSetting, checkAccounts, readSettings } from '../../host/settings-file.ts';
import { refused } from '../exit.ts';
import { viewDataFolder } from '../look.ts';
import { printList, toColumns } from '../output/list.ts';
import { plainText, shortText, withSmallLetter } from '../output/text.ts';
import { capLine } from '../output/words.ts';
import type { Session } from '../session.ts';
import { JSON_LINES, verb, word, type Given } from '../verb.ts';
import { agreesToFile, givenSecret } from './config.ts';

const ADD = [word('<NAME>', 'cli.argAccount'), word('--allow-file', 'cli.optKeyFile')] as const;
const RENAME = [word('<ACCOUNT>', 'cli.argAccount'), word('<NAME>', 'cli.argNewName')] as const;
const REMOVE = [word('<ACCOUNT>', 'cli.argAccount')] as const;

export const verbs = [
  verb('accounts list', 'cli.helpAccountsList', [JSON_LINES], list),
  verb('accounts add', 'cli.helpAccountsAdd', ADD, add),
  verb('accounts rename', 'cli.helpAccountsRename', RENAME, (session, { account: before, name }) => {
    const { dataFolder, print } = session;
    const settings = readSettings(dataFolder);
    const { id, name: known } = accountCalled(settings, before);
    if (id === null) changeSetting(dataFolder, 'accountName', name);
    else {
      changeAccounts(
        dataFolder,
        settings.accounts.map((account) => (account.id === id ? { ...account, name } : account)),
      );
    }
    print(t('cli.accountRenamed', { before: plainText(known), name: plainText(name) }));
  }),
  verb('accounts remove', 'cli.helpAccountsRemove', REMOVE, async (session, { account: wanted }) => {
    const { dataFolder, print, shell } = session;
    const settings = readSettings(dataFolder);
    const account = accountCalled(settings, wanted);
    if (account.id === null) throw refused('cli.firstAccountStays', { name: account.name });
    viewDataFolder(dataFolder, (view) => requireUnused(view, account));
    changeAccounts(
      dataFolder,
      settings.accounts.filter(({ id }) => id !== account.id),
    );
    await forgetKey(shell, dataFolder, account.id);
    print(t('cli.accountRemoved', { name: plainText(account.name) }));
  }),
];

async function list(session: Session): Promise<void> {
  const { dataFolder, shell } = session;
  const settings = readSettings(dataFolder);
  const accounts = accountsIn(settings);
  const keys = await Promise.all(
    accounts.map(({ id }) => findKey(shell, dataFolder, { accountId: id, keptOnly: accounts.length > 1 })),
  );
  const rows = viewDataFolder(dataFolder, ({ projects, ledger }) => {
    const caps = ledger.caps(nightStart(shell.clock.now()));
    return accounts.map(({ id, name, baseUrl }, index) => ({
      ...{ name, baseUrl, key: keys[index]?.from ?? null },
      projects: projects.onService(serviceOfAccount(id)).map((project) => project.name),
      cap: caps.find(({ scope }) => scope.scope === 'account' && scope.accountId === (id ?? '')) ?? null,
    }));
  });
  printList(session, {
    type: 'account',
    rows,
    object: ({ name, baseUrl, key, projects, cap }) => ({ name, baseUrl, hasKey: key !== null, projects, cap }),
    columns: toColumns('common.account', 'settings.address', 'settings.key', '>place.projects', 'spending.caps'),
    cells: ({ name, baseUrl, key, projects, cap }) => [
      ...[shortText(name, 32), plainText(baseUrl), key === null ? withSmallLetter(t('window.notSet')) : plainText(key)],
      ...[String(projects.length), cap === null ? '' : capLine(cap, settings.currency)],
    ],
  });
}

/** The key is stored before the account, so that an engine that sees the account finds its key. */
async function add(session: Session, { name, allowFile }: Given<typeof ADD>): Promise<void> {
  const { dataFolder, shell, options, print, line } = session;
  if (options.baseUrl === undefined) throw refused('cli.accountAddress', { command: addLine(session, name) });
  const address = parseServiceAddress(options.baseUrl).base;
  const settings = readSettings(dataFolder);
  const isNew = viewDataFolder(dataFolder, ({ projects }) => projects.onService(null).length === 0);
  // An account that is added pays for nothing that was there before.
  const isFirst = isNew && settings.baseUrl === '' && settings.accounts.length === 0;
  const accountId = isFirst ? null : randomUUID().slice(0, 8);
  const first = isFirst ? { accountName: name, baseUrl: address } : {};
  /** Another program may have added some while this one asked for the key. */
  const accounts = () => [
    ...readSettings(dataFolder).accounts,
    ...(isFirst ? [] : [{ id: accountId, name, baseUrl: address }]),
  ];
  checkAccounts(dataFolder, accounts(), first);
  const key = await givenSecret(shell, t('cli.accountKeyQuestion', { name: plainText(name) }));
  if (key !== '') {
    const mayUseFile = (file: string) => allowFile === true || agreesToFile(shell, file);
    await saveKey(shell, dataFolder, { key, address, accountId }, mayUseFile);
  }
  changeAccounts(dataFolder, accounts(), first);
  print(t('cli.accountAdded', { name: plainText(name), address: plainText(address) }));
  if (isExposed(address)) print(t('settings.notEncrypted'));
  if (key === '') print(t('cli.accountKeyLater', { command: line('config', 'set', 'api-key', '--account', name) }));
}

const addLine = ({ line }: Session, name: string): string =>
  line('accounts', 'add', name, '--base-url', 'https://HOST');
