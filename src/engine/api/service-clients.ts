import { isDeepStrictEqual } from 'node:util';
import { accountOn, accountsIn, isAccount, serviceOfAccount, settingsOn } from '../../contract/accounts.ts';
import { REQUEST_CLASSES, type RequestClass, type Settings } from '../../contract/settings.ts';
import { keyFingerprint, toOrigin, ServiceAddressError } from './address.ts';
import { Ceilings } from './ceilings.ts';
import { createServiceClient, type ServiceClient, toTimeouts } from './client.ts';
import { type AccountQueues, limitsFor, toQueues, RequestQueue } from './request-queue.ts';
import { type Account, accountKey, accountOfKey, type ServiceStore } from '../db/service-store.ts';
import type { TasksInFlight } from '../db/due-jobs.ts';
import { toMessage } from '../base/errors.ts';
import type { Ports } from '../base/ports.ts';

export interface ServiceAccess {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/**
 * Clients by account. Submits go to the address of the project's account; tasks are polled where they were accepted, with
 * the key used there.
 */
export class ServiceClients {
  readonly #ports: Ports;
  readonly #store: ServiceStore;
  readonly #inFlight: TasksInFlight;
  readonly #settings: () => Settings;
  readonly #others = new Map<string, ServiceAccess>();
  readonly #accounts = new Map<string | null, { readonly baseUrl: string; readonly key: string; account: Account }>();
  readonly #clients = new Map<string, ServiceClient>();
  readonly #queues = new Map<string, AccountQueues>();
  readonly #ceilings = new Map<string, Ceilings>();
  /** Clients with the timeouts of older settings. They finish their requests and get no new ones. */
  readonly #retired: ServiceClient[] = [];

  constructor(ports: Ports, store: ServiceStore, inFlight: TasksInFlight, settings: () => Settings) {
    this.#ports = ports;
    this.#store = store;
    this.#inFlight = inFlight;
    this.#settings = settings;
  }

  use(name: string, access: ServiceAccess): void {
    this.#others.set(name, { ...access, baseUrl: toOrigin(access.baseUrl) });
  }

  current(service: string | null = null): Account | null {
    if (!isAccount(service)) {
      const other = this.#others.get(service ?? '');
      return other ? { origin: other.baseUrl, keyFingerprint: keyFingerprint(other.apiKey) } : null;
    }
    const account = accountOn(this.#settings(), service);
    const key = account ? this.#ports.secrets.apiKey(account.id) : null;
    // A key of spaces only counts as none.
    return !account || !key?.trim() ? null : this.#accountOf(service, account.baseUrl, key);
  }

  /** The services beside that of the first account. */
  names(): readonly string[] {
    const accounts = this.#settings().accounts.map(({ id }) => `${serviceOfAccount(id)}`);
    return [...this.#others.keys(), ...accounts];
  }

  /** The services whose new submits use `account`; null stands for the one in the settings. */
  servicesOf(account: Account): (string | null)[] {
    const isAccount = (service: string | null): boolean => isDeepStrictEqual(this.currentIfAny(service), account);
    return [null, ...this.names()].filter(isAccount);
  }

  isCurrent(account: Account): boolean {
    return [null, ...this.names()].some((service) => this.currentIfAny(service)?.origin === account.origin);
  }

  currentIfAny(service: string | null = null): Account | null {
    try {
      return this.current(service);
    } catch (error) {
      if (error instanceof ServiceAddressError) return null;
      throw error;
    }
  }

  forAccount(account: Account): ServiceClient | null {
    if (this.key(account) === null) return null;
    return known(this.#clients, account, () => this.#create(account));
  }

  key(account: Account): string | null {
    for (const { baseUrl, apiKey } of this.#others.values()) {
      // The key of a service goes only to that service's address.
      if (baseUrl === account.origin && keyFingerprint(apiKey) === account.keyFingerprint) return apiKey;
    }
    const accounts = accountsIn(this.#settings());
    const isAt = (baseUrl: string): boolean => originIfAny(baseUrl) === account.origin;
    for (const { id, baseUrl } of accounts) {
      const key = this.#ports.secrets.apiKey(id);
      if (key === null || keyFingerprint(key) !== account.keyFingerprint) continue;
      // A task may be at the former address of its account, which is no other account's.
      const isFormer = !accounts.some((other) => other.id !== id && isAt(other.baseUrl));
      if (isAt(baseUrl) || isFormer) return key;
    }
    return null;
  }

  queues(account: Account): AccountQueues {
    return known(this.#queues, account, () => toQueues((requests) => this.#queue(account, requests)));
  }

  accounts(): Account[] {
    return [...this.#queues.keys()].map(accountOfKey);
  }

  /** The learned number of tasks that `account` may run at once, including what earlier processes learned. */
  ceilings(account: Account): Ceilings {
    const make = () =>
      new Ceilings({
        clock: this.#ports.clock,
        inFlight: (model) => this.#inFlight.of(account, model),
        recount: () => this.#inFlight.forget(),
        learned: this.#store.ceilings(account),
        save: (model, learned) =>
          this.#keep('A learned ceiling', model, () => this.#store.saveCeiling(account, model, learned)),
      });
    return known(this.#ceilings, account, make);
  }

  /** Removes every floor later than `beyond`, ms, on disk too: the service is asked again. */
  forgetFloors(beyond: number): void {
    this.#store.forgetFloors(beyond);
    for (const queue of this.#allQueues()) queue.forgetFloor(beyond);
  }

  settingsChanged(before: Settings): void {
    // A client's timeouts cannot change, so new requests use new clients.
    if (!isDeepStrictEqual(toTimeouts(before), toTimeouts(this.#settings()))) {
      this.#retired.push(...this.#clients.values());
      this.#clients.clear();
    }
    for (const [name, queues] of this.#queues) {
      const settings = this.#settingsFor(accountOfKey(name));
      for (const requests of REQUEST_CLASSES) queues[requests].setLimits(limitsFor(settings, requests));
    }
  }

  /** Starts no more requests. Resolves when the last one has ended. */
  async drain(): Promise<void> {
    await Promise.all(this.#allQueues().map((queue) => queue.drain()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values(), ...this.#retired].map((client) => client.close()));
    for (const queue of this.#allQueues()) queue.save();
  }

  /** Cached, because each step of a job asks several times. Recomputed when the address or the key changes. */
  #accountOf(service: string | null, baseUrl: string, key: string): Account {
    const known = this.#accounts.get(service);
    if (known?.baseUrl === baseUrl && known.key === key) return known.account;
    const account = { origin: toOrigin(baseUrl), keyFingerprint: keyFingerprint(key) };
    this.#accounts.set(service, { baseUrl, key, account });
    return account;
  }

  /** Two accounts may have one key at one address: the lower limits hold. */
  #settingsFor(account: Account): Pick<Settings, 'concurrency' | 'maxRate'> {
    const [first = this.#settings(), ...others] = this.servicesOf(account).map((service) =>
      settingsOn(this.#settings(), service),
    );
    return others.reduce<Pick<Settings, 'concurrency' | 'maxRate'>>(
      (lowest, { concurrency, maxRate }) => ({
        concurrency: lower(lowest.concurrency, concurrency),
        maxRate: lower(lowest.maxRate, maxRate),
      }),
      first,
    );
  }

  #create(account: Account): ServiceClient {
    const { clock, logger, routesTo, random } = this.#ports;
    return createServiceClient({
      baseUrl: account.origin,
      // Read for each request, so that a changed key is never sent in place of the account's own.
      apiKey: () => this.key(account),
      queues: this.queues(account),
      ceilings: this.ceilings(account),
      timeouts: toTimeouts(this.#settings()),
      ...{ clock, logger, routesTo, random },
    });
  }

  #queue(account: Account, requests: RequestClass): RequestQueue {
    return new RequestQueue({
      clock: this.#ports.clock,
      limits: limitsFor(this.#settingsFor(account), requests),
      learned: this.#store.rate(account, requests),
      save: (learned) => this.#keep('A learned rate', requests, () => this.#store.saveRate(account, requests, learned)),
    });
  }

  #keep(what: string, of: string, save: () => void): void {
    try {
      save();
    } catch (error) {
      // Only what was learned is lost. Why the database fails was reported already.
      this.#ports.logger.warn(`${what} could not be kept`, { of, reason: toMessage(error) });
    }
  }

  #allQueues(): RequestQueue[] {
    return [...this.#queues.values()].flatMap((queues) => Object.values(queues));
  }
}

type PerStep = Settings['maxRate'];

const lower = (one: PerStep, other: PerStep): PerStep => ({
  submit: Math.min(one.submit, other.submit),
  poll: Math.min(one.poll, other.poll),
  download: Math.min(one.download, other.download),
});

function originIfAny(baseUrl: string): string | null {
  try {
    return toOrigin(baseUrl);
  } catch (error) {
    if (error instanceof ServiceAddressError) return null;
    throw error;
  }
}

/** What is kept by account, made when it is first asked for. */
function known<Value>(all: Map<string, Value>, account: Account, make: () => Value): Value {
  const name = accountKey(account);
  const value = all.get(name) ?? make();
  all.set(name, value);
  return value;
}
