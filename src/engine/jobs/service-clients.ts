import type { Settings } from '../../contract/settings.ts';
import { keyFingerprint, originOf, ServiceAddressError } from '../api/address.ts';
import { createServiceClient, timeoutsOf, type ServiceClient } from '../api/client.ts';
import type { Account } from '../db/service-store.ts';
import type { Ports } from '../ports.ts';

/** A service besides the one of the settings. */
export interface ServiceAccess {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/**
 * Clients by service address. New submits go to the address of the settings; tasks are asked about where they were
 * accepted, and only with the key they were accepted with.
 */
export class ServiceClients {
  readonly #ports: Ports;
  readonly #settings: () => Settings;
  readonly #others = new Map<string, ServiceAccess>();
  readonly #clients = new Map<string, ServiceClient>();
  /** Clients that wait as long as older settings said: what they were asked for goes on, nothing new is. */
  readonly #retired: ServiceClient[] = [];

  constructor(ports: Ports, settings: () => Settings) {
    this.#ports = ports;
    this.#settings = settings;
  }

  /** Makes a service known that some projects are on. */
  use(name: string, access: ServiceAccess): void {
    this.#others.set(name, { ...access, baseUrl: originOf(access.baseUrl) });
  }

  /**
   * The account new submits are charged to: of the settings, or of the service a project is on. Null when no key is
   * set, or that service is not known yet. Throws ServiceAddressError.
   */
  current(service: string | null = null): Account | null {
    if (service !== null) {
      const other = this.#others.get(service);
      return other ? { origin: other.baseUrl, keyFingerprint: keyFingerprint(other.apiKey) } : null;
    }
    const key = this.#ports.secrets.apiKey();
    // A key of spaces alone is none.
    return !key?.trim() ? null : { origin: originOf(this.#settings().baseUrl), keyFingerprint: keyFingerprint(key) };
  }

  /** Names of the services besides the one of the settings. */
  names(): readonly string[] {
    return [...this.#others.keys()];
  }

  /** True when new submits go to the address of `account` too. */
  isCurrent(account: Account): boolean {
    return [null, ...this.#others.keys()].some((service) => this.currentIfAny(service)?.origin === account.origin);
  }

  /** As `current`, and null when the address of the settings is none. */
  currentIfAny(service: string | null = null): Account | null {
    try {
      return this.current(service);
    } catch (error) {
      if (error instanceof ServiceAddressError) return null;
      throw error;
    }
  }

  /** A client that speaks for `account`, or null when the key at hand is another one. */
  forAccount(account: Account): ServiceClient | null {
    if (this.key(account) === null) return null;
    const name = `${account.keyFingerprint} ${account.origin}`;
    const known = this.#clients.get(name);
    if (known) return known;
    // Asked for again at each request: a key that was changed in between is never sent in place of the account's own.
    const client = this.#create(account.origin, () => this.key(account));
    this.#clients.set(name, client);
    return client;
  }

  /** The key of `account`, or null when the one at hand is another. */
  key(account: Account): string | null {
    for (const { baseUrl, apiKey } of this.#others.values()) {
      // A service's own key goes to its own address alone.
      if (baseUrl === account.origin && keyFingerprint(apiKey) === account.keyFingerprint) return apiKey;
    }
    const key = this.#ports.secrets.apiKey();
    return key !== null && keyFingerprint(key) === account.keyFingerprint ? key : null;
  }

  /** How long clients wait was changed: new requests go through new ones. */
  retire(): void {
    this.#retired.push(...this.#clients.values());
    this.#clients.clear();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values(), ...this.#retired].map((client) => client.close()));
  }

  #create(baseUrl: string, apiKey: () => string | null): ServiceClient {
    const { clock, logger, proxyFor } = this.#ports;
    return createServiceClient({ baseUrl, apiKey, clock, logger, proxyFor, timeouts: timeoutsOf(this.#settings()) });
  }
}
