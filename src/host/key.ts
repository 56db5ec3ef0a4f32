import * as z from 'zod';
import { type Message, messageFor, type Text } from '../contract/messages/message.ts';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode, toText, refused, RefusedError } from '../engine/base/errors.ts';
import { nonEmpty } from './data-folder.ts';
import { KEY_VARIABLE, type Environment } from './process-environment.ts';
import { writeWhole } from './settings-file.ts';
import { accountsIn, accountWithId, type AccountSummary } from '../contract/accounts.ts';
import type { Settings } from '../contract/settings.ts';
import type { KeyState } from '../contract/procedures.ts';
import { keyFingerprint } from '../engine/api/address.ts';
import { parsedJson } from '../contract/json.ts';

type Machine = Pick<Environment, 'env' | 'platform' | 'keychain'>;

/** Keychain entry and file of an account's key are called so. */
const keyName = (accountId: string | null) => (accountId === null ? 'api-key' : `api-key-${accountId}`);
const keyFile = (dataFolder: string, accountId: string | null) => join(dataFolder, keyName(accountId));

/** Whose key is meant. */
export interface KeyOf {
  /** Null: the first account. */
  readonly accountId: string | null;
  /** `DAILIES_API_KEY` is the key of another account, or of none in particular. */
  readonly keptOnly?: boolean;
}

const OF_FIRST: KeyOf = { accountId: null };

/**
 * The key of an account: from `DAILIES_API_KEY`, else the system keychain, else the file the user agreed to. Throws
 * RefusedError for a key that must not be used.
 */
export async function findKey(
  machine: Machine,
  dataFolder: string,
  { accountId, keptOnly = false }: KeyOf = OF_FIRST,
): Promise<FoundKey | null> {
  const variable = keptOnly ? undefined : nonEmpty(machine.env[KEY_VARIABLE]);
  if (variable !== undefined) return { key: checkedKey(variable, KEY_VARIABLE), from: KEY_VARIABLE, keptFor: null };
  const stored = await fromKeychain(machine, accountId);
  const inKeychain = stored === null ? null : foundIn(stored, KEYCHAIN);
  if (inKeychain) return inKeychain;
  const file = keyFile(dataFolder, accountId);
  return foundIn(fromFile(machine, file), file);
}

/** The key in a kept text; null where it names no address, and so may go nowhere. */
function foundIn(text: string, from: Text): FoundKey | null {
  const { data: kept } = Kept.safeParse(parsedJson(text));
  return kept ? { key: checkedKey(kept.key, from), from, keptFor: kept.address } : null;
}

async function fromKeychain(machine: Machine, accountId: string | null): Promise<string | null> {
  try {
    return await (await machine.keychain(keyName(accountId))).getPassword();
  } catch {
    // No keychain on this machine, or a locked one: the file may still be there.
    return null;
  }
}

function fromFile(machine: Machine, file: string): string {
  try {
    const mode = statSync(file).mode & 0o777;
    // Windows has no such bits; there the user's own folder keeps others out.
    if (machine.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw refused('key_file', messageFor('failure.keyFileOpen', { file, mode: mode.toString(8) }));
    }
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    if (error instanceof RefusedError) throw error;
    throw refused(
      'key_file',
      messageFor('failure.keyFileUnreadable', { file, reason: toText(error) }),
      'remedy.checkPermissions',
      { cause: error },
    );
  }
}

/** A key travels in a header: what no header may carry was pasted wrongly. Its text is never repeated. */
function checkedKey(key: string, place?: Text): string {
  if (/^[\x21-\x7E]+$/.test(key)) return key;
  throw refused(
    'bad_key',
    place === undefined ? messageFor('failure.keyCharacters') : messageFor('failure.keyUnusable', { place }),
    'remedy.copyKeyAgain',
  );
}

/**
 * Keeps the key for its address: in the system keychain, or where there is none and the person agrees, in a file only they can read.
 * Returns where, for people. Throws RefusedError.
 */
export async function saveKey(
  machine: Machine,
  dataFolder: string,
  {
    key: given,
    address,
    accountId = null,
  }: { readonly key: string; readonly address: string; accountId?: string | null },
  mayUseFile: (file: string) => boolean | Promise<boolean>,
): Promise<Text> {
  const key = checkedKey(given.trim());
  if (address === '') {
    throw refused('no_address', 'failure.keyWithoutAddress', 'remedy.setAddressFirst');
  }
  const text = keptText(key, address);
  const file = keyFile(dataFolder, accountId);
  try {
    await (await machine.keychain(keyName(accountId))).setPassword(text);
    // A key that an earlier time without a keychain left behind.
    rmSync(file, { force: true });
    return KEYCHAIN;
  } catch (error) {
    if (!(await mayUseFile(file))) {
      throw refused('key_not_kept', 'failure.noKeychain', 'remedy.agreeToKeyFile', {
        cause: error,
      });
    }
    writeWhole(file, `${text}\n`);
    return file;
  }
}

export async function forgetKey(machine: Machine, dataFolder: string, accountId: string | null = null): Promise<void> {
  rmSync(keyFile(dataFolder, accountId), { force: true });
  if ((await fromKeychain(machine, accountId)) !== null) {
    await (await machine.keychain(keyName(accountId))).deletePassword();
  }
}

type ServedKey = Awaited<ReturnType<typeof keyStore>>;

/**
 * The key while the window is served: a new one applies from the next request on, to the present address and no other.
 */
async function keyStore(machine: Environment, dataFolder: string, baseUrl: () => string, of: KeyOf = OF_FIRST) {
  const { accountId } = of;
  let found = await findKey(machine, dataFolder, of);
  // A window may change the address. A key of the environment was given for the first one.
  let given = '';
  const otherThanGiven = (): string | null => {
    const wanted = baseUrl();
    given ||= wanted;
    return wanted === '' || wanted === given ? null : given;
  };
  otherThanGiven();
  const otherAddress = (): string | null => {
    if (found?.from === KEY_VARIABLE) return otherThanGiven();
    return found && otherAddressFor(found, baseUrl());
  };
  const current = (): string | null => (found && otherAddress() === null ? found.key : null);
  const state = (): z.infer<typeof KeyState> => {
    const keptFor = otherAddress();
    return keptFor === null ? toState(found) : { ...toState(found), keptFor };
  };
  return {
    current,
    state,
    fingerprint(): string | null {
      const key = current();
      return key === null ? null : keyFingerprint(key);
    },
    async set(key: string, allowFile: boolean): Promise<z.infer<typeof KeyState>> {
      checkIsOurs(found);
      await saveKey(machine, dataFolder, { key, address: baseUrl(), accountId }, () => allowFile);
      found = await findKey(machine, dataFolder, of);
      return state();
    },
    async forget(): Promise<z.infer<typeof KeyState>> {
      checkIsOurs(found);
      await forgetKey(machine, dataFolder, accountId);
      found = await findKey(machine, dataFolder, of);
      return state();
    },
  };
}

/** The key that a command was started with, or none. While the command runs it goes to the address of that moment alone. */
function keyOfCommand(key: string | null, baseUrl: () => string = () => ''): ServedKey {
  const given = baseUrl();
  const current = (): string | null => (baseUrl() === given ? key : null);
  const refuse = () => Promise.reject(new Error('unchangeable'));
  return {
    current,
    state: () => ({ present: key !== null, from: 'none' }),
    fingerprint(): string | null {
      const own = current();
      return own === null ? null : keyFingerprint(own);
    },
    set: refuse,
    forget: refuse,
  };
}

/**
 * The keys that an engine may use: of a command, for its account, beside those that are kept; `none`; or each as it is kept,
 * where `DAILIES_API_KEY` is that of `variableOf` (undefined: of the only account, or of nobody).
 */
export type KeysOfEngine =
  | { readonly accountId: string | null; readonly key: string }
  | 'none'
  | { readonly kept: true; readonly variableOf?: string | null | undefined };

/** The key of each account while an engine runs. What is not the key of a command is read where it is kept. */
export async function accountKeys(
  machine: Environment,
  dataFolder: string,
  settings: () => Settings,
  wanted: KeysOfEngine,
) {
  const known = new Map<string | null, ServedKey>();
  const none = keyOfCommand(null);
  const make = async ({ id: accountId }: AccountSummary): Promise<ServedKey> => {
    const baseUrl = (): string => accountWithId(settings(), accountId)?.baseUrl ?? '';
    if (wanted === 'none') return none;
    if ('key' in wanted && wanted.accountId === accountId) return keyOfCommand(wanted.key, baseUrl);
    // With several accounts, a key of the environment belongs to none of them unless a command says which.
    const isVariables = 'kept' in wanted && wanted.variableOf === accountId;
    return keyStore(machine, dataFolder, baseUrl, {
      accountId,
      keptOnly: settings().accounts.length > 0 && !isVariables,
    });
  };
  /** Call this when accounts may have come or gone. */
  async function refresh(): Promise<void> {
    const accounts = accountsIn(settings());
    for (const id of known.keys()) if (!accounts.some((account) => account.id === id)) known.delete(id);
    for (const account of accounts) {
      if (known.has(account.id)) continue;
      // One whose key cannot be read has none: the others go on.
      const found = account.id === null ? await make(account) : await make(account).catch(() => none);
      known.set(account.id, found);
    }
  }
  await refresh();
  return {
    refresh,
    of: (accountId: string | null = null): ServedKey => known.get(accountId) ?? none,
    /** Every key that is known, for what must not be logged. */
    all: (): string[] => [...known.values()].flatMap((key) => key.current() ?? []),
  };
}

/** A key of the environment is nothing that a window could change. Throws RefusedError. */
function checkIsOurs(found: FoundKey | null): void {
  if (found?.from !== KEY_VARIABLE) return;
  throw refused('key_in_environment', messageFor('failure.keyInEnvironment', { variable: KEY_VARIABLE }));
}

function toState(found: FoundKey | null): z.infer<typeof KeyState> {
  if (!found) return { present: false, from: 'none' };
  if (found.from === KEY_VARIABLE) return { present: true, from: 'environment' };
  return { present: true, from: found.from === KEYCHAIN ? 'keychain' : 'file' };
}

/** Where a key lies that neither the environment nor a file holds. */
const KEYCHAIN: Text = messageFor('settings.systemKeychain');

export interface FoundKey {
  readonly key: string;
  readonly from: Text;
  /** The one address it may go to; null for one of the environment. */
  readonly keptFor: string | null;
}

const Kept = z.object({ key: z.string(), address: z.string() });

/** The text under which a key is kept: it names its address itself, since a keychain outlives every data folder. */
export const keptText = (key: string, address: string): string =>
  JSON.stringify({ key, address } satisfies z.infer<typeof Kept>);

/**
 * A kept key goes to the address it was set for and to no other: neither a slip of the pen in `--base-url` nor a
 * changed setting sends it elsewhere. Returns why it may not be used, or null.
 */
export function wrongAddressProblem(key: FoundKey, baseUrl: string): Message | null {
  const other = otherAddressFor(key, baseUrl);
  return other === null ? null : messageFor('failure.keyOfOtherAddress', { other, address: baseUrl });
}

/** The address a kept key was set for, when it is not `baseUrl`; null when the key may go there. */
function otherAddressFor({ keptFor }: FoundKey, baseUrl: string): string | null {
  return baseUrl === '' || keptFor === baseUrl ? null : keptFor;
}
