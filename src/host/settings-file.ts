import { messageFor, type Message, type MessageKey, type Text } from '../contract/messages/message.ts';
import { wholePath } from '../engine/files/existing-paths.ts';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import { accountsIn, isSameName, withAccount } from '../contract/accounts.ts';
import { JsonObject, type Json } from '../contract/json.ts';
import { Settings, type SettingsChange } from '../contract/settings.ts';
import { toSettingsFile } from './data-folder.ts';
import { parseServiceAddress } from '../engine/api/address.ts';
import { templateProblem } from '../engine/downloads/take-path.ts';
import { toText, systemCode, refused } from '../engine/base/errors.ts';
import { messageAddress } from './messages/secrets.ts';

/** Names the key in `config` commands. It is no setting: it never lies in this file. */
export const KEY_NAME = 'apiKey';

/** The settings of a data folder; defaults where none were set. Throws RefusedError when the file is unusable. */
export function readSettings(dataFolder: string): Settings {
  return checked(readRaw(dataFolder), toSettingsFile(dataFolder));
}

/** Changes or resets (null) settings; the file keeps unknown ones. Throws RefusedError, with nothing changed. */
function changeSettings(dataFolder: string, change: Values): void {
  const changed = merged(readRaw(dataFolder), tidied(change));
  checked(changed);
  writeWhole(toSettingsFile(dataFolder), `${JSON.stringify(changed, null, 2)}\n`);
}

export function changeSetting(dataFolder: string, name: SettingName, text: string | null): void {
  const value = text === null ? null : valueFor(name, text);
  changeSettings(dataFolder, changeFor(name, value));
}

/** The settings that each account has of its own. */
export const ofAccounts = /^(baseUrl|prices|concurrency\.\w+|maxRate\.\w+)$/;

/** Changes a setting of one account (null: the first). Throws RefusedError, also for one that all accounts share. */
export function changeAccountSetting(
  dataFolder: string,
  id: string | null,
  name: SettingName,
  text: string | null,
): void {
  if (!ofAccounts.test(name)) throw refused('shared_setting', messageFor('failure.sharedSetting', { name }));
  if (id === null) return changeSetting(dataFolder, name, text);
  const value = text === null ? valueAt(defaults, name) : valueFor(name, text);
  const { accounts } = readSettings(dataFolder);
  changeAccounts(
    dataFolder,
    accounts.map((account) => (account.id === id ? merged(account, changeFor(name, value as Json)) : account)),
  );
}

/** Throws RefusedError, with nothing changed. `first`: settings of the first account. */
export const changeAccounts = (dataFolder: string, accounts: readonly unknown[], first: Values = {}): void =>
  changeSettings(dataFolder, { ...first, accounts });

/** Throws RefusedError when that change would be refused. */
export const checkAccounts = (dataFolder: string, accounts: readonly unknown[], first: Values = {}): void =>
  void checked(merged(readRaw(dataFolder), tidied({ ...first, accounts })));

const changedSettings = (settings: Settings, change: SettingsChange): Settings =>
  checked(merged(settings, tidied(change)));

function toVersion(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found ? [found.ino, found.mtimeNs, found.size].join() : '';
}

type Values = Readonly<Record<string, unknown>>;

const isGroup = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function merged(raw: Values, change: Values): Values {
  const result = new Map(Object.entries(raw));
  for (const [name, value] of Object.entries(change)) {
    const before = result.get(name);
    if (value === null) result.delete(name);
    else if (isGroup(value)) result.set(name, merged(isGroup(before) ? before : {}, value));
    else if (value !== undefined) result.set(name, value);
  }
  return Object.fromEntries(result);
}

/** Addresses and folders in their stored form. Throws RefusedError for a bad one, and for a broken name template. */
function tidied(change: Values): Values {
  const { baseUrl, nameTemplate } = change;
  for (const name of receivers) {
    const address = valueAt(change, name);
    if (typeof address === 'string' && address !== '') messageAddress(address);
  }
  if (typeof nameTemplate === 'string') checkTemplate(nameTemplate);
  const folders = folderSettings.flatMap((name) => {
    const folder = change[name];
    return typeof folder === 'string' && folder !== '' ? [[name, madeFolder(folder)]] : [];
  });
  const address = typeof baseUrl === 'string' && baseUrl !== '' && { baseUrl: parseServiceAddress(baseUrl).base };
  const accounts = Array.isArray(change['accounts']) && { accounts: change['accounts'].map(withTidyAddress) };
  return { ...change, ...address, ...accounts, ...Object.fromEntries(folders) };
}

const withTidyAddress = (account: unknown): unknown =>
  isGroup(account) && typeof account['baseUrl'] === 'string'
    ? { ...account, baseUrl: parseServiceAddress(account['baseUrl']).base }
    : account;

/** Dotted: `concurrency.submit`. Only names in `settingNames` are made. */
export type SettingName = string;

const defaults = Settings.parse({});

export const settingNames: readonly SettingName[] = namesIn(defaults);

function namesIn(group: Values): SettingName[] {
  return Object.entries(group).flatMap(([name, value]) =>
    isGroup(value) ? namesIn(value).map((leaf) => `${name}.${leaf}`) : [name],
  );
}

/** The setting a person means: `base-url`, `BaseURL` and `baseUrl` are one. Throws RefusedError. */
export function settingNamed(text: string): SettingName | typeof KEY_NAME {
  const found = [...settingNames, KEY_NAME].find((name) => folded(name) === folded(text));
  if (found !== undefined) return found;
  throw refused('no_setting', messageFor('failure.noSuchSetting', { name: text }));
}

const folded = (name: string) => name.toLowerCase().replace(/[-_ ]/g, '');

export function settingText(settings: Settings, name: SettingName): string {
  const value = valueAt(settings, name);
  return Array.isArray(value) ? JSON.stringify(value) : String(value);
}

function valueAt(settings: object, name: SettingName): unknown {
  return name
    .split('.')
    .reduce<unknown>((value, part) => Object.entries(value ?? {}).find(([key]) => key === part)?.[1], settings);
}

const changeFor = (name: SettingName, value: Json): Values =>
  name.split('.').reduceRight<Json>((inner, part) => ({ [part]: inner }), value) as Values;

function valueFor(name: SettingName, text: string): Json {
  const usual = valueAt(defaults, name);
  if (typeof usual === 'string') return text;
  if (typeof usual === 'boolean') return booleans.get(text.trim().toLowerCase()) ?? text;
  if (typeof usual === 'number') return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

const booleans = new Map([
  ...['true', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', 'no', 'off'].map((word) => [word, false] as const),
]);

function checkTemplate(template: string): void {
  const problem = templateProblem(template);
  if (problem === null) return;
  throw refused('bad_setting', problem, 'remedy.pairBraces');
}

/** `file`: where they were only read. */
function checked(raw: Values, file?: string): Settings {
  const settings = Settings.safeParse(raw);
  if (settings.success) {
    const names = accountsIn(settings.data).map(({ name }) => name);
    const ids = new Set(settings.data.accounts.map(({ id }) => id));
    if (ids.size < settings.data.accounts.length) throw refused('unfit_setting', 'failure.accountIdTwice');
    const twice = names.find((name, index) => names.some((other, at) => at < index && isSameName(name, other)));
    if (twice === undefined) return settings.data;
    throw refused('unfit_setting', messageFor('failure.accountTwice', { name: twice }));
  }
  const [issue] = settings.error.issues;
  const problem = issue ? issueText(issue, raw) : messageFor('failure.settingsUnfit');
  throw refused(
    'unfit_setting',
    file === undefined ? problem : messageFor('failure.settingsFileUnfit', { file, problem }),
    'remedy.allowedValue',
  );
}

function issueText(issue: z.core.$ZodIssue, raw: Values): Message {
  const name = issue.path.join('.');
  const given = JSON.stringify(valueAt(raw, name) ?? null);
  switch (issue.code) {
    case 'invalid_value':
      return messageFor('failure.settingNotAllowed', { name, allowed: issue.values.map(String), given });
    case 'invalid_type':
      return messageFor('failure.settingOfOtherType', { name, type: issue.expected, given });
    case 'too_small':
      if (issue.origin === 'string') return messageFor('failure.settingEmpty', { name });
      return messageFor('failure.settingTooSmall', {
        ...{ name, least: String(issue.minimum), is: issue.inclusive === true ? 'other' : 'above' },
      });
    case 'too_big':
      return messageFor('failure.settingTooBig', {
        ...{ name, most: String(issue.maximum), of: issue.origin === 'string' ? 'text' : 'number' },
      });
    case 'custom':
      // Our own rules name their text.
      return { key: issue.message as MessageKey, values: { name } };
    default:
      return messageFor('common.namedValue', { name, value: issue.message });
  }
}

function readRaw(dataFolder: string): JsonObject {
  const file = toSettingsFile(dataFolder);
  try {
    return JsonObject.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return {};
    throw refused('settings_file', messageFor('failure.settingsUnreadable', { file, reason: toText(error) }), '', {
      cause: error,
    });
  }
}

/** Replaces a file that only its owner may read, at once: a reader sees the old or the new one, never half of it. */
export function writeWhole(file: string, content: string): void {
  // This call creates it, so that it has its rights before it has content.
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, content, { flag: 'wx', mode: 0o600, flush: true });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw refused(
      'settings_file',
      messageFor('failure.fileNotWritten', { file, reason: toText(error) }),
      'remedy.checkPermissions',
      { cause: error },
    );
  }
}

/** A data folder's settings while an engine works; an address of the command line holds until the window sets one. */
export function settingsStore(dataFolder: string, atStart: Settings) {
  let current = atStart;
  let version = toVersion(toSettingsFile(dataFolder));
  return {
    get: (): Settings => current,
    /** Settings that another program wrote since, else null. Addresses stay with their keys; a bad file is ignored. */
    changedElsewhere(): Settings | null {
      const found = toVersion(toSettingsFile(dataFolder));
      if (found === version) return null;
      version = found;
      try {
        const changed = accountsIn(current).reduce(
          (found, { id, baseUrl }) => withAccount(found, id, { baseUrl }),
          readSettings(dataFolder),
        );
        if (isDeepStrictEqual(changed, current)) return null;
        current = changed;
        return changed;
      } catch {
        // Half of an edit by hand, or a value that is not allowed: `dailies config` says what is wrong.
        return null;
      }
    },
    change(change: SettingsChange): Settings {
      const wanted = changedSettings(current, change);
      changeSettings(dataFolder, change);
      current = wanted;
      return current;
    },
  };
}

const receivers: readonly SettingName[] = ['messages.webhook.url', 'messages.ntfy.url', 'messages.heartbeat.url'];

const folderSettings = ['projectsFolder', 'selectsFolder'] as const;

/** A setting's folder, tidied, and made now so that a dialogue can begin in it. Throws RefusedError. */
function madeFolder(path: string): string {
  const folder = wholePath(path);
  try {
    // An existing one is left alone: some systems refuse any look at the top of a disk.
    if (!isFolder(folder)) mkdirSync(folder, { recursive: true });
    return folder;
  } catch (error) {
    throw refused(
      'bad_folder',
      messageFor('failure.folderNotMade', { folder, reason: toReason(error) }),
      'remedy.chooseOtherFolder',
      { cause: error },
    );
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

const reasons: Readonly<Record<string, Text>> = {
  EEXIST: messageFor('failure.folderHasFile'),
  ENOTDIR: messageFor('failure.folderBehindFile'),
  ENOENT: messageFor('failure.folderNoDisk'),
};

const toReason = (error: unknown): Text => reasons[systemCode(error) ?? ''] ?? toText(error);
