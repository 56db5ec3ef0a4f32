import type Database from 'better-sqlite3';
import type { RequestClass } from '../../contract/settings.ts';
import { taskTimes, type TaskTimes } from '../machine/expected-end.ts';
import * as z from 'zod';
import { ModelTrouble } from '../machine/model-trouble.ts';
import type { CeilingSnapshot } from '../machine/ceiling.ts';
import type { EngineDatabase } from './open.ts';

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
const Samples = z.array(z.number());

/** Prefix of the name of a failing model among the facts of an account. */
const FAILING = 'failing ';

export class ServiceStore {
  readonly #db: EngineDatabase;
  /** Needed for every poll, so kept in memory. By origin and model. */
  readonly #taskTimes = new Map<string, TaskTimes | null>();
  readonly #samplesOf: Database.Statement;
  readonly #saveSamples: Database.Statement;

  constructor(db: EngineDatabase) {
    this.#db = db;
    this.#samplesOf = db.facts.prepare('SELECT samples FROM task_times WHERE origin = ? AND model = ?').pluck();
    this.#saveSamples = db.hints.prepare(
      `INSERT INTO task_times (origin, model, samples) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET samples = excluded.samples`,
    );
  }

  rate(account: Account, requests: RequestClass): StoredRate | null {
    const row = this.#db.facts
      .prepare('SELECT rate, not_before FROM rates WHERE origin = ? AND key_fingerprint = ? AND class = ?')
      .get(account.origin, account.keyFingerprint, requests) as { rate: number; not_before: number | null } | undefined;
    return row ? { rate: row.rate, notBefore: row.not_before } : null;
  }

  /** Synced: the time that a 429 named must be respected after a crash too. */
  saveRate(account: Account, requests: RequestClass, { rate, notBefore }: StoredRate): void {
    this.#db.facts
      .prepare(
        `INSERT INTO rates (origin, key_fingerprint, class, rate, not_before) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET rate = excluded.rate, not_before = excluded.not_before`,
      )
      .run(account.origin, account.keyFingerprint, requests, rate, notBefore === null ? null : Math.ceil(notBefore));
  }

  forgetFloors(beyond: number): void {
    this.#db.facts.prepare('UPDATE rates SET not_before = NULL WHERE not_before > ?').run(beyond);
  }

  ceilings({ origin, keyFingerprint }: Account): Map<string, CeilingSnapshot> {
    const rows = this.#db.facts
      .prepare(
        `SELECT model, own, total AS "all", tried_at AS triedAt, wait_ms AS waitMs FROM ceilings
         WHERE origin = ? AND key_fingerprint = ?`,
      )
      .all(origin, keyFingerprint) as (CeilingSnapshot & { readonly model: string })[];
    return new Map(rows.map(({ model, ...ceiling }) => [model, ceiling]));
  }

  /** Null removes it. */
  saveCeiling({ origin, keyFingerprint }: Account, model: string, ceiling: CeilingSnapshot | null): void {
    if (ceiling === null) {
      this.#db.hints
        .prepare('DELETE FROM ceilings WHERE origin = ? AND key_fingerprint = ? AND model = ?')
        .run(origin, keyFingerprint, model);
      return;
    }
    const { own, all, triedAt, waitMs } = ceiling;
    this.#db.hints
      .prepare(
        `INSERT INTO ceilings (origin, key_fingerprint, model, own, total, tried_at, wait_ms) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET own = excluded.own, total = excluded.total, tried_at = excluded.tried_at,
           wait_ms = excluded.wait_ms`,
      )
      .run(origin, keyFingerprint, model, own, all, Math.round(triedAt), Math.round(waitMs));
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
    const rows = this.#db.facts.prepare('SELECT DISTINCT origin, model FROM task_times').all() as {
      origin: string;
      model: string;
    }[];
    const usual = new Map<string, number>();
    for (const { origin, model } of rows) {
      const times = this.learnedTaskTimes(origin, model);
      if (times) usual.set(model, times.usual);
    }
    return [...usual].map(([model, ms]) => ({ model, ms }));
  }

  learnTaskTime(origin: string, model: string, ms: number): void {
    const samples = [...this.taskSamples(origin, model), Math.round(ms)].slice(-SAMPLES_KEPT);
    this.#saveSamples.run(origin, model, JSON.stringify(samples));
    this.#taskTimes.set(`${origin} ${model}`, taskTimes(samples));
  }

  accountsAt(origin: string): Account[] {
    const learned = this.#db.facts.prepare('SELECT DISTINCT key_fingerprint FROM rates WHERE origin = ?').pluck();
    return (learned.all(origin) as string[]).map((keyFingerprint) => ({ origin, keyFingerprint }));
  }

  /** How long the model's recent tasks took, ms, oldest first. */
  taskSamples(origin: string, model: string): number[] {
    const text = this.#samplesOf.get(origin, model);
    return typeof text === 'string' ? Samples.parse(JSON.parse(text)) : [];
  }

  /** Whether a person paused the queue; kept over restarts until they resume it. */
  isQueuePaused(): boolean {
    return this.#db.facts.prepare(`SELECT 1 FROM queue_wishes WHERE name = 'paused'`).get() !== undefined;
  }

  setQueuePaused(paused: boolean): void {
    const change = paused
      ? `INSERT OR IGNORE INTO queue_wishes (name) VALUES ('paused')`
      : `DELETE FROM queue_wishes WHERE name = 'paused'`;
    this.#db.facts.prepare(change).run();
  }

  /** The failure that the takes of a model share, by model. */
  modelTroubles({ origin, keyFingerprint }: Account): Map<string, ModelTrouble> {
    const rows = this.#db.facts
      .prepare(`SELECT name, value FROM account_facts WHERE origin = ? AND key_fingerprint = ? AND name GLOB ?`)
      .all(origin, keyFingerprint, `${FAILING}*`) as { name: string; value: string }[];
    const troubles = rows.flatMap(({ name, value }) => {
      const { data } = ModelTrouble.safeParse(JSON.parse(value));
      return data ? [[name.slice(FAILING.length), data] as const] : [];
    });
    return new Map(troubles);
  }

  saveModelTrouble({ origin, keyFingerprint }: Account, model: string, trouble: ModelTrouble | null): void {
    const name = `${FAILING}${model}`;
    if (trouble === null) {
      this.#db.hints
        .prepare('DELETE FROM account_facts WHERE origin = ? AND key_fingerprint = ? AND name = ?')
        .run(origin, keyFingerprint, name);
      return;
    }
    this.#db.hints
      .prepare(
        `INSERT INTO account_facts (origin, key_fingerprint, name, value) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET value = excluded.value`,
      )
      .run(origin, keyFingerprint, name, JSON.stringify(trouble));
  }

  /** Something found out about the account, such as `async_images` = `no`. */
  accountFact(account: Account, name: string): string | null {
    const value = this.#db.facts
      .prepare('SELECT value FROM account_facts WHERE origin = ? AND key_fingerprint = ? AND name = ?')
      .pluck()
      .get(account.origin, account.keyFingerprint, name);
    return typeof value === 'string' ? value : null;
  }

  saveAccountFact(account: Account, name: string, value: string): void {
    this.#db.facts
      .prepare(
        `INSERT INTO account_facts (origin, key_fingerprint, name, value) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET value = excluded.value`,
      )
      .run(account.origin, account.keyFingerprint, name, value);
  }
}
