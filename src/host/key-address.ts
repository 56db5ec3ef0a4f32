import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../engine/errors.ts';
import type { FoundKey } from './key.ts';
import { writeWhole } from './settings-file.ts';

/** Given afresh with each start, and so for whatever address is set then; see `keyStore` for an address that is changed later. */
export const KEY_VARIABLE = 'DAILIES_API_KEY';

const addressFile = (dataFolder: string) => join(dataFolder, 'api-key-address');

/** Notes which address a key that is being kept is for. An empty one is noted at the key's first use. */
export function noteKeyAddress(dataFolder: string, baseUrl: string): void {
  if (baseUrl === '') rmSync(addressFile(dataFolder), { force: true });
  else writeWhole(addressFile(dataFolder), `${baseUrl}\n`);
}

/**
 * A kept key goes to the address it was set for and to no other: neither a slip of the pen in `--base-url` nor a
 * changed setting sends it elsewhere. Returns the sentence that says why it may not be used, or null.
 */
export function whyNotThere(dataFolder: string, key: FoundKey, baseUrl: string): string | null {
  const other = otherAddressOf(dataFolder, key, baseUrl);
  return other === null ? null : `The key that is kept was set for ${other}, not for ${baseUrl}.`;
}

/** The address a kept key was set for, when it is not `baseUrl`; null when the key may go there. */
export function otherAddressOf(dataFolder: string, key: FoundKey, baseUrl: string): string | null {
  if (key.from === KEY_VARIABLE || baseUrl === '') return null;
  const noted = notedAddress(dataFolder);
  if (noted === null) noteKeyAddress(dataFolder, baseUrl);
  return noted === baseUrl ? null : noted;
}

function notedAddress(dataFolder: string): string | null {
  try {
    const text = readFileSync(addressFile(dataFolder), 'utf8').trim();
    return text === '' ? null : text;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}
