import { systemKeychain } from '../../src/host/process-environment.ts';
import { beforeEach, describe, expect, it, vi } from 'vitest';

interface Asked {
  readonly entry: readonly unknown[];
  readonly answer: PromiseWithResolvers<string | null>;
}
const asked: Asked[] = [];

// The real store is the machine's, and no test's.
vi.mock('@napi-rs/keyring', () => ({
  AsyncEntry: class {
    readonly #entry: readonly unknown[];
    constructor(...entry: readonly unknown[]) {
      this.#entry = entry;
    }
    getPassword(): Promise<string | null> {
      const answer = Promise.withResolvers<string | null>();
      asked.push({ entry: this.#entry, answer });
      return answer.promise;
    }
  },
}));

beforeEach(() => {
  asked.length = 0;
});

describe('the keychain of the system', () => {
  it('lets everything else go on while the system asks the person about it', async () => {
    const read = (await systemKeychain({})).getPassword();
    expect(asked).toHaveLength(1);
    asked[0]?.answer.resolve('sk-kept');
    await expect(read).resolves.toBe('sk-kept');
  });

  it('is one that outlives a restart of the machine', async () => {
    void (await systemKeychain({})).getPassword();
    expect(asked[0]?.entry).toEqual(['dailies', 'api-key', { linux: { store: 'secret-service' } }]);
  });

  it('is left alone where the environment says so', async () => {
    await expect(systemKeychain({ DAILIES_KEYCHAIN: 'none' })).rejects.toThrow('DAILIES_KEYCHAIN');
    expect(asked).toEqual([]);
  });
});
