import { say } from '../../../contract/messages/words.ts';
import { prefixOf } from '../../../contract/settings.ts';
import type * as z from 'zod';
import type { KeyState } from '../../../contract/procedures.ts';

const whereabouts = {
  environment: say('settings.keyFromEnvironment'),
  keychain: say('settings.keyInKeychain'),
  file: say('settings.keyStoredInFile'),
  none: say('settings.keyNone'),
};

export function keyInWords({ from, keptFor }: z.infer<typeof KeyState>): string {
  if (keptFor === undefined) return whereabouts[from];
  if (from === 'environment') {
    return say('settings.keyOfOtherAddressEnvironment', { address: keptFor });
  }
  return say('settings.keyOfOtherAddress', { address: keptFor });
}

/** A service address as the engine stores it, however it was typed; what is no address stays as it is. */
export function storedAddress(typed: string): string {
  const url = URL.parse(typed.trim());
  return url === null ? typed.trim() : url.origin + prefixOf(url.pathname);
}

/** The problem with a service address, in one sentence; null without one. The engine decides in the end. */
export function problemOfAddress(text: string): string | null {
  if (text.trim() === '') return null;
  const url = URL.parse(text.trim());
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    return say('settings.addressInvalid');
  }
  if (url.username !== '' || url.password !== '') return say('settings.addressWithUser');
  if (url.search !== '' || url.hash !== '') return say('settings.addressWithQuery');
  return null;
}
