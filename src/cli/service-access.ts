import { createFileLogger } from '../host/log-file.ts';
import { logFileOf, nonEmpty } from '../host/data-folder.ts';
import type { Logger } from '../engine/base/ports.ts';
import { say } from '../contract/messages/words.ts';
import type { Settings } from '../contract/settings.ts';
import { parseServiceAddress } from '../engine/api/address.ts';
import { UsageError } from './exit.ts';
import { type FoundKey, findKey, wrongAddressProblem } from '../host/key.ts';
import { KEY_VARIABLE } from '../host/process-surroundings.ts';
import { type Session, commandLine } from './session.ts';
import { readSettings } from '../host/settings-file.ts';

/** The settings in force: of the data folder, with the address of `--base-url` or `DAILIES_BASE_URL` over its own. */
export function settingsOf(session: Session): Settings {
  const settings = readSettings(session.dataFolder);
  const baseUrl = namedAddress(session);
  return baseUrl === null ? settings : { ...settings, baseUrl };
}

/** The address that this very command was given; null when it goes by the settings. */
export function namedAddress({ shell, options }: Session): string | null {
  const address = options.baseUrl ?? nonEmpty(shell.env['DAILIES_BASE_URL']);
  return address === undefined ? null : parseServiceAddress(address).base;
}

export interface ServiceAccess {
  readonly settings: Settings;
  readonly apiKey: string;
}

/** Throws UsageError, before anything is stored, when address or key is missing. */
export async function serviceAccess(session: Session): Promise<ServiceAccess> {
  const settings = settingsWithAddress(session);
  return { settings, apiKey: (await keyFor(session, settings.baseUrl)).key };
}

/** Throws UsageError when no address is set. */
export function settingsWithAddress(session: Session): Settings {
  const settings = settingsOf(session);
  if (settings.baseUrl !== '') return settings;
  const command = commandLine(session.options, 'config', 'set', 'base-url', 'https://HOST');
  throw new UsageError(say('cli.noAddress'), say('cli.setAddress', { command }));
}

/** Throws UsageError when there is no key, or a kept one of another address. */
export async function keyFor(session: Session, baseUrl: string): Promise<FoundKey> {
  const found = await findKey(session.shell, session.dataFolder);
  if (!found) throw new UsageError(say('cli.noKey'), howToSetKey(session));
  assureKeyAddress(found, baseUrl);
  return found;
}

/** Throws UsageError when a kept key belongs to another address. */
export function assureKeyAddress(key: FoundKey, baseUrl: string): void {
  const problem = wrongAddressProblem(key, baseUrl);
  if (problem === null) return;
  throw new UsageError(problem, say('cli.keyOfOtherAddress', { variable: KEY_VARIABLE }));
}

export function howToSetKey({ options }: Session): string {
  return say('cli.setKey', { command: commandLine(options, 'config', 'set', 'api-key') });
}

/** The log of a session, with the key removed from every line. */
export function loggerOf({ dataFolder }: Session, apiKey: string | null): Logger {
  return createFileLogger(logFileOf(dataFolder), (line) => (apiKey === null ? line : line.replaceAll(apiKey, '[key]')));
}
