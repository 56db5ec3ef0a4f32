import { destinationInWords, missingInWords } from '../../../src/renderer/views/batch/draft/plan-words.ts';
import { describe, expect, it } from 'vitest';
import { Settings } from '../../../src/contract/settings.ts';

const settings = (baseUrl: string) => Settings.parse({ baseUrl });
const key = { present: true, from: 'keychain' } as const;
const none = { present: false, from: 'none' } as const;
const address = 'https://media.example';

describe('what is said before a batch is started', () => {
  it('names the service that the takes are sent to', () => {
    expect(destinationInWords({ settings: settings(address), key }, false)).toContain(`sent to ${address} as soon`);
    expect(destinationInWords({ settings: settings(address), key }, true)).toContain('the demo service');
  });

  it.each([
    ['', none, 'address and key of the service are missing'],
    ['', key, 'the address of the service is missing'],
    [address, none, 'the key of the service is missing'],
    [address, { ...key, keptFor: 'https://wrong.example' }, 'the key of the service is missing'],
  ])('says that takes wait for what is missing, with address %j and key %j', (baseUrl, given, words) => {
    const said = missingInWords({ settings: settings(baseUrl), key: given }, false);
    expect(said).toContain(words);
    expect(said).toContain('they wait until then');
    expect(missingInWords({ settings: settings(baseUrl), key: given }, true)).toBeNull();
  });

  it('says nothing of it when nothing is missing, or nothing is known yet', () => {
    expect(missingInWords({ settings: settings(address), key }, false)).toBeNull();
    expect(missingInWords(null, false)).toBeNull();
  });
});
