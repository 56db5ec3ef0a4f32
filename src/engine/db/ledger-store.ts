import type {
  CapChange,
  CapScope,
  CapState,
  LedgerTotals,
  LedgerLine,
  LedgerState,
  SpentBy,
  SpentGroup,
} from '../../contract/ledger.ts';
import { accountOfService, serviceOfAccount } from '../../contract/accounts.ts';
import type { JobStateName, PauseReason } from '../../contract/job.ts';
import type { Kind } from '../../contract/kinds/kind.ts';
import type { Verdict } from '../../contract/verdict.ts';
import { joined, sql, Store, type Sql } from './connection.ts';

/** A request would pass a cap, or a cap in money cannot be checked because its price is not known. */
export class CapReachedError extends Error {
  readonly cap: CapState;
  /** The model whose price is not known; undefined when the cap is reached. */
  readonly unpriced: string | undefined;

  constructor(cap: CapState, unpriced?: string) {
    super(`The cap of the ${cap.scope.scope} is reached.`);
    this.cap = cap;
    this.unpriced = unpriced;
  }
}

/** A request would pass the cap of the agent's session that asked for it. */
export class AgentCapError extends Error {}

export const MICROS = 1_000_000;
const toMicros = (price: number | null): number | null => (price === null ? null : Math.round(price * MICROS));
const fromMicros = (micros: number | null): number | null => (micros === null ? null : micros / MICROS);

interface Priced {
  readonly id: string;
  readonly price: number | null;
  readonly facts: object;
}

interface PricedCall extends Priced {
  /** The agent's session that a call of a tool is made for; a take knows its own. */
  readonly session?: string | null;
}

export interface LineToPrice {
  readonly id: string;
  readonly at: number;
  readonly model: string;
  readonly jobId: string | null;
  readonly facts: object | null;
  readonly service: string | null;
}

export interface RequestOfTake {
  readonly line: number;
  readonly at: number;
  readonly ledger: LedgerState;
  readonly model: string;
  readonly micros: number | null;
  readonly kind: Kind;
  /** Seconds that the shot asked for; null when it asked for none or they are unknown. */
  readonly seconds: number | null;
  readonly isNewest: boolean;
  readonly state: JobStateName;
  readonly paused: PauseReason | null;
  readonly savedAt: number | null;
  readonly flag: Verdict['flag'];
}

export interface LedgerScope {
  /** The service of an account; null for the first one. */
  readonly account?: string | null | undefined;
  readonly projectId?: string | undefined;
  readonly batchId?: string | undefined;
  readonly jobId?: string | undefined;
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

interface CapRow {
  readonly scope: CapScope['scope'];
  readonly scopeId: string;
  readonly micros: number | null;
  readonly takes: number | null;
}

export interface Sent {
  readonly takes: number;
  readonly micros: number;
}

/** Projects on a built-in service, which costs nothing. */
export const FREE_PROJECTS = sql`SELECT id FROM projects WHERE service NOT GLOB 'account:*'`;
const IS_PAID = sql`IFNULL(ledger.project_id, '') NOT IN (${FREE_PROJECTS})`;

interface Spent extends Sent {
  readonly unpriced: number;
  readonly takesBefore: number;
  readonly microsBefore: number;
}

/**
 * Every billable request with its price and how it ended, and the caps. The journals themselves write the lines (see
 * the migration); here they get their prices, in the transaction of their intent, and are added up.
 */
export class LedgerStore extends Store {
  /** What an account is called (its id, or empty for the first one): only the settings know. */
  accountName: (accountId: string) => string = () => '';

  /**
   * Gives the line of an intent its price, and makes sure that it passes no cap. Called in the transaction that writes
   * the intent: a throw undoes both. `nightStart`: when the present night began, ms. Returns the caps that it counts
   * against, with it. Throws CapReachedError, without it, and AgentCapError.
   */
  reserve({ id, price, facts, session = null }: PricedCall, nightStart: number): CapState[] {
    const micros = toMicros(price);
    this.#price({ id, price, facts });
    type Line = Record<'projectId' | 'batchId' | 'tool' | 'session' | 'account', string | null> & {
      model: string;
      isPaid: boolean;
    };
    const line = this.facts.one<Line>`
      UPDATE ledger SET session = COALESCE(${session}, (SELECT session FROM agent_takes WHERE job_id = ledger.job_id))
      WHERE id = ${id} RETURNING project_id, batch_id, model, tool, session, account, ${IS_PAID} AS isPaid`;
    if (line === null) throw new Error(`The ledger has no line ${id}.`);
    if (line.session !== null && !this.#isWithinAgentCap(line.session)) throw new AgentCapError();
    const caps = this.facts.all<CapRow>`SELECT * FROM caps WHERE (scope = 'night' AND ${line.isPaid})
      OR (scope = 'account' AND ${line.isPaid} AND scope_id = ${accountOfService(line.account) ?? ''})
      OR (scope = 'project' AND scope_id = ${line.projectId}) OR (scope = 'batch' AND scope_id = ${line.batchId})`;
    return caps.map((cap) => {
      const state = this.#stateOf(cap, nightStart);
      if (cap.micros !== null && state.spent.unpriced > 0) {
        // This line or an earlier one has no price: it came from a project folder, or the price of its model was
        // removed. It may cost any amount.
        const [model = line.model] = micros === null ? [] : this.unpricedModels(linesFor(state.scope, nightStart));
        throw new CapReachedError(without(state, micros, line.tool), model);
      }
      const isOver =
        (cap.micros !== null && state.spent.micros > cap.micros) ||
        (cap.takes !== null && line.tool === null && state.spent.takes > cap.takes);
      if (isOver) throw new CapReachedError(without(state, micros, line.tool));
      return state;
    });
  }

  #isWithinAgentCap(session: string): boolean {
    return this.facts.has`SELECT 1 FROM agent_sessions, (SELECT COUNT(*) AS requests, IFNULL(SUM(micros), 0) AS spent,
          COUNT(*) FILTER (WHERE micros IS NULL) AS unpriced
        FROM ledger WHERE session = ${session} AND state <> 'released')
      WHERE id = ${session} AND (takes IS NULL OR requests <= takes)
        AND (agent_sessions.micros IS NULL OR (unpriced = 0 AND spent <= agent_sessions.micros))`;
  }

  serviceOf({ projectId, batchId, jobId }: LedgerScope): string | null {
    return this.facts.value`SELECT service FROM projects
      WHERE id = COALESCE(${projectId}, (SELECT project_id FROM batches WHERE id = ${batchId}),
        (SELECT project_id FROM jobs WHERE id = ${jobId}))`;
  }

  /** The service that the request of a line went to: its project may have another account now. */
  serviceOfLine(id: string): string | null {
    return this.facts.value`SELECT account FROM ledger WHERE id = ${id}`;
  }

  /** Takes that were sent with an account and are not over. */
  followed(account: string | null): number {
    return this.facts.count`SELECT COUNT(*) FROM jobs JOIN ledger ON ledger.id = jobs.attempt_id
      WHERE jobs.step IN ('poll', 'download') AND ledger.account IS ${account}`;
  }

  /** What the shots of a batch cost, by their keys, in the currency of the price table; null where a price is missing. */
  ofShots(batchId: string): Map<string, number | null> {
    const rows = this.facts.all<{ shot: string; micros: number; unpriced: number }>`SELECT jobs.shot_key AS shot,
        IFNULL(SUM(micros), 0) AS micros, COUNT(*) FILTER (WHERE micros IS NULL) AS unpriced
      FROM ledger JOIN jobs ON jobs.id = ledger.job_id
      WHERE ledger.batch_id = ${batchId} AND ledger.state <> 'released' GROUP BY jobs.shot_key`;
    return new Map(rows.map(({ shot, micros, unpriced }) => [shot, unpriced > 0 ? null : micros / MICROS]));
  }

  caps(nightStart: number): CapState[] {
    const rows = this.facts.all<CapRow>`SELECT * FROM caps ORDER BY scope, scope_id`;
    return rows.map((row) => this.#stateOf(row, nightStart));
  }

  capOf(scope: CapScope, nightStart: number): CapState | null {
    const row = this.#cap(scope);
    return row && this.#stateOf(row, nightStart);
  }

  #cap(scope: CapScope): CapRow | null {
    return this.facts.one`SELECT * FROM caps WHERE scope = ${scope.scope} AND scope_id = ${idOfScope(scope)}`;
  }

  /** Changes a cap; one without money and takes is removed. */
  changeCap(scope: CapScope, change: CapChange): void {
    const [name, id] = [scope.scope, idOfScope(scope)];
    const before = this.#cap(scope);
    const { money = fromMicros(before?.micros ?? null), takes = before?.takes ?? null } = change;
    if (money === null && takes === null) this.facts.run`DELETE FROM caps WHERE scope = ${name} AND scope_id = ${id}`;
    else
      this.facts.run`INSERT OR REPLACE INTO caps (scope, scope_id, micros, takes)
        VALUES (${name}, ${id}, ${toMicros(money)}, ${takes})`;
  }

  sent(scope: CapScope): Sent {
    const { takes, micros } = this.#spentIn(scope.scope, idOfScope(scope), 0);
    return { takes, micros };
  }

  /** The folder of a project knows of so much that was sent, by whichever data folder: less than that counts no more. */
  keepSent(scope: CapScope, found: Sent): void {
    const known = this.sent(scope);
    if (found.takes <= known.takes && found.micros <= known.micros) return;
    const takes = Math.max(found.takes, known.takes);
    const micros = Math.max(found.micros, known.micros);
    this.facts.run`INSERT OR REPLACE INTO sent_before (scope, scope_id, takes, micros, line)
      VALUES (${scope.scope}, ${idOfScope(scope)}, ${takes}, ${micros}, (SELECT IFNULL(MAX(rowid), 0) FROM ledger))`;
  }

  /** Stores what an answer said about its cost, as a hint beside the price; no cap depends on it. */
  tell(id: string, told: object): void {
    this.hints.run`UPDATE ledger SET told = ${told} WHERE id = ${id}`;
  }

  hasUnpriced(): boolean {
    return this.facts.has`SELECT 1 FROM ledger WHERE micros IS NULL LIMIT 1`;
  }

  unpricedModels(scope: LedgerScope): string[] {
    return this.facts.values`SELECT DISTINCT model FROM ledger
      WHERE state <> 'released' AND micros IS NULL AND ${whereOf(scope)}`;
  }

  totals(scope: LedgerScope): LedgerTotals {
    return this.#grouped(scope, sql`''`)[0]?.totals ?? noTotals();
  }

  totalsBy(scope: LedgerScope, by: SpentBy): SpentGroup[] {
    return this.#grouped(scope, GROUPS[by]).map(({ name, totals, job }) => {
      const of = by === 'take' || by === 'shot' ? this.#take(job) : null;
      const known = by === 'batch' || by === 'project' || by === 'account' ? this.#nameOf(by, name) : null;
      const take = by === 'take' ? (of?.take ?? null) : null;
      return { name, label: of?.shot ?? known, take, batch: of?.batch ?? null, totals };
    });
  }

  #take(jobId: string | null) {
    return this.facts.one<{ shot: string; take: number; batch: string }>`
      SELECT shot_key AS shot, take, batches.name AS batch FROM jobs JOIN batches ON batches.id = jobs.batch_id
      WHERE jobs.id = ${jobId}`;
  }

  #nameOf(scope: 'batch' | 'project' | 'account', id: string): string | null {
    if (scope === 'account') return this.accountName(id);
    return this.facts.value`SELECT name FROM ${scope === 'batch' ? sql`batches` : sql`projects`} WHERE id = ${id}`;
  }

  #grouped(scope: LedgerScope, group: Sql): { name: string; job: string | null; totals: LedgerTotals }[] {
    type Row = AmountRow & { name: string; state: LedgerState; job: string | null };
    const rows = this.facts.all<Row>`SELECT IFNULL(${group}, '') AS name, ledger.state AS state, COUNT(*) AS requests,
        SUM(ledger.micros) AS micros, COUNT(*) FILTER (WHERE ledger.micros IS NULL) AS unpriced,
        MIN(ledger.job_id) AS job
      FROM ledger ${group === GROUPS.shot ? sql`LEFT JOIN jobs ON jobs.id = ledger.job_id` : sql``}
      WHERE ${whereOf(scope)} GROUP BY 1, 2 ORDER BY 1`;
    const groups = Map.groupBy(rows, ({ name }) => name);
    return [...groups].map(([name, amounts]) => ({
      name,
      job: amounts[0]?.job ?? null,
      totals: {
        ...noTotals(),
        ...Object.fromEntries(amounts.map(({ state, ...amount }) => [state, toAmount(amount)])),
      },
    }));
  }

  *lines(scope: LedgerScope): Generator<LedgerLine> {
    const { text, bound } = sql`SELECT ledger.id, ledger.at, ledger.state, ledger.tool, ledger.model, ledger.micros,
        ledger.told, jobs.shot_key AS shot, jobs.take, batches.name AS batch, projects.name AS project
      FROM ledger LEFT JOIN jobs ON jobs.id = ledger.job_id LEFT JOIN batches ON batches.id = ledger.batch_id
        LEFT JOIN projects ON projects.id = ledger.project_id
      WHERE ${whereOf(scope)} ORDER BY ledger.at, ledger.id`;
    type Row = Omit<LedgerLine, 'price'> & { readonly micros: number | null };
    const rows = this.facts.prepare(text).iterate(...bound) as IterableIterator<Row>;
    for (const { micros, ...line } of rows) yield { ...line, price: fromMicros(micros) };
  }

  /** Requests for takes in the order written, a page after a line; those that a 429 sent back do not count. */
  requestsOfTakes(scope: LedgerScope, after: number, limit: number): RequestOfTake[] {
    return this.facts.all<RequestOfTake>`SELECT ledger.rowid AS line, ledger.at AS at, ledger.state AS ledger,
        ledger.model AS model, ledger.micros AS micros, jobs.kind AS kind, ledger.facts ->> '$.seconds' AS seconds,
        jobs.attempt_id IS ledger.id AS isNewest, jobs.state AS state, jobs.paused AS paused,
        NULLIF(jobs.saved_at, 0) AS savedAt, jobs.flag AS flag
      FROM ledger NOT INDEXED CROSS JOIN jobs ON jobs.id = ledger.job_id
      WHERE ledger.rowid > ${after} AND ledger.tool IS NULL AND ${whereOf(scope)}
        AND NOT (ledger.state = 'released' AND EXISTS (SELECT 1 FROM attempts
          WHERE attempts.job_id = jobs.id AND attempts.id = ledger.id AND attempts.outcome = 'not_accepted'))
      ORDER BY ledger.rowid LIMIT +${limit}`;
  }

  /** Lines without a final price, some at a time; `new` ones never had one. */
  linesToPrice(which: 'all' | 'new', after: string, limit: number): LineToPrice[] {
    const isMeant = which === 'all' ? sql`TRUE` : sql`facts IS NULL`;
    return this.facts.all<LineToPrice>`SELECT ledger.id, at, model, job_id, facts, account AS service FROM ledger
      WHERE ledger.id > ${after} AND ${isMeant} ORDER BY ledger.id LIMIT +${limit}`;
  }

  price(lines: readonly Priced[]): void {
    this.facts.inOneCommit(() => lines.forEach((line) => this.#price(line)));
  }

  #price({ id, price, facts }: Priced): void {
    this.facts.run`UPDATE ledger SET micros = ${toMicros(price)}, facts = ${facts} WHERE id = ${id}`;
  }

  #stateOf({ scope, scopeId, micros, takes }: CapRow, nightStart: number): CapState {
    const spent = this.#spentIn(scope, scopeId, nightStart);
    return {
      scope: scopeFor(scope, scopeId),
      name: scope === 'night' ? '' : (this.#nameOf(scope, scopeId) ?? ''),
      cap: { money: fromMicros(micros), takes },
      spent: { money: spent.micros / MICROS, ...spent },
    };
  }

  #spentIn(scope: CapScope['scope'], scopeId: string, nightStart: number): Sent & { readonly unpriced: number } {
    const before = this.facts.one<Sent & { readonly line: number }>`SELECT takes, line,
        CASE WHEN scope_id IN (${FREE_PROJECTS})
          OR scope_id IN (SELECT id FROM batches WHERE project_id IN (${FREE_PROJECTS}))
        THEN 0 ELSE micros END AS micros
      FROM sent_before WHERE scope = ${scope} AND scope_id = ${scopeId}`;
    const { takes: takesSent, micros: microsSent, line } = before ?? { takes: 0, micros: 0, line: 0 };
    const where = whereOf(linesFor(scopeFor(scope, scopeId), nightStart));
    const [spent = { takes: 0, micros: 0, unpriced: 0, takesBefore: 0, microsBefore: 0 }] = this.facts.all<Spent>`
      SELECT COUNT(*) FILTER (WHERE tool IS NULL) AS takes, IFNULL(SUM(micros), 0) AS micros,
        COUNT(*) FILTER (WHERE micros IS NULL) AS unpriced,
        COUNT(*) FILTER (WHERE tool IS NULL AND rowid <= ${line}) AS takesBefore,
        IFNULL(SUM(micros) FILTER (WHERE rowid <= ${line}), 0) AS microsBefore
      FROM ledger WHERE state <> 'released' AND ${where}`;
    return {
      takes: spent.takes + Math.max(0, takesSent - spent.takesBefore),
      micros: spent.micros + Math.max(0, microsSent - spent.microsBefore),
      unpriced: spent.unpriced,
    };
  }
}

/** What counted against a cap before a line of this price. */
function without({ spent, ...cap }: CapState, micros: number | null, tool: string | null): CapState {
  const left = spent.micros - (micros ?? 0);
  return {
    ...cap,
    spent: {
      money: left / MICROS,
      micros: left,
      takes: spent.takes - (tool === null ? 1 : 0),
      unpriced: spent.unpriced - (micros === null ? 1 : 0),
    },
  };
}

/** Columns and days by which lines are added up; days are in the time zone of this machine. */
const GROUPS: Readonly<Record<SpentBy, Sql>> = {
  model: sql`ledger.model`,
  batch: sql`ledger.batch_id`,
  project: sql`ledger.project_id`,
  account: sql`substr(ledger.account, 9)`,
  shot: sql`jobs.batch_id || ' ' || jobs.shot_key`,
  take: sql`ledger.job_id`,
  tool: sql`ledger.tool`,
  night: sql`date(ledger.at / 1000, 'unixepoch', 'localtime', '-12 hours')`,
  day: sql`date(ledger.at / 1000, 'unixepoch', 'localtime')`,
  month: sql`strftime('%Y-%m', ledger.at / 1000, 'unixepoch', 'localtime')`,
};

interface AmountRow {
  readonly requests: number;
  readonly micros: number | null;
  readonly unpriced: number;
}

const toAmount = ({ requests, micros, unpriced }: AmountRow) => ({ requests, price: fromMicros(micros), unpriced });
const nothing = { requests: 0, price: null, unpriced: 0 };
const noTotals = (): LedgerTotals => ({ reserved: nothing, settled: nothing, released: nothing, unclear: nothing });

function whereOf({ account, projectId, batchId, jobId, from, until }: LedgerScope): Sql {
  return joined([
    (projectId ?? batchId ?? jobId) === undefined ? IS_PAID : sql`TRUE`,
    ...(account === undefined ? [] : [sql`IFNULL(ledger.account, '') = ${account ?? ''}`]),
    ...(projectId === undefined ? [] : [sql`ledger.project_id = ${projectId}`]),
    ...(batchId === undefined ? [] : [sql`ledger.batch_id = ${batchId}`]),
    ...(jobId === undefined ? [] : [sql`ledger.job_id = ${jobId}`]),
    ...(from === undefined ? [] : [sql`ledger.at >= ${from}`]),
    ...(until === undefined ? [] : [sql`ledger.at < ${until}`]),
  ]);
}

export const linesFor = (scope: CapScope, nightStart: number): LedgerScope => {
  if (scope.scope === 'batch') return { batchId: scope.batchId };
  if (scope.scope === 'project') return { projectId: scope.projectId };
  return { from: nightStart, ...(scope.scope === 'account' && { account: serviceOfAccount(scope.accountId || null) }) };
};

export function idOfScope(scope: CapScope): string {
  if (scope.scope === 'batch') return scope.batchId;
  if (scope.scope === 'project') return scope.projectId;
  return scope.scope === 'account' ? scope.accountId : '';
}

export const scopeFor = <Name extends CapScope['scope']>(scope: Name, id: string) =>
  ({
    scope,
    ...(scope === 'batch' && { batchId: id }),
    ...(scope === 'project' && { projectId: id }),
    ...(scope === 'account' && { accountId: id }),
  }) as Extract<CapScope, { scope: Name }>;

/** The takes that count, once they are sent, against the cap of a scope. */
export function inCapScope(scope: CapScope): Sql {
  switch (scope.scope) {
    case 'batch':
      return sql`batch_id = ${scope.batchId}`;
    case 'project':
      return sql`project_id = ${scope.projectId}`;
    case 'account':
      return sql`project_id IN (SELECT id FROM projects WHERE service IS ${serviceOfAccount(scope.accountId || null)})`;
    case 'night':
      return sql`project_id NOT IN (${FREE_PROJECTS})`;
  }
}
