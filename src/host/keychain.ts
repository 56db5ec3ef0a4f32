/** The system's own store for one secret. Every call throws where there is no such store. */
export interface Keychain {
  read(): string | null;
  write(secret: string): void;
  /** Removes the secret if there is one. */
  remove(): void;
}

/** The keychain of this system: Keychain on macOS, Credential Manager on Windows, Secret Service on Linux. */
export async function systemKeychain(): Promise<Keychain> {
  const { Entry } = await import('@napi-rs/keyring');
  // Without this a Linux without a desktop would keep the key in the kernel, which forgets it at the next boot.
  const entry = new Entry('dailies', 'api-key', { linux: { store: 'secret-service' } });
  return {
    read: () => entry.getPassword(),
    write: (secret) => entry.setPassword(secret),
    remove: () => void entry.deletePassword(),
  };
}
