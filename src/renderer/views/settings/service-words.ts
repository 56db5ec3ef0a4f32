import { t } from '../../../contract/messages/words.ts';
import { toPrefix } from '../../../contract/settings.ts';
import type * as z from 'zod';
import type { KeyState } from '../../../contract/procedures.ts';

const whereabouts = {
  environment: t('settings.keyFromEnvironment'),
  keychain: t('settings.keyInKeychain'),
  file: t('settings.keyStoredInFile'),
  none: t('settings.keyNone'),
};

export function keyInWords({ from, keptFor }: z.infer<typeof KeyState>): string {
  if (keptFor === undefined) return whereabouts[from];
  if (from === 'environment') {
    return t('settings.keyOfOtherAddressEnvironment', { address: keptFor });
  }
  return t('settings.keyOfOtherAddress', { address: keptFor });
}

/** A service address as the engine stores it, however it was typed; what is no address stays as it is. */
export function storedAddress(typed: string): string {
  const url = URL.parse(typed.trim());
  return url === null ? typed.trim() : url.origin + toPrefix(url.pathname);
}

/** The problem with a service address, in one sentence; null without one. The engine decides in the end. */
export function problemOfAddress(text: string): string | null {
  if (text.trim() === '') return null;
  const url = URL.parse(text.trim());
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    return t('settings.addressInvalid');
  }
  if (url.username !== '' || url.password !== '') return t('settings.addressWithUser');
  if (url.search !== '' || url.hash !== '') return t('settings.addressWithQuery');
  return null;
}
