import type * as z from 'zod';
import type { KeyState } from '../../../contract/procedures.ts';

const whereabouts = {
  environment: 'The key comes from the variable DAILIES_API_KEY. That one goes before any key stored here.',
  keychain: 'A key is stored in the system keychain. It is never shown again; enter another one to replace it.',
  file: 'A key is stored in a file that only you can read. It is never shown again; enter another one to replace it.',
  none: 'No key yet. It goes to the system keychain, is never shown again and leaves this computer only for the service.',
};

/** Where the key is and for which address, in a sentence or two. */
export function keyInWords({ from, keptFor }: z.infer<typeof KeyState>): string {
  if (keptFor === undefined) return whereabouts[from];
  if (from === 'environment') {
    return `The key in the variable DAILIES_API_KEY was given for ${keptFor} and is sent nowhere else. Start Dailies again to use it for this address.`;
  }
  return `The key that is stored was set for ${keptFor} and is sent nowhere else. Enter the key of this address.`;
}

/** What is wrong with a service address, in one sentence; null when nothing is. The engine has the last word. */
export function problemOfAddress(text: string): string | null {
  if (text.trim() === '') return null;
  const url = URL.parse(text.trim());
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    return 'Enter the whole address, beginning with https://';
  }
  if (url.username !== '' || url.password !== '') return 'Leave out user and password: the key is entered below.';
  if (url.search !== '' || url.hash !== '') return 'Leave out everything from “?” or “#” on.';
  return null;
}
