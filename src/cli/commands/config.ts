import { serviceOfAccount, settingsOn } from '../../contract/accounts.ts';
import { t } from '../../contract/messages/words.ts';
import { SecretChannel } from '../../contract/night-messages.ts';
import { isExposed } from '../../engine/api/address.ts';
import { toProxies } from '../../engine/api/proxies.ts';
import { DailiesError } from '../../engine/base/errors.ts';
import { templateWarning } from '../../engine/downloads/take-path.ts';
import { forgetKey, saveKey } from '../../host/key.ts';
import { KEY_VARIABLE } from '../../host/process-environment.ts';
import { Channels } from '../../host/messages/channels.ts';
import { sendTest } from '../../host/messages/night-messages.ts';
import { storeSecret } from '../../host/messages/secrets.ts';
import {
  changeAccountSetting,
  changeSetting,
  KEY_NAME,
  ofAccounts,
  readSettings,
  settingNamed,
  settingNames,
  settingText,
} from '../../host/settings-file.ts';
import { exitStatus, refused, UsageError } from '../exit.ts';
import { plainText, withSmallLetter } from '../output/text.ts';
import { accountNeeded, keyIfAny, settingsForAccount, toSettings } from '../service-access.ts';
import type { Session } from '../session.ts';
import { canAsk, wholeInput, type Shell } from '../shell.ts';
import { verb, word, type Given } from '../verb.ts';

const SET = [
  word('<NAME>', 'cli.argSettingOrKey'),
  word('[VALUE]', 'cli.argValue'),
  word('--default', 'cli.optDefault'),
  word('--allow-file', 'cli.optKeyFile'),
] as const;
const CHANNELS = { choices: SecretChannel.options };
const TEST = [word('[CHANNEL]', 'cli.argChannel', CHANNELS)] as const;
const SECRET = [word('<CHANNEL>', 'cli.argChannel', CHANNELS), word('--forget', 'cli.optSecretForget')] as const;
const AT_ONCE = { endsAtOnce: true };
const FIRST = { id: null };

export const verbs = [
  verb('config get', 'cli.helpConfigGet', [word('[NAME]', 'cli.argSettingOrKey')], getConfig, AT_ONCE),
  verb('config set', 'cli.helpConfigSet', SET, setConfig, AT_ONCE),
  verb('messages test', 'cli.helpMessagesTest', TEST, testMessages, AT_ONCE),
  verb('messages secret', 'cli.helpMessagesSecret', SECRET, storeMessageSecret, AT_ONCE),
];

/** Prints one setting as it applies now, or all. Of the key, it prints only where it is kept. */
async function getConfig(session: Session, { name }: { readonly name?: string }): Promise<void> {
  const { print } = session;
  const account = accountNeeded(session);
  const settings = settingsForAccount(session, account);
  const setting = name === undefined ? KEY_NAME : settingNamed(name);
  if (setting !== KEY_NAME) return print(plainText(settingText(settings, setting)));
  const found = await keyIfAny(session, account);
  const where = found ? t('cli.keySet', { place: found.from }) : withSmallLetter(t('window.notSet'));
  if (name !== undefined) return print(where);
  for (const each of settingNames) print(`${each} = ${plainText(settingText(settings, each))}`);
  print(`${KEY_NAME}: ${where}`);
}

async function setConfig(session: Session, options: Given<typeof SET>): Promise<void> {
  const setting = settingNamed(options.name);
  if (setting === KEY_NAME) return setKey(session, options);
  if ((options.value === undefined) !== (options.default === true)) {
    throw new UsageError(t('cli.giveValue', { setting }), `dailies config set ${setting} VALUE`);
  }
  const { dataFolder } = session;
  const isOfAccount = session.options.account !== undefined;
  const account = isOfAccount || ofAccounts.test(setting) ? accountNeeded(session) : FIRST;
  if (isOfAccount) changeAccountSetting(dataFolder, account.id, setting, options.value ?? null);
  else changeSetting(dataFolder, setting, options.value ?? null);
  const now = settingText(settingsOn(readSettings(dataFolder), serviceOfAccount(account.id)), setting);
  session.print(`${setting} = ${plainText(now)}`);
  if (setting === 'baseUrl') warnIfExposed(session, now);
  const warning = setting === 'nameTemplate' ? templateWarning(now) : null;
  if (warning) session.print(plainText(warning));
}

async function setKey(session: Session, options: Given<typeof SET>): Promise<void> {
  const { shell, dataFolder, print } = session;
  if (options.value !== undefined) throw refused('cli.keyArgument');
  const account = accountNeeded(session);
  if (options.default) {
    await forgetKey(shell, dataFolder, account.id);
    return print(t('settings.keyRemoved'));
  }
  const key = await givenSecret(shell, t('cli.keyQuestion'));
  if (key === '') throw refused('cli.noKeyGiven');
  const { baseUrl } = settingsForAccount(session, account);
  const mayUseFile = (file: string) => options.allowFile === true || agreesToFile(shell, file);
  const place = await saveKey(shell, dataFolder, { key, address: baseUrl, accountId: account.id }, mayUseFile);
  print(t('cli.keyKept', { place, address: plainText(baseUrl) }));
  warnIfExposed(session, baseUrl);
  if (shell.env['DAILIES_API_KEY']) print(t('failure.keyInEnvironment', { variable: KEY_VARIABLE }));
}

function warnIfExposed({ print }: Session, baseUrl: string): void {
  if (isExposed(baseUrl)) print(t('settings.notEncrypted'));
}

export async function agreesToFile(shell: Shell, file: string): Promise<boolean> {
  return canAsk(shell) && (await shell.questions()).confirm(t('cli.keyFileQuestion', { file }));
}

/** Keys are short; a large file on standard input is a mistake, bytes. */
const MAX_INPUT = 64 * 1024;

/** Typed without echo, or from standard input. */
export async function givenSecret(shell: Shell, question: string): Promise<string> {
  if (canAsk(shell)) return (await (await shell.questions()).secret(question)).trim();
  return (await wholeInput(shell.stdin, MAX_INPUT, refused('cli.keyTooLong'))).toString('utf8').trim();
}

async function testMessages(session: Session, { channel }: Given<typeof TEST>) {
  const { shell, print } = session;
  const settings = toSettings(session);
  const ways = { machine: shell, settings: () => settings, routesTo: toProxies(shell.env), notify: null };
  const channels = channel === undefined ? new Channels(ways).on() : [channel];
  if (channels.length === 0) throw refused('failure.messageChannelOff', { which: 'all' });
  let hasFailed = false;
  for (const each of channels) {
    try {
      await sendTest(ways, each);
      print(t('common.namedValue', { name: each, value: t('message.testSent') }));
    } catch (error) {
      if (!(error instanceof DailiesError)) throw error;
      print(t('common.namedValue', { name: each, value: plainText(error.text) }));
      hasFailed = true;
    }
  }
  return hasFailed ? exitStatus.failed : exitStatus.saved;
}

/** Stores the secret of a channel in the keychain: typed, or from standard input, never from an argument. */
async function storeMessageSecret({ shell, print }: Session, { channel, forget }: Given<typeof SECRET>): Promise<void> {
  const secret = forget === true ? null : await givenSecret(shell, t('cli.secretQuestion', { channel }));
  await storeSecret(shell, channel, secret);
  print(t('cli.secretStored', { stored: String(secret !== null) }));
}
