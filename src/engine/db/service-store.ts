import type { RequestClass } from '../../contract/settings.ts';
import { taskTimes, type TaskTimes } from '../machine/expected-end.ts';
import { ModelTrouble } from '../machine/model-trouble.ts';
import type { CeilingSnapshot } from '../machine/ceiling.ts';
import { sql, Store, type Connection, type Sql } from './connection.ts';

export interface Account {
  readonly origin: string;
  readonly keyFingerprint: string;
}

/** One text for an account. A fingerprint and an address never contain a space. */
export const accountKey = ({ keyFingerprint, origin }: Account): string => `${keyFingerprint} ${origin}`;

export function accountOfKey(name: string): Account {
  const [keyFingerprint = '', origin = ''] = name.split(' ');
  return { keyFingerprint, origin };
}

export interface StoredRate {
  readonly rate: number;
  readonly notBefore: number | null;
}

/** How many recent task times of a model are kept: enough for their spread, few enough to follow the service. */
const SAMPLES_KEPT = 64;

const FAILING = 'failing ';

export class ServiceStore extends Store {
  /** Needed for every poll, so kept in memory. By origin and model. */
  readonly #taskTimes = new Map<string, TaskTimes | null>();

  rate(account: Account, requests: RequestClass): StoredRate | null {
    return this.facts.one<StoredRate>`SELECT rate, not_before FROM rates
      WHERE ${isOf(account)} AND class = ${requests}`;
  }

  /** Synced: the time that a 429 named must be respected after a crash too. */
  saveRate({ origin, keyFingerprint }: Account, requests: RequestClass, { rate, notBefore }: StoredRate): void {
    this.facts.run`INSERT OR REPLACE INTO rates (origin, key_fingerprint, class, rate, not_before)
      VALUES (${origin}, ${keyFingerprint}, ${requests}, ${rate}, ${notBefore === null ? null : Math.ceil(notBefore)})`;
  }

  forgetFloors(beyond: number): void {
    this.facts.run`UPDATE rates SET not_before = NULL WHERE not_before > ${beyond}`;
  }

  ceilings(account: Account): Map<string, CeilingSnapshot> {
    const rows = this.facts.all<CeilingSnapshot & { readonly model: string }>`
      SELECT model, own, total AS "all", tried_at, wait_ms FROM ceilings WHERE ${isOf(account)}`;
    return new Map(rows.map(({ model, ...ceiling }) => [model, ceiling]));
  }

  saveCeiling(account: Account, model: string, ceiling: CeilingSnapshot | null): void {
    if (ceiling === null) {
      this.hints.run`DELETE FROM ceilings WHERE ${isOf(account)} AND model = ${model}`;
      return;
    }
    const { own, all, triedAt, waitMs } = ceiling;
    this.hints.run`INSERT OR REPLACE INTO ceilings (origin, key_fingerprint, model, own, total, tried_at, wait_ms)
      VALUES (${account.origin}, ${account.keyFingerprint}, ${model}, ${own}, ${all}, ${Math.round(triedAt)},
        ${Math.round(waitMs)})`;
  }

  /** How long the model's recent tasks took from acceptance to success; null before the first. */
  learnedTaskTimes(origin: string, model: string): TaskTimes | null {
    const name = `${origin} ${model}`;
    const known = this.#taskTimes.get(name);
    if (known !== undefined) return known;
    const times = taskTimes(this.taskSamples(origin, model));
    this.#taskTimes.set(name, times);
    return times;
  }

  /** The usual time of each known model, ms; from one of its services when several have it. */
  usualTaskTimes(): { model: string; ms: number }[] {
    const rows = this.facts.all<{ origin: string; model: string }>`SELECT DISTINCT origin, model FROM task_times`;
    const usual = new Map<string, number>();
    for (const { origin, model } of rows) {
      const times = this.learnedTaskTimes(origin, model);
      if (times) usual.set(model, times.usual);
    }
    return [...usual].map(([model, ms]) => ({ model, ms }));
  }

  learnTaskTime(origin: string, model: string, ms: number): void {
    const samples = [...this.taskSamples(origin, model), Math.round(ms)].slice(-SAMPLES_KEPT);
    this.hints.run`INSERT OR REPLACE INTO task_times (origin, model, samples) VALUES (${origin}, ${model}, ${samples})`;
    this.#taskTimes.set(`${origin} ${model}`, taskTimes(samples));
  }

  accountsAt(origin: string): Account[] {
    return this.facts.all<Account>`SELECT DISTINCT origin, key_fingerprint FROM rates WHERE origin = ${origin}`;
  }

  taskSamples(origin: string, model: string): number[] {
    return this.facts.value`SELECT samples FROM task_times WHERE origin = ${origin} AND model = ${model}` ?? [];
  }

  isQueuePaused(): boolean {
    return this.facts.has`SELECT 1 FROM queue_wishes WHERE name = 'paused'`;
  }

  setQueuePaused(paused: boolean): void {
    if (paused) this.facts.run`INSERT OR IGNORE INTO queue_wishes (name) VALUES ('paused')`;
    else this.facts.run`DELETE FROM queue_wishes WHERE name = 'paused'`;
  }

  modelTroubles(account: Account): Map<string, ModelTrouble> {
    const rows = this.facts.all<{ name: string; value: string }>`SELECT name, value FROM account_facts
      WHERE ${isOf(account)} AND name GLOB ${`${FAILING}*`}`;
    const troubles = rows.flatMap(({ name, value }) => {
      const { data } = ModelTrouble.safeParse(JSON.parse(value));
      return data ? [[name.slice(FAILING.length), data] as const] : [];
    });
    return new Map(troubles);
  }

  saveModelTrouble(account: Account, model: string, trouble: ModelTrouble | null): void {
    const name = `${FAILING}${model}`;
    if (trouble === null) this.hints.run`DELETE FROM account_facts WHERE ${isOf(account)} AND name = ${name}`;
    else saveFact(this.hints, account, name, JSON.stringify(trouble));
  }

  /** Something found out about the account, such as `async_images` = `no`. */
  accountFact(account: Account, name: string): string | null {
    return this.facts.value<string>`SELECT value FROM account_facts WHERE ${isOf(account)} AND name = ${name}`;
  }

  saveAccountFact(account: Account, name: string, value: string): void {
    saveFact(this.facts, account, name, value);
  }
}

function saveFact(connection: Connection, { origin, keyFingerprint }: Account, name: string, value: string): void {
  connection.run`INSERT OR REPLACE INTO account_facts (origin, key_fingerprint, name, value)
    VALUES (${origin}, ${keyFingerprint}, ${name}, ${value})`;
}

export const isOf = ({ origin, keyFingerprint }: Account): Sql =>
  sql`origin = ${origin} AND key_fingerprint = ${keyFingerprint}`;
