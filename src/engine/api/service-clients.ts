import { isDeepStrictEqual } from 'node:util';
import { type Settings, REQUEST_CLASSES, type RequestClass } from '../../contract/settings.ts';
import { keyFingerprint, originOf, ServiceAddressError } from './address.ts';
import { Ceilings } from './ceilings.ts';
import { createServiceClient, timeoutsOf, type ServiceClient } from './client.ts';
import { limitsOf, queuesOf, RequestQueue, type AccountQueues } from './request-queue.ts';
import { accountName, accountNamed, type Account, type ServiceStore } from '../db/service-store.ts';
import type { TasksInFlight } from '../db/tasks-in-flight.ts';
import { messageOf } from '../base/errors.ts';
import type { Ports } from '../base/ports.ts';

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
  readonly #store: ServiceStore;
  readonly #inFlight: TasksInFlight;
  readonly #settings: () => Settings;
  readonly #others = new Map<string, ServiceAccess>();
  /** The account of the settings, as it was last asked for. */
  #main: { readonly baseUrl: string; readonly key: string; readonly account: Account } | null = null;
  readonly #clients = new Map<string, ServiceClient>();
  /** Of each account, whichever client speaks for it, and of those whose key is not at hand. */
  readonly #queues = new Map<string, AccountQueues>();
  readonly #ceilings = new Map<string, Ceilings>();
  /** Clients that wait as long as older settings said: what they were asked for goes on, nothing new is. */
  readonly #retired: ServiceClient[] = [];

  constructor(ports: Ports, store: ServiceStore, inFlight: TasksInFlight, settings: () => Settings) {
    this.#ports = ports;
    this.#store = store;
    this.#inFlight = inFlight;
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
    return !key?.trim() ? null : this.#accountOf(this.#settings().baseUrl, key);
  }

  /** Names of the services besides the one of the settings. */
  names(): readonly string[] {
    return [...this.#others.keys()];
  }

  /** The services that new submits reach by `account`; null for the one of the settings. */
  servicesOf(account: Account): (string | null)[] {
    const isAccount = (service: string | null): boolean => isDeepStrictEqual(this.currentIfAny(service), account);
    return [null, ...this.names()].filter(isAccount);
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
    const name = accountName(account);
    const known = this.#clients.get(name);
    if (known) return known;
    const client = this.#create(account);
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

  /** What holds the requests of `account` back; what was learned by earlier processes included. */
  queues(account: Account): AccountQueues {
    const name = accountName(account);
    const known = this.#queues.get(name);
    if (known) return known;
    const queues = queuesOf((requests) => this.#queue(account, requests));
    this.#queues.set(name, queues);
    return queues;
  }

  /** Every account that has queues. */
  accounts(): Account[] {
    return [...this.#queues.keys()].map(accountNamed);
  }

  /** How many tasks of `account` may run at once; what was learned by earlier processes included. */
  ceilings(account: Account): Ceilings {
    const name = accountName(account);
    const known = this.#ceilings.get(name);
    if (known) return known;
    const ceilings = new Ceilings({
      clock: this.#ports.clock,
      inFlight: (model) => this.#inFlight.of(account, model),
      recount: () => this.#inFlight.forget(),
      learned: this.#store.ceilings(account),
      save: (model, learned) =>
        this.#keep('A learned ceiling', model, () => this.#store.saveCeiling(account, model, learned)),
    });
    this.#ceilings.set(name, ceilings);
    return ceilings;
  }

  /** Takes every floor that lies beyond a time, ms, for none, on disk too: the service is asked again. */
  forgetFloors(beyond: number): void {
    this.#store.forgetFloors(beyond);
    for (const queue of this.#allQueues()) queue.forgetFloor(beyond);
  }

  settingsChanged(before: Settings): void {
    // How long a client waits is set for good: new requests go through new ones.
    if (!isDeepStrictEqual(timeoutsOf(before), timeoutsOf(this.#settings()))) {
      this.#retired.push(...this.#clients.values());
      this.#clients.clear();
    }
    for (const queues of this.#queues.values()) {
      for (const requests of REQUEST_CLASSES) queues[requests].setLimits(limitsOf(this.#settings(), requests));
    }
  }

  /** Starts no request more; resolves when the last one has ended. */
  async drain(): Promise<void> {
    await Promise.all(this.#allQueues().map((queue) => queue.drain()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values(), ...this.#retired].map((client) => client.close()));
    for (const queue of this.#allQueues()) queue.save();
  }

  /** Asked for several times at each step of a job, and worked out when the address or the key has changed. */
  #accountOf(baseUrl: string, key: string): Account {
    if (this.#main?.baseUrl !== baseUrl || this.#main.key !== key) {
      this.#main = { baseUrl, key, account: { origin: originOf(baseUrl), keyFingerprint: keyFingerprint(key) } };
    }
    return this.#main.account;
  }

  #create(account: Account): ServiceClient {
    const { clock, logger, proxyFor, random } = this.#ports;
    return createServiceClient({
      baseUrl: account.origin,
      // Asked for again at each request: a key that was changed in between is never sent in place of the account's own.
      apiKey: () => this.key(account),
      queues: this.queues(account),
      ceilings: this.ceilings(account),
      timeouts: timeoutsOf(this.#settings()),
      ...{ clock, logger, proxyFor, random },
    });
  }

  #queue(account: Account, requests: RequestClass): RequestQueue {
    return new RequestQueue({
      clock: this.#ports.clock,
      limits: limitsOf(this.#settings(), requests),
      learned: this.#store.rate(account, requests),
      save: (learned) => this.#keep('A learned rate', requests, () => this.#store.saveRate(account, requests, learned)),
    });
  }

  #keep(what: string, of: string, save: () => void): void {
    try {
      save();
    } catch (error) {
      // Only what was learned is lost, and the reason the database fails was told already.
      this.#ports.logger.warn(`${what} could not be kept`, { of, reason: messageOf(error) });
    }
  }

  #allQueues(): RequestQueue[] {
    return [...this.#queues.values()].flatMap((queues) => Object.values(queues));
  }
}
