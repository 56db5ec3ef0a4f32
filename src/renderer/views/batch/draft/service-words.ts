import type { settings } from '../../../lib/state/settings.svelte.ts';

type Known = Pick<NonNullable<typeof settings.state>, 'settings' | 'key'>;

/** Where takes go to, before they are started: null while it is not known. */
export function destinationInWords(known: Known | null, isSample: boolean): string | null {
  if (isSample) return 'They are sent to the demo service of this computer and cost nothing.';
  if (known === null) return null;
  const { baseUrl } = known.settings;
  return `They are sent to ${baseUrl === '' ? 'the service' : baseUrl} as soon as the queue lets them; each is a generation that is paid for.`;
}

/** What has to be set before any of them can be sent; null when nothing is missing. */
export function missingInWords(known: Known | null, isSample: boolean): string | null {
  if (known === null || isSample) return null;
  const hasAddress = known.settings.baseUrl !== '';
  const hasKey = known.key.present && known.key.keptFor === undefined;
  if (hasAddress && hasKey) return null;
  const what = hasAddress ? 'the key' : hasKey ? 'the address' : 'address and key';
  return `In Settings, ${what} of the service ${!hasAddress && !hasKey ? 'are' : 'is'} missing. The takes can be started; they wait until then.`;
}
