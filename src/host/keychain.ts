/** The system's own store for one secret. Every call fails where there is no such store. */
export interface Keychain {
  read(): Promise<string | null>;
  write(secret: string): Promise<void>;
  /** Removes the secret if there is one. */
  remove(): Promise<void>;
}

/**
 * The keychain of this system: Keychain on macOS, Credential Manager on Windows, Secret Service on Linux; none, where
 * `DAILIES_KEYCHAIN` is `none`. A system may ask the person first, for as long as they like: nothing else waits for that.
 */
export async function systemKeychain(env: Readonly<Record<string, string | undefined>>): Promise<Keychain> {
  if (env['DAILIES_KEYCHAIN'] === 'none') throw new Error('DAILIES_KEYCHAIN says to use none');
  const { AsyncEntry } = await import('@napi-rs/keyring');
  // Without this a Linux without a desktop would keep the key in the kernel, which forgets it at the next boot.
  const entry = new AsyncEntry('dailies', 'api-key', { linux: { store: 'secret-service' } });
  return {
    read: () => entry.getPassword(),
    write: (secret) => entry.setPassword(secret),
    remove: async () => void (await entry.deletePassword()),
  };
}
