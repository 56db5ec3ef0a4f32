import { t } from '../../../src/contract/messages/words.ts';
import { destinationInWords, missingInWords } from '../../../src/renderer/views/batch/draft/plan-words.ts';
import { describe, expect, it } from 'vitest';
import { Settings } from '../../../src/contract/settings.ts';

const settings = (baseUrl: string) => Settings.parse({ baseUrl });
const key = { present: true, from: 'keychain' } as const;
const none = { present: false, from: 'none' } as const;
const address = 'https://media.example';

describe('what is said before a batch is started', () => {
  it('names the service that the takes are sent to', () => {
    expect(destinationInWords({ settings: settings(address), key }, false)).toContain(`sent to ${address}`);
    expect(destinationInWords({ settings: settings(address), key }, true)).toContain('the demo service');
  });

  it.each([
    ['', none, 'both'],
    ['', key, 'address'],
    [address, none, 'key'],
    [address, { ...key, keptFor: 'https://wrong.example' }, 'key'],
  ])('says that takes wait for what is missing, with address %j and key %j', (baseUrl, given, what) => {
    const said = missingInWords({ settings: settings(baseUrl), key: given }, false);
    expect(said).toBe(t('start.missing', { what }));
    expect(missingInWords({ settings: settings(baseUrl), key: given }, true)).toBeNull();
  });

  it('says nothing when nothing is missing, or before the settings are read', () => {
    expect(missingInWords({ settings: settings(address), key }, false)).toBeNull();
    expect(missingInWords(null, false)).toBeNull();
  });
});
