import { messageFor, type Message, type Text } from '../contract/messages/message.ts';
import { readFileSync, rmSync } from 'node:fs';
import { parsedJson } from '../contract/json.ts';
import { join } from 'node:path';
import * as z from 'zod';
import { systemCode } from '../engine/base/errors.ts';
import { readSettings } from './settings-file.ts';

/** Where a key lies that neither the environment nor a file holds. */
export const KEYCHAIN: Text = messageFor('settings.systemKeychain');

/** The key, and where it was found, for people. */
export interface FoundKey {
  readonly key: string;
  readonly from: Text;
  /** The one address it may go to; null for one of the environment. */
  readonly keptFor: string | null;
}

/** A key as it is kept, in the keychain or in a file. */
const Kept = z.object({ key: z.string(), address: z.string() });

/** The text under which a key is kept: it names its address itself, since a keychain outlives every data folder. */
export const keptText = (key: string, address: string): string =>
  JSON.stringify({ key, address } satisfies z.infer<typeof Kept>);

/**
 * Reads a stored text. In an earlier release it was the key alone: its address is then the one that this data folder
 * has noted or set, and null without one, so it is used nowhere.
 */
export function readKept(text: string, dataFolder: string): z.infer<typeof Kept> | null {
  const kept = Kept.safeParse(parsedJson(text));
  if (kept.success) return kept.data;
  const address = notedAddress(dataFolder) ?? readSettings(dataFolder).baseUrl;
  return address === '' ? null : { key: text, address };
}

/**
 * A kept key goes to the address it was set for and to no other: neither a slip of the pen in `--base-url` nor a
 * changed setting sends it elsewhere. Returns why it may not be used, or null.
 */
export function wrongAddressProblem(key: FoundKey, baseUrl: string): Message | null {
  const other = otherAddressOf(key, baseUrl);
  return other === null ? null : messageFor('failure.keyOfOtherAddress', { other, address: baseUrl });
}

/** The address a kept key was set for, when it is not `baseUrl`; null when the key may go there. */
export function otherAddressOf({ keptFor }: FoundKey, baseUrl: string): string | null {
  return baseUrl === '' || keptFor === baseUrl ? null : keptFor;
}

/** Where earlier releases have noted the address of the key that they kept. */
const noteOfEarlier = (dataFolder: string) => join(dataFolder, 'api-key-address');

/** The key that it was about is not kept any more. */
export const removeOldAddressNote = (dataFolder: string): void => rmSync(noteOfEarlier(dataFolder), { force: true });

function notedAddress(dataFolder: string): string | null {
  try {
    const text = readFileSync(noteOfEarlier(dataFolder), 'utf8').trim();
    return text === '' ? null : text;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}
