import type Database from 'better-sqlite3';
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
import type { JobStateName, PauseReason } from '../../contract/job.ts';
import type { Kind } from '../../contract/kinds/kind.ts';
import type { Verdict } from '../../contract/verdict.ts';
import type { EngineDatabase } from './open.ts';

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
  /** Kept as JSON: see `PriceFacts`. */
  readonly facts: object;
}

interface PricedCall extends Priced {
  /** The agent's session that a call of a tool is made for; a take knows its own. */
  readonly session?: string | null;
}

/** A line without the facts of its price: written before prices were kept. */
export interface LineToPrice {
  readonly id: string;
  readonly at: number;
  readonly model: string;
  readonly jobId: string | null;
  readonly facts: string | null;
  /** The service that its project is on, when it is not the one of the settings. */
  readonly service: string | null;
}

export interface RequestOfTake {
  /** Grows with each request. */
  readonly line: number;
  /** When the request was written down, right before it was sent, ms. */
  readonly at: number;
  readonly ledger: LedgerState;
  readonly model: string;
  readonly micros: number | null;
  readonly kind: Kind;
  /** Seconds that the shot asked for; null when it asked for none or they are unknown. */
  readonly seconds: number | null;
  /** Whether the take was not requested again since. */
  readonly isNewest: boolean;
  readonly state: JobStateName;
  readonly paused: PauseReason | null;
  /** When the take was saved first, ms; null where that is not known. */
  readonly savedAt: number | null;
  readonly flag: Verdict['flag'];
}

/** Which lines are added up. Without a project, batch or job: all that are paid for. */
export interface LedgerScope {
  readonly projectId?: string | undefined;
  readonly batchId?: string | undefined;
  readonly jobId?: string | undefined;
  /** From and before these times, ms. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

interface CapRow {
  readonly scope: CapScope['scope'];
  readonly scope_id: string;
  readonly micros: number | null;
  readonly takes: number | null;
}

/** What was sent against a cap, the price in millionths. */
export interface Sent {
  readonly takes: number;
  readonly micros: number;
}

/** Projects on a built-in service, which costs nothing. */
export const FREE_PROJECTS = 'SELECT id FROM projects WHERE service IS NOT NULL';
const IS_PAID = `IFNULL(ledger.project_id, '') NOT IN (${FREE_PROJECTS})`;

const WHERE: Readonly<Record<CapScope['scope'], string>> = {
  night: `at >= @nightStart AND ${IS_PAID}`,
  project: 'project_id = @scopeId',
  batch: 'batch_id = @scopeId',
};

/**
 * Every billable request with its price and how it ended, and the caps. The journals themselves write the lines (see
 * the migration); here they get their prices, in the transaction of their intent, and are added up.
 */
export class LedgerStore {
  readonly #db: Database.Database;
  readonly #price: Database.Statement;
  readonly #caps: Database.Statement;
  readonly #tell: Database.Statement;
  readonly #lineOf: Database.Statement;
  readonly #agentCap: Database.Statement;
  readonly #takeOf: Database.Statement;
  readonly #nameOf: Readonly<Record<'batch' | 'project', Database.Statement>>;
  readonly #before: Database.Statement;
  readonly #serviceOf: Database.Statement;
  readonly #spent: Readonly<Record<CapScope['scope'], Database.Statement>>;

  constructor(db: EngineDatabase) {
    this.#db = db.facts;
    this.#price = this.#db.prepare('UPDATE ledger SET micros = @micros, facts = @facts WHERE id = @id');
    this.#tell = db.hints.prepare('UPDATE ledger SET told = ? WHERE id = ?');
    this.#lineOf = this.#db.prepare(
      `UPDATE ledger SET session = COALESCE(@session, (SELECT session FROM agent_takes WHERE job_id = ledger.job_id))
       WHERE id = @id RETURNING project_id, batch_id, model, tool, session, ${IS_PAID} AS isPaid`,
    );
    this.#agentCap = this.#db
      .prepare(
        `SELECT 1 FROM agent_sessions, (SELECT COUNT(*) AS requests, IFNULL(SUM(micros), 0) AS spent,
             COUNT(*) FILTER (WHERE micros IS NULL) AS unpriced
           FROM ledger WHERE session = @session AND state <> 'released')
         WHERE id = @session AND (takes IS NULL OR requests <= takes)
           AND (agent_sessions.micros IS NULL OR (unpriced = 0 AND spent <= agent_sessions.micros))`,
      )
      .pluck();
    this.#caps = this.#db.prepare(
      `SELECT * FROM caps WHERE (scope = 'night' AND @isPaid) OR (scope = 'project' AND scope_id = @projectId)
         OR (scope = 'batch' AND scope_id = @batchId)`,
    );
    this.#serviceOf = this.#db
      .prepare(
        `SELECT service FROM projects WHERE id = COALESCE(@projectId, (SELECT project_id FROM batches WHERE id = @batchId),
           (SELECT project_id FROM jobs WHERE id = @jobId), (SELECT project_id FROM ledger WHERE id = @line))`,
      )
      .pluck();
    const spent = (scope: CapScope['scope']) =>
      this.#db.prepare(
        `SELECT COUNT(*) FILTER (WHERE tool IS NULL) AS takes, IFNULL(SUM(micros), 0) AS micros,
           COUNT(*) FILTER (WHERE micros IS NULL) AS unpriced,
           COUNT(*) FILTER (WHERE tool IS NULL AND rowid <= @line) AS takesBefore,
           IFNULL(SUM(micros) FILTER (WHERE rowid <= @line), 0) AS microsBefore
         FROM ledger WHERE state <> 'released' AND ${WHERE[scope]}`,
      );
    this.#before = this.#db.prepare(
      `SELECT takes, CASE WHEN scope_id IN (${FREE_PROJECTS})
           OR scope_id IN (SELECT id FROM batches WHERE project_id IN (${FREE_PROJECTS})) THEN 0 ELSE micros END AS micros, line
       FROM sent_before WHERE scope = ? AND scope_id = ?`,
    );
    this.#takeOf = this.#db.prepare(
      `SELECT shot_key AS shot, take, batches.name AS batch FROM jobs JOIN batches ON batches.id = jobs.batch_id
       WHERE jobs.id = ?`,
    );
    this.#nameOf = {
      batch: this.#db.prepare('SELECT name FROM batches WHERE id = ?').pluck(),
      project: this.#db.prepare('SELECT name FROM projects WHERE id = ?').pluck(),
    };
    this.#spent = { night: spent('night'), project: spent('project'), batch: spent('batch') };
  }

  /**
   * Gives the line of an intent its price, and makes sure that it passes no cap. Called in the transaction that writes
   * the intent: a throw undoes both. `nightStart`: when the present night began, ms. Returns the caps that it counts
   * against, with it. Throws CapReachedError, without it, and AgentCapError.
   */
  reserve({ id, price, facts, session = null }: PricedCall, nightStart: number): CapState[] {
    const micros = toMicros(price);
    this.#price.run({ id, micros, facts: JSON.stringify(facts) });
    const line = this.#lineOf.get({ id, session }) as {
      project_id: string | null;
      batch_id: string | null;
      model: string;
      tool: string | null;
      session: string | null;
      isPaid: 0 | 1;
    };
    if (line.session !== null && this.#agentCap.get({ session: line.session }) === undefined) throw new AgentCapError();
    const where = { projectId: line.project_id, batchId: line.batch_id, isPaid: line.isPaid };
    const caps = this.#caps.all(where) as CapRow[];
    return caps.map((cap) => {
      const state = this.#stateOf(cap, nightStart);
      if (cap.micros !== null && state.spent.unpriced > 0) {
        // This line or an earlier one has no price: it came from a project folder, or the price of its model was
        // removed. It may cost any amount.
        const [model = line.model] = micros === null ? [] : this.unpricedModels(linesOf(state.scope, nightStart));
        throw new CapReachedError(without(state, micros, line.tool), model);
      }
      const isOver =
        (cap.micros !== null && state.spent.micros > cap.micros) ||
        (cap.takes !== null && line.tool === null && state.spent.takes > cap.takes);
      if (isOver) throw new CapReachedError(without(state, micros, line.tool));
      return state;
    });
  }

  /** The service that a scope is on, or the line of an intent, when it is not the one of the settings. */
  serviceOf({ projectId, batchId, jobId, line }: LedgerScope & { readonly line?: string }): string | null {
    const where = { projectId: projectId ?? null, batchId: batchId ?? null, jobId: jobId ?? null, line: line ?? null };
    return (this.#serviceOf.get(where) as string | null | undefined) ?? null;
  }

  caps(nightStart: number): CapState[] {
    const rows = this.#db.prepare('SELECT * FROM caps ORDER BY scope, scope_id').all() as CapRow[];
    return rows.map((row) => this.#stateOf(row, nightStart));
  }

  /** The cap of a scope; null where there is none. */
  capOf(scope: CapScope, nightStart: number): CapState | null {
    const row = this.#db
      .prepare('SELECT * FROM caps WHERE scope = ? AND scope_id = ?')
      .get(scope.scope, idOfScope(scope)) as CapRow | undefined;
    return row ? this.#stateOf(row, nightStart) : null;
  }

  /** Changes a cap; one without money and takes is removed. */
  changeCap(scope: CapScope, change: CapChange): void {
    const key = { scope: scope.scope, scopeId: idOfScope(scope) };
    const before = this.#db
      .prepare('SELECT micros, takes FROM caps WHERE scope = @scope AND scope_id = @scopeId')
      .get(key) as Pick<CapRow, 'micros' | 'takes'> | undefined;
    const { money = fromMicros(before?.micros ?? null), takes = before?.takes ?? null } = change;
    if (money === null && takes === null) {
      this.#db.prepare('DELETE FROM caps WHERE scope = @scope AND scope_id = @scopeId').run(key);
      return;
    }
    this.#db
      .prepare(
        `INSERT INTO caps (scope, scope_id, micros, takes) VALUES (@scope, @scopeId, @micros, @takes)
         ON CONFLICT DO UPDATE SET micros = @micros, takes = @takes`,
      )
      .run({ ...key, micros: toMicros(money), takes });
  }

  sent(scope: CapScope): Sent {
    const { takes, micros } = this.#spentIn(scope.scope, idOfScope(scope), 0);
    return { takes, micros };
  }

  /** The folder of a project knows of so much that was sent, by whichever data folder: less than that counts no more. */
  keepSent(scope: CapScope, found: Sent): void {
    const known = this.sent(scope);
    if (found.takes <= known.takes && found.micros <= known.micros) return;
    const most = { takes: Math.max(found.takes, known.takes), micros: Math.max(found.micros, known.micros) };
    this.#db
      .prepare(
        `INSERT INTO sent_before VALUES (@scope, @scopeId, @takes, @micros, (SELECT IFNULL(MAX(rowid), 0) FROM ledger))
         ON CONFLICT DO UPDATE SET takes = excluded.takes, micros = excluded.micros, line = excluded.line`,
      )
      .run({ scope: scope.scope, scopeId: idOfScope(scope), ...most });
  }

  /** Stores what an answer said about its cost, as a hint beside the price; no cap depends on it. */
  tell(id: string, told: object): void {
    this.#tell.run(JSON.stringify(told), id);
  }

  hasUnpriced(): boolean {
    const one = this.#db.prepare(`SELECT 1 FROM ledger WHERE micros IS NULL LIMIT 1`);
    return one.get() !== undefined;
  }

  unpricedModels(scope: LedgerScope): string[] {
    const { where, parameters } = whereOf(scope);
    return this.#db
      .prepare(`SELECT DISTINCT model FROM ledger WHERE state <> 'released' AND micros IS NULL AND ${where}`)
      .pluck()
      .all(parameters) as string[];
  }

  totals(scope: LedgerScope): LedgerTotals {
    return this.#grouped(scope, `''`)[0]?.totals ?? noTotals();
  }

  totalsBy(scope: LedgerScope, by: SpentBy): SpentGroup[] {
    return this.#grouped(scope, GROUPS[by]).map(({ name, totals, job }) => {
      const of = by === 'take' || by === 'shot' ? (this.#takeOf.get(job) as TakeRow | undefined) : undefined;
      const known = by === 'batch' || by === 'project' ? (this.#nameOf[by].get(name) as string | undefined) : undefined;
      const take = by === 'take' ? (of?.take ?? null) : null;
      return { name, label: of?.shot ?? known ?? null, take, batch: of?.batch ?? null, totals };
    });
  }

  #grouped(scope: LedgerScope, group: string): { name: string; job: string | null; totals: LedgerTotals }[] {
    const { where, parameters } = whereOf(scope);
    const rows = this.#db
      .prepare(
        `SELECT IFNULL(${group}, '') AS name, ledger.state AS state, COUNT(*) AS requests, SUM(ledger.micros) AS micros,
           COUNT(*) FILTER (WHERE ledger.micros IS NULL) AS unpriced, MIN(ledger.job_id) AS job
         FROM ledger ${group === GROUPS.shot ? 'LEFT JOIN jobs ON jobs.id = ledger.job_id' : ''}
         WHERE ${where} GROUP BY 1, 2 ORDER BY 1`,
      )
      .all(parameters) as (AmountRow & { name: string; state: LedgerState; job: string | null })[];
    const groups = Map.groupBy(rows, ({ name }) => name);
    return [...groups].map(([name, amounts]) => ({
      name,
      job: amounts[0]?.job ?? null,
      totals: {
        ...noTotals(),
        ...Object.fromEntries(amounts.map(({ state, ...amount }) => [state, amountOf(amount)])),
      },
    }));
  }

  /** The lines of a scope, the oldest first, for a table that people open. */
  *lines(scope: LedgerScope): Generator<LedgerLine> {
    const { where, parameters } = whereOf(scope);
    const rows = this.#db
      .prepare(
        `SELECT ledger.*, jobs.shot_key AS shot, jobs.take AS take, batches.name AS batch, projects.name AS project
         FROM ledger LEFT JOIN jobs ON jobs.id = ledger.job_id LEFT JOIN batches ON batches.id = ledger.batch_id
           LEFT JOIN projects ON projects.id = ledger.project_id
         WHERE ${where} ORDER BY ledger.at, ledger.id`,
      )
      .iterate(parameters) as IterableIterator<LineRow>;
    for (const row of rows) yield toLine(row);
  }

  /**
   * Requests for takes in the order in which they were written, a page after a line; those that a 429 sent back do not
   * count.
   */
  requestsOfTakes(scope: LedgerScope, after: number, limit: number): RequestOfTake[] {
    const { where, parameters } = whereOf(scope);
    const rows = this.#db
      .prepare(
        `SELECT ledger.rowid AS line, ledger.at AS at, ledger.state AS ledger, ledger.model AS model, ledger.micros AS micros,
           jobs.kind AS kind, ledger.facts ->> '$.seconds' AS seconds, jobs.attempt_id IS ledger.id AS isNewest, jobs.state AS state,
           jobs.paused AS paused, NULLIF(jobs.saved_at, 0) AS savedAt, jobs.flag AS flag
         FROM ledger NOT INDEXED CROSS JOIN jobs ON jobs.id = ledger.job_id
         WHERE ledger.rowid > @after AND ledger.tool IS NULL AND ${where}
           AND NOT (ledger.state = 'released' AND EXISTS (SELECT 1 FROM attempts
             WHERE attempts.job_id = jobs.id AND attempts.id = ledger.id AND attempts.outcome = 'not_accepted'))
         ORDER BY ledger.rowid LIMIT @limit`,
      )
      .all({ ...parameters, after, limit }) as (Omit<RequestOfTake, 'isNewest'> & { isNewest: number })[];
    return rows.map((row) => ({ ...row, isNewest: row.isNewest === 1 }));
  }

  /** Lines without a final price, some at a time; `new` ones never had one. */
  linesToPrice(which: 'all' | 'new', after: string, limit: number): LineToPrice[] {
    const isMeant = which === 'all' ? 'TRUE' : 'facts IS NULL';
    return this.#db
      .prepare(
        `SELECT ledger.id, at, model, job_id AS jobId, facts, service
         FROM ledger LEFT JOIN projects ON projects.id = ledger.project_id
         WHERE ledger.id > ? AND ${isMeant} ORDER BY ledger.id LIMIT ?`,
      )
      .all(after, limit) as LineToPrice[];
  }

  price(lines: readonly Priced[]): void {
    this.#db
      .transaction(() => {
        for (const { id, price, facts } of lines)
          this.#price.run({ id, micros: toMicros(price), facts: JSON.stringify(facts) });
      })
      .immediate();
  }

  #stateOf({ scope, scope_id, micros, takes }: CapRow, nightStart: number): CapState {
    const spent = this.#spentIn(scope, scope_id, nightStart);
    return {
      scope: scopeOf(scope, scope_id),
      name: scope === 'night' ? '' : ((this.#nameOf[scope].get(scope_id) as string | undefined) ?? ''),
      cap: { money: fromMicros(micros), takes },
      spent: { money: spent.micros / MICROS, ...spent },
    };
  }

  #spentIn(scope: CapScope['scope'], scopeId: string, nightStart: number): Sent & { readonly unpriced: number } {
    const before = this.#before.get(scope, scopeId) as (Sent & { readonly line: number }) | undefined;
    const { takes, micros, unpriced, ...then } = this.#spent[scope].get({
      ...{ nightStart, scopeId, line: before?.line ?? 0 },
    }) as Record<'takes' | 'micros' | 'unpriced' | 'takesBefore' | 'microsBefore', number>;
    return {
      takes: takes + Math.max(0, (before?.takes ?? 0) - then.takesBefore),
      micros: micros + Math.max(0, (before?.micros ?? 0) - then.microsBefore),
      unpriced,
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
const GROUPS: Readonly<Record<SpentBy, string>> = {
  model: 'ledger.model',
  batch: 'ledger.batch_id',
  project: 'ledger.project_id',
  shot: `jobs.batch_id || ' ' || jobs.shot_key`,
  take: 'ledger.job_id',
  tool: 'ledger.tool',
  night: `date(ledger.at / 1000, 'unixepoch', 'localtime', '-12 hours')`,
  day: `date(ledger.at / 1000, 'unixepoch', 'localtime')`,
  month: `strftime('%Y-%m', ledger.at / 1000, 'unixepoch', 'localtime')`,
};

interface TakeRow {
  readonly batch: string;
  readonly shot: string;
  readonly take: number;
}

interface AmountRow {
  readonly requests: number;
  readonly micros: number | null;
  readonly unpriced: number;
}

const amountOf = ({ requests, micros, unpriced }: AmountRow) => ({ requests, price: fromMicros(micros), unpriced });
const nothing = { requests: 0, price: null, unpriced: 0 };
const noTotals = (): LedgerTotals => ({ reserved: nothing, settled: nothing, released: nothing, unclear: nothing });

function whereOf({ projectId, batchId, jobId, from, until }: LedgerScope) {
  const where = [
    (projectId ?? batchId ?? jobId) === undefined ? IS_PAID : 'TRUE',
    ...(projectId === undefined ? [] : ['ledger.project_id = @projectId']),
    ...(batchId === undefined ? [] : ['ledger.batch_id = @batchId']),
    ...(jobId === undefined ? [] : ['ledger.job_id = @jobId']),
    ...(from === undefined ? [] : ['ledger.at >= @from']),
    ...(until === undefined ? [] : ['ledger.at < @until']),
  ].join(' AND ');
  return {
    where,
    parameters: {
      ...{ projectId: projectId ?? null, batchId: batchId ?? null, jobId: jobId ?? null },
      ...{ from: from ?? null, until: until ?? null },
    },
  };
}

/** The lines that count against a cap, while the night lasts. */
export const linesOf = (scope: CapScope, nightStart: number): LedgerScope => {
  if (scope.scope === 'batch') return { batchId: scope.batchId };
  return scope.scope === 'project' ? { projectId: scope.projectId } : { from: nightStart };
};

export const idOfScope = (scope: CapScope): string =>
  scope.scope === 'batch' ? scope.batchId : scope.scope === 'project' ? scope.projectId : '';

function scopeOf(scope: CapScope['scope'], id: string): CapScope {
  if (scope === 'batch') return { scope, batchId: id };
  return scope === 'project' ? { scope, projectId: id } : { scope };
}

interface LineRow {
  readonly id: string;
  readonly at: number;
  readonly state: LedgerState;
  readonly tool: string | null;
  readonly model: string;
  readonly micros: number | null;
  readonly told: string | null;
  readonly project: string | null;
  readonly batch: string | null;
  readonly shot: string | null;
  readonly take: number | null;
}

const toLine = ({ id, at, state, tool, model, micros, told, project, batch, shot, take }: LineRow): LedgerLine => ({
  ...{ id, at, state, tool, model, project, batch, shot, take, told },
  price: fromMicros(micros),
});
