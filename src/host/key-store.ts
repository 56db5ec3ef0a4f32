import { messageFor } from '../contract/messages/message.ts';
import type * as z from 'zod';
import type { KeyState } from '../contract/procedures.ts';
import { keyFingerprint } from '../engine/api/address.ts';
import { RefusedError } from '../engine/base/errors.ts';
import type { KeyStore } from '../server/services.ts';
import { findKey, forgetKey, saveKey } from './key.ts';
import { KEYCHAIN, otherAddressOf, type FoundKey } from './key-address.ts';
import { KEY_VARIABLE, type Surroundings } from './process-surroundings.ts';

export interface ServedKey extends KeyStore {
  /** Asked at each request to the service. */
  current(): string | null;
}

/**
 * The key while the window is served: a new one applies from the next request on, to the present address and no other.
 */
export async function keyStore(machine: Surroundings, dataFolder: string, baseUrl: () => string): Promise<ServedKey> {
  let found = await findKey(machine, dataFolder);
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
    return found && otherAddressOf(found, baseUrl());
  };
  const current = (): string | null => (found && otherAddress() === null ? found.key : null);
  const state = () => {
    const keptFor = otherAddress();
    return keptFor === null ? stateOf(found) : { ...stateOf(found), keptFor };
  };
  return {
    current,
    state,
    fingerprint() {
      const key = current();
      return key === null ? null : keyFingerprint(key);
    },
    async set(key, allowFile) {
      checkIsOurs(found);
      await saveKey(machine, dataFolder, { key, address: baseUrl() }, () => allowFile);
      found = await findKey(machine, dataFolder);
      return state();
    },
    async forget() {
      checkIsOurs(found);
      await forgetKey(machine, dataFolder);
      found = await findKey(machine, dataFolder);
      return state();
    },
  };
}

/** A key of the environment is nothing that a window could change. Throws RefusedError. */
function checkIsOurs(found: FoundKey | null): void {
  if (found?.from !== KEY_VARIABLE) return;
  const variable = KEY_VARIABLE;
  throw new RefusedError(
    'key_in_environment',
    messageFor('failure.keyInEnvironment', { variable }),
    messageFor('remedy.startWithoutVariable', { variable }),
  );
}

function stateOf(found: FoundKey | null): z.infer<typeof KeyState> {
  if (!found) return { present: false, from: 'none' };
  if (found.from === KEY_VARIABLE) return { present: true, from: 'environment' };
  return { present: true, from: found.from === KEYCHAIN ? 'keychain' : 'file' };
}
