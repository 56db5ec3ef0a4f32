import type * as z from 'zod';
import type { KeyState } from '../../contract/procedures.ts';
import { RefusedError } from '../../engine/errors.ts';
import type { KeyStore } from '../../server/services.ts';
import { UsageError } from '../exit.ts';
import { findKey, saveKey, type FoundKey } from '../key.ts';
import { KEY_VARIABLE, noteKeyAddress, whyNotThere } from '../key-address.ts';
import type { Session } from '../session.ts';

export interface ServedKey extends KeyStore {
  /** Asked at each request to the service. */
  current(): string | null;
}

/**
 * The key while the window is served: what is set there holds from the next request on, for the address that is set
 * then and no other.
 */
export async function keyStore({ shell, dataFolder }: Session, baseUrl: () => string): Promise<ServedKey> {
  let found = await findKey(shell, dataFolder);
  return {
    current: () => (found && whyNotThere(dataFolder, found, baseUrl()) === null ? found.key : null),
    state: () => stateOf(found),
    async set(key, allowFile) {
      if (found?.from === KEY_VARIABLE) {
        const remedy = `Start Dailies without ${KEY_VARIABLE} to use a key set here.`;
        throw new RefusedError('key_in_environment', `${KEY_VARIABLE} is set and goes before any other key.`, remedy);
      }
      try {
        // Nobody sits at the terminal to be asked: the window has asked already.
        await saveKey({ ...shell, stdin: { ...shell.stdin, isTTY: false } }, dataFolder, key, allowFile);
        noteKeyAddress(dataFolder, baseUrl());
        found = await findKey(shell, dataFolder);
      } catch (error) {
        throw error instanceof UsageError ? new RefusedError('key_not_kept', error.message, error.remedy) : error;
      }
      return stateOf(found);
    },
  };
}

function stateOf(found: FoundKey | null): z.infer<typeof KeyState> {
  if (!found) return { present: false, from: 'none' };
  if (found.from === KEY_VARIABLE) return { present: true, from: 'environment' };
  return { present: true, from: found.from === 'the system keychain' ? 'keychain' : 'file' };
}
