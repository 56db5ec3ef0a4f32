import type { Settings } from '../../contract/settings.ts';
import { keyFingerprint, originOf } from '../api/address.ts';
import { createServiceClient, timeoutsOf, type ServiceClient } from '../api/client.ts';
import type { Account } from '../db/service-store.ts';
import type { Ports } from '../ports.ts';

/**
 * Clients by service address. New submits go to the address of the settings; tasks are asked about where they were
 * accepted, and only with the key they were accepted with.
 */
export class ServiceClients {
  readonly #ports: Ports;
  readonly #settings: Settings;
  readonly #clients = new Map<string, ServiceClient>();

  constructor(ports: Ports, settings: Settings) {
    this.#ports = ports;
    this.#settings = settings;
  }

  /** The account new submits are charged to; null when no key is set. Throws ServiceAddressError. */
  current(): Account | null {
    const key = this.#ports.secrets.apiKey();
    return key === null ? null : { origin: originOf(this.#settings.baseUrl), keyFingerprint: keyFingerprint(key) };
  }

  /** A client that speaks for `account`, or null when the key at hand is another one. */
  forAccount(account: Account): ServiceClient | null {
    return this.key(account) === null ? null : this.atAddress(account.origin);
  }

  /** The key of `account`, or null when the one at hand is another. */
  key(account: Account): string | null {
    const key = this.#ports.secrets.apiKey();
    return key !== null && keyFingerprint(key) === account.keyFingerprint ? key : null;
  }

  atAddress(origin: string): ServiceClient {
    const known = this.#clients.get(origin);
    if (known) return known;
    const client = createServiceClient({
      baseUrl: origin,
      apiKey: () => this.#ports.secrets.apiKey(),
      clock: this.#ports.clock,
      logger: this.#ports.logger,
      timeouts: timeoutsOf(this.#settings),
    });
    this.#clients.set(origin, client);
    return client;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.close()));
  }
}
