import {
  scopeName,
  toShare,
  WARN_AT,
  type CapChange,
  type CapNear,
  type CapScope,
  type CapState,
} from '../../contract/ledger.ts';
import { accountOn, isAccount, settingsOn } from '../../contract/accounts.ts';
import { messageFor } from '../../contract/messages/message.ts';
import type { Settings } from '../../contract/settings.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import { callFactsFor, PriceFacts, toPriceFacts, priceFor } from '../batches/price.ts';
import { actingSession } from '../base/acting-session.ts';
import { toMessage, refused } from '../base/errors.ts';
import type { Ports } from '../base/ports.ts';
import { createYielder } from '../base/slices.ts';
import type { Stores } from '../db/stores.ts';
import type { LimitFiles } from './limits.ts';
import { linesFor, type LedgerScope, type LineToPrice } from '../db/ledger-store.ts';

const LINES_AT_ONCE = 500;

export class SpendingService {
  readonly #stores: Pick<Stores, 'ledger' | 'batches' | 'jobs'>;
  readonly #limitFiles: Pick<LimitFiles, 'decided'>;
  readonly #ports: Pick<Ports, 'clock' | 'logger'>;
  readonly #settings: () => Settings;
  readonly #near = new Map<string, Omit<CapNear, 'currency'>>();
  #repricing = Promise.resolve();

  onChange = (): void => undefined;

  constructor(
    stores: Pick<Stores, 'ledger' | 'batches' | 'jobs'>,
    limitFiles: Pick<LimitFiles, 'decided'>,
    ports: Pick<Ports, 'clock' | 'logger'>,
    settings: () => Settings,
  ) {
    this.#stores = stores;
    this.#limitFiles = limitFiles;
    this.#ports = ports;
    this.#settings = settings;
  }

  /** Gives the intent of a take its price. Throws CapReachedError and AgentCapError. Called in the transaction that writes the intent. */
  reserve(id: string, facts: PriceFacts, at: number, session: string | null = null): void {
    const { ledger } = this.#stores;
    const night = nightStart(at);
    const { prices } = settingsOn(this.#settings(), ledger.serviceOfLine(id));
    const caps = ledger.reserve({ id, facts, session, price: priceFor(facts, at, prices) }, night);
    for (const cap of caps) this.#noteShare(cap, night);
  }

  reserveCall({
    id,
    at,
    request,
  }: {
    readonly id: string;
    readonly at: number;
    readonly request: PlannedRequest;
  }): void {
    this.reserve(id, callFactsFor(toModel(request)), at, actingSession());
  }

  near(): CapNear[] {
    if (this.#near.size === 0) return [];
    const night = this.night();
    const { currency } = this.#settings();
    return [...this.#near.values()].filter((cap) => cap.night === night).map((cap) => ({ ...cap, currency }));
  }

  /** When the present night began, ms. */
  night(): number {
    return nightStart(this.#ports.clock.now());
  }

  caps(): CapState[] {
    return this.#stores.ledger.caps(this.night());
  }

  /** The cap of a scope; null where there is none. */
  capOf(scope: CapScope): CapState | null {
    return this.#stores.ledger.capOf(scope, this.night());
  }

  /** Throws RefusedError for a cap in money while requests or unsent takes of its scope have no price. */
  requirePrices(scope: CapScope, change: CapChange): void {
    if (typeof change.money !== 'number') return;
    const { batches, ledger } = this.#stores;
    const lines = linesFor(scope, this.night());
    const unsent = Map.groupBy(batches.unsentShots(scope), ({ service }) => service);
    const unpriced = [...unsent].flatMap(([service, shots]) =>
      this.#withoutPrice(
        shots.map(({ shot }) => shot),
        service,
      ),
    );
    refuseUnpriced(new Set([...ledger.unpricedModels(lines), ...unpriced]));
  }

  setCap(scope: CapScope, change: CapChange): void {
    this.#stores.ledger.changeCap(scope, change);
    this.#limitFiles.decided('cap', scope);
    this.capChanged(scope);
  }

  capChanged(scope: CapScope): void {
    const near = this.#near.get(scopeName(scope));
    const cap = near && this.capOf(scope);
    if (cap) this.#noteShare(cap, near.night);
    else this.#near.delete(scopeName(scope));
  }

  /** The same for shots of a project that are not stored yet. Throws RefusedError. */
  checkCap(change: CapChange, shots: readonly ShotSpec[], projectId: string): void {
    if (typeof change.money === 'number') refuseUnpriced(new Set(this.withoutPrice(shots, { projectId })));
  }

  withoutPrice(shots: readonly ShotSpec[], scope: LedgerScope): string[] {
    return this.#withoutPrice(shots, this.#stores.ledger.serviceOf(scope));
  }

  #withoutPrice(shots: readonly ShotSpec[], service: string | null): string[] {
    const at = this.#ports.clock.now();
    const { prices } = settingsOn(this.#settings(), service);
    const without = shots.filter((shot) => priceFor(toPriceFacts(shot), at, prices) === null);
    return [...new Set(without.map(({ model }) => model))].sort();
  }

  /** Starts to {@link reprice} once an earlier repricing has ended. */
  beginRepricing(which: 'all' | 'new'): void {
    this.#repricing = this.#repricing
      .then(() => this.reprice(which))
      .catch((error: unknown) => {
        this.#ports.logger.warn('The ledger could not be priced', { reason: toMessage(error) });
      });
  }

  settled(): Promise<void> {
    return this.#repricing;
  }

  /** Prices lines by the present table, in slices. `new`: those of an earlier version or from a project folder. */
  async reprice(which: 'all' | 'new'): Promise<void> {
    const { ledger } = this.#stores;
    const giveWay = createYielder();
    for (let after = '', isLast = false; !isLast;) {
      const lines = ledger.linesToPrice(which, after, LINES_AT_ONCE);
      // What an account paid that was removed stays as it was.
      const known = lines.filter(({ service }) => !isAccount(service) || accountOn(this.#settings(), service));
      ledger.price(known.map((line) => this.#priced(line)));
      after = lines.at(-1)?.id ?? after;
      isLast = lines.length < LINES_AT_ONCE;
      await giveWay();
    }
    this.onChange();
  }

  #noteShare(cap: CapState, night: number): void {
    const name = scopeName(cap.scope);
    if (toShare(cap) >= WARN_AT) this.#near.set(name, { ...cap, night });
    else this.#near.delete(name);
  }

  #priced({ id, at, service, ...line }: LineToPrice) {
    const facts = this.#factsOf(line);
    return { id, facts, price: priceFor(facts, at, settingsOn(this.#settings(), service).prices) };
  }

  /** A line of an earlier version names only its take. */
  #factsOf({ facts, jobId, model }: Pick<LineToPrice, 'facts' | 'jobId' | 'model'>): PriceFacts {
    if (facts !== null) return PriceFacts.parse(facts);
    const { jobs, batches } = this.#stores;
    const job = jobId === null ? null : jobs.get(jobId);
    const shot = job && batches.shot(job.shotId);
    return shot ? toPriceFacts(shot.spec) : callFactsFor(model);
  }
}

/** When the night of a time began: the last noon where the person is, ms. Days of 23 and 25 hours have one noon too. */
export function nightStart(at: number): number {
  const noon = new Date(at);
  noon.setHours(12, 0, 0, 0);
  if (noon.getTime() > at) noon.setDate(noon.getDate() - 1);
  return noon.getTime();
}

function refuseUnpriced(models: ReadonlySet<string>): void {
  if (models.size === 0) return;
  throw refused('no_price', messageFor('cap.noPrices', { models: [...models].sort() }), 'cap.noPricesRemedy');
}

/** The word for a tool without a model in the table of prices; see docs/reference/service.md. */
const PRICED_AS: readonly (readonly [operation: string, name: string])[] = [
  ['web.search', 'web-search'],
  ['web.read', 'web-reader'],
  ['images.typography.', 'typo'],
  ['images.submitJob.', 'jobimg'],
];

function toModel({ operation, body }: PlannedRequest): string {
  if ('model' in body && typeof body['model'] === 'string') return body['model'];
  return PRICED_AS.find(([start]) => operation.startsWith(start))?.[1] ?? '';
}
