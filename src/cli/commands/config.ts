import { say } from '../../contract/messages/words.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { printLine } from '../output/list.ts';
import { isExposed } from '../../engine/api/address.ts';
import { templateWarning } from '../../engine/downloads/take-path.ts';
import { findKey, forgetKey, saveKey } from '../../host/key.ts';
import { plainText } from '../output/text.ts';
import { settingsOf } from '../service-access.ts';
import { printTo, type Session } from '../session.ts';
import { verb, word, type Given } from '../verb.ts';
import {
  changeSetting,
  KEY_NAME,
  readSettings,
  settingNamed,
  settingNames,
  settingText,
} from '../../host/settings-file.ts';
import { canAsk, wholeInput, type Shell } from '../shell.ts';

const SET = [
  word('<NAME>', 'cli.argSettingOrKey'),
  word('[VALUE]', 'cli.argValue'),
  word('--default', 'cli.optDefault'),
  word('--allow-file', 'cli.optKeyFile'),
] as const;

export const verbs = [
  verb('config get', 'cli.helpConfigGet', [word('[NAME]', 'cli.argSetting')], getConfig, { endsAtOnce: true }),
  verb('config set', 'cli.helpConfigSet', SET, setConfig, { endsAtOnce: true }),
];

/** Prints one setting as it applies now, or all. Of the key, it prints only where it is kept. */
async function getConfig(session: Session, { name }: { readonly name?: string }): Promise<ExitStatus> {
  const print = printTo(session);
  const settings = settingsOf(session);
  if (name === undefined) {
    for (const setting of settingNames) print(`${setting} = ${plainText(settingText(settings, setting))}`);
    return printLine(session, `${KEY_NAME}: ${await whereKeyIs(session)}`);
  }
  const setting = settingNamed(name);
  return printLine(
    session,
    setting === KEY_NAME ? await whereKeyIs(session) : plainText(settingText(settings, setting)),
  );
}

async function whereKeyIs({ shell, dataFolder }: Session): Promise<string> {
  const found = await findKey(shell, dataFolder);
  return found ? say('cli.keySet', { place: found.from }) : say('cli.keyNotSet');
}

async function setConfig(session: Session, options: Given<typeof SET>): Promise<ExitStatus> {
  const setting = settingNamed(options.name);
  if (setting === KEY_NAME) return setKey(session, options);
  if ((options.value === undefined) !== (options.default === true)) {
    throw new UsageError(say('cli.giveValue', { setting }), `dailies config set ${setting} VALUE`);
  }
  changeSetting(session.dataFolder, setting, options.value ?? null);
  const now = settingText(readSettings(session.dataFolder), setting);
  const print = printTo(session);
  print(`${setting} = ${plainText(now)}`);
  if (setting === 'baseUrl') warnIfExposed(session, now);
  const warning = setting === 'nameTemplate' ? templateWarning(now) : null;
  if (warning) print(plainText(warning));
  return exitStatus.saved;
}

async function setKey(session: Session, options: Given<typeof SET>): Promise<ExitStatus> {
  const { shell, dataFolder } = session;
  const print = printTo(session);
  if (options.value !== undefined) {
    throw new UsageError(say('cli.keyArgument'), say('cli.keyValueRemedy'));
  }
  if (options.default) {
    await forgetKey(shell, dataFolder);
    return printLine(session, say('cli.keyForgotten'));
  }
  const key = await givenSecret(shell, say('cli.keyQuestion'));
  if (key === '') throw new UsageError(say('cli.noKeyGiven'), say('cli.noKeyGivenRemedy'));
  const { baseUrl } = settingsOf(session);
  const mayUseFile = (file: string) => options.allowFile === true || agreesToFile(shell, file);
  print(say('cli.keyKept', { place: await saveKey(shell, dataFolder, { key, address: baseUrl }, mayUseFile) }));
  print(say('cli.keyFor', { address: plainText(baseUrl) }));
  warnIfExposed(session, baseUrl);
  if (shell.env['DAILIES_API_KEY']) print(say('cli.keyVariableFirst'));
  return exitStatus.saved;
}

function warnIfExposed(session: Session, baseUrl: string): void {
  if (!isExposed(baseUrl)) return;
  printTo(session)(say('cli.exposedAddress'));
}

async function agreesToFile(shell: Shell, file: string): Promise<boolean> {
  if (!canAsk(shell)) return false;
  const questions = await shell.questions();
  return questions.confirm(say('cli.keyFileQuestion', { file }));
}

/** Keys are short; a large file on standard input is a mistake. */
const LONGEST_INPUT = 64 * 1024;

/** Typed without echo, or from standard input. */
export async function givenSecret(shell: Shell, question: string): Promise<string> {
  if (canAsk(shell)) return (await (await shell.questions()).secret(question)).trim();
  const tooLong = new UsageError(say('cli.keyTooLong'), say('cli.keyTooLongRemedy'));
  return (await wholeInput(shell.stdin, LONGEST_INPUT, tooLong)).toString('utf8').trim();
}
