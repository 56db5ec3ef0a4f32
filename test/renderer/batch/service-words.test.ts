import { t } from '../../../src/contract/messages/words.ts';
import { destinationInWords, missingInWords } from '../../../src/renderer/views/batch/draft/plan-words.ts';
import { describe, expect, it } from 'vitest';

const key = { present: true, from: 'keychain' } as const;
const none = { present: false, from: 'none' } as const;
const address = 'https://media.example';
const only = { name: 'main', baseUrl: address, key, isOnly: true };
const acme = { name: 'Acme', baseUrl: address, key, isOnly: false };

describe('what is said before a batch is started', () => {
  it('names the service that the takes are sent to, and the account that pays where there are several', () => {
    expect(destinationInWords(only, false)).toContain(`sent to ${address}`);
    expect(destinationInWords(only, false)).not.toContain('main');
    expect(destinationInWords(acme, false)).toContain(`sent to ${address}`);
    expect(destinationInWords(acme, false)).toContain('charged to the account “Acme”');
    expect(destinationInWords(acme, true)).toContain('the demo service');
  });

  it.each([
    ['', none, 'both'],
    ['', key, 'address'],
    [address, none, 'key'],
    [address, { ...key, keptFor: 'https://wrong.example' }, 'key'],
  ])('says that takes wait for what is missing, with address %j and key %j', (baseUrl, given, what) => {
    const said = missingInWords({ ...only, baseUrl, key: given }, false);
    expect(said).toBe(t('start.missing', { what, named: 'no', account: 'main' }));
    expect(missingInWords({ ...only, baseUrl, key: given }, true)).toBeNull();
    expect(missingInWords({ ...acme, baseUrl, key: given }, false)).toContain('of the account “Acme” in Settings');
  });

  it('says nothing when nothing is missing, or before the settings are read', () => {
    expect(missingInWords(only, false)).toBeNull();
    expect(missingInWords(null, false)).toBeNull();
    expect(destinationInWords(null, false)).toBeNull();
  });
});
