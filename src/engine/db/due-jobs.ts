import type { CapScope } from '../../contract/ledger.ts';
import { joined, sql, Sql, Store } from './connection.ts';
import { inScope, JOB_COLUMNS, type Job, type Scope } from './job-sql.ts';
import { inCapScope } from './ledger-store.ts';
import { isAccount } from '../../contract/accounts.ts';
import { toAttempt } from '../machine/job-facts.ts';
import type { JobState } from '../../contract/job.ts';
import type { InFlight } from '../machine/ceiling.ts';
import { accountKey, accountOfKey, type Account } from './service-store.ts';

export type Step = 'prepare' | 'submit' | 'poll' | 'download';

/** The service whose projects' jobs are claimed; null for the one of the settings. */
export type ServiceName = string | null;

export interface ClaimExclusions {
  readonly jobs?: ReadonlySet<string>;
  readonly projects?: readonly string[];
  readonly batches?: readonly string[];
  readonly closed?: Closed;
  readonly models?: readonly string[];
  readonly accounts?: readonly string[];
}

export interface RunnableJobs {
  readonly scope: Scope;
  readonly service: ServiceName;
  readonly steps: readonly Step[];
  readonly capped?: Capped;
  readonly closed?: Closed;
  readonly lastSeq?: number | null | undefined;
}

/** Takes on hold because a cap is reached: everything that is paid for, or what belongs to these, by id. */
export interface Capped {
  readonly paid: boolean;
  readonly projects: readonly string[];
  readonly batches: readonly string[];
}

const noneCapped: Capped = { paid: false, projects: [], batches: [] };

/** Takes on hold because their window is closed, by id: these projects, except for batches with their own window. */
export interface Closed {
  readonly projects: readonly string[];
  readonly except: readonly string[];
  readonly batches: readonly string[];
}

export const noneClosed: Closed = { projects: [], except: [], batches: [] };

/**
 * Waits for a take or pick of another shot, or for a release, due at 0 when that may have come; or for something that
 * reads a frame of a film.
 */
const WAITS = sql`(state = 'needs_assets' AND due_at > 0
  AND COALESCE(facts ->> '$.waitsFor', facts ->> '$.wait', facts ->> '$.needsFrame') IS NOT NULL)`;

const isAmong = (column: Sql, values: readonly string[]): Sql =>
  sql`${column} IN (SELECT value FROM json_each(${values}))`;

const IS_WHOLE = sql`batch_id NOT IN (SELECT id FROM batches WHERE importing = 1)`;

const isClosed = ({ projects, except, batches }: Closed): Sql => sql`(${isAmong(sql`batch_id`, batches)}
  OR (${isAmong(sql`project_id`, projects)} AND NOT ${isAmong(sql`batch_id`, except)}))`;

/** A built-in one by batch, since few jobs belong to such a project. The plus keeps an account's in the order of turns. */
function isOn(service: ServiceName): Sql {
  if (service === null) return sql`project_id NOT IN (SELECT id FROM projects WHERE service IS NOT NULL)`;
  return isAccount(service)
    ? sql`+project_id IN (SELECT id FROM projects WHERE service = +${service})`
    : sql`batch_id IN (SELECT batches.id FROM batches JOIN projects ON projects.id = batches.project_id
        WHERE projects.service = +${service})`;
}

const FIRST: Readonly<Record<Step, string>> = {
  prepare: 'priority DESC, turn, due_at, seq',
  submit: 'priority DESC, turn, seq',
  poll: 'due_at',
  download: 'due_at',
};

interface Claim {
  readonly now: number;
  readonly limit: number;
  readonly scope: Scope & { readonly service?: ServiceName };
  readonly without?: ClaimExclusions;
}

/** Jobs whose next step is due, most urgent first. For the plus before a parameter, see `EngineDatabase`. */
export function claimFor(step: Step, columns: Sql, { now, limit, scope, without = {} }: Claim): Sql {
  const { projects = [], batches = [], closed = noneClosed, models = [], accounts = [] } = without;
  // New submits belong to the scope of the run; what was sent before is followed in any case.
  const { service = null, projectId, batchId } = step === 'submit' || step === 'prepare' ? scope : { ...scope, ...ANY };
  const due = sql`paused IS NULL AND due_at <= ${now} AND NOT ${isAmong(sql`project_id`, projects)}
    AND ${isOn(service)}`;
  const wanted = [projectId === undefined ? due : sql`${due} AND project_id = +${projectId}`];
  if (step === 'prepare' || step === 'submit')
    wanted.push(sql`${IS_WHOLE} AND (${batchId} IS NULL OR batch_id = ${batchId})`);
  if (step === 'prepare') wanted.push(sql`state = 'needs_assets'`);
  else if (step === 'submit')
    wanted.push(sql`state = 'ready' AND NOT ${isAmong(sql`model`, models)} AND NOT ${isAmong(sql`batch_id`, batches)}
      AND NOT ${isClosed(closed)}`);
  else wanted.push(new Sql(`step = '${step}'`));
  // Usually there are none, and the facts are not read.
  if (step === 'poll' && accounts.length > 0) {
    const account = sql`((facts ->> '$.attempt.keyFingerprint') || ' ' || (facts ->> '$.attempt.origin'))`;
    wanted.push(sql`NOT ${isAmong(account, accounts)}`);
  }
  // The plus keeps SQLite from walking through the jobs of every other project in this order.
  const first = isAccount(service) ? FIRST[step] : FIRST[step].replace(/\b(priority|turn|seq|due_at)\b/g, '+$1');
  return sql`SELECT ${columns} FROM jobs WHERE ${joined(wanted)} ORDER BY ${new Sql(first)} LIMIT +${limit}`;
}

const ANY = { projectId: undefined, batchId: undefined };

/** Which jobs wait for a step, and until when. It changes no states and no revisions. */
export class DueJobs extends Store {
  /** Jobs whose next step is due, most urgent first. A claim changes nothing: the first event of the step does. */
  claim(step: Step, now: number, limit: number, scope: Claim['scope'], without: ClaimExclusions = {}): Job[] {
    const { jobs = new Set() } = without;
    const claim = claimFor(step, JOB_COLUMNS, { now, limit: limit + jobs.size, scope, without });
    return this.facts.all<Job>`${claim}`.filter(({ id }) => !jobs.has(id)).slice(0, limit);
  }

  stepOf(jobId: string): Step | null {
    return this.facts.value<Step>`SELECT step FROM jobs WHERE id = ${jobId}`;
  }

  hasReady(model: string, service: ServiceName): boolean {
    return this.facts.has`SELECT 1 FROM jobs WHERE state = 'ready' AND paused IS NULL AND model = ${model}
      AND (SELECT service FROM projects WHERE id = project_id) IS ${service} LIMIT 1`;
  }

  isAnyBehind(closed: Closed): boolean {
    // By project, for the index.
    return this.facts.has`SELECT 1 FROM jobs
      WHERE state = 'ready' AND paused IS NULL AND ${isClosed(closed)} AND project_id IN (
        SELECT value FROM json_each(${closed.projects})
        UNION SELECT project_id FROM batches WHERE ${isAmong(sql`id`, closed.batches)}) LIMIT 1`;
  }

  /** Whether a take that counts against the cap of a scope has yet to be sent: without one, the cap holds nothing back. */
  hasUnsent(scope: CapScope): boolean {
    const where = inCapScope(scope);
    return this.facts.has`SELECT 1 FROM jobs WHERE state = 'ready' AND paused IS NULL AND ${where}
      UNION ALL SELECT 1 FROM jobs WHERE state = 'needs_assets' AND paused IS NULL AND ${where} LIMIT 1`;
  }

  /** When the next job of a step that is not due yet will be, ms; null when none waits. */
  nextAt(step: Step, now: number): number | null {
    return this.facts.value<number>`SELECT MIN(due_at) FROM jobs
      WHERE paused IS NULL AND step = +${step} AND due_at > ${now}`;
  }

  /** Some next step only waits for time. A shot that waits for another one continues when that one does. */
  canContinue({
    scope,
    service,
    steps,
    capped = noneCapped,
    closed = noneClosed,
    lastSeq = null,
  }: RunnableJobs): boolean {
    if (steps.length === 0) return false;
    const isCapped = sql`(${isAmong(sql`project_id`, capped.projects)} OR ${isAmong(sql`batch_id`, capped.batches)}
      OR ${isAccount(service) && capped.paid})`;
    return this.facts.has`SELECT 1 FROM jobs
      WHERE paused IS NULL AND ${isAmong(sql`step`, steps)} AND NOT ${WAITS}
        AND NOT (state = 'ready' AND (${isCapped} OR ${isClosed(closed)}))
        AND ${inScope(scope)} AND ${IS_WHOLE} AND (${lastSeq} IS NULL OR seq <= ${lastSeq})
        AND ${isOn(service)} LIMIT 1`;
  }

  lastSeq(): number {
    return this.facts.count`SELECT MAX(seq) FROM jobs`;
  }

  /** Makes steps that are due later than `beyond` (ms) due now. */
  bringForward(now: number, beyond: number): void {
    // One after the other, because each has an index.
    for (const which of [
      sql`paused IS NULL AND step IN ('prepare', 'submit', 'poll', 'download')`,
      sql`paused IS NOT NULL`,
    ])
      this.facts.run`UPDATE jobs SET due_at = ${now} WHERE ${which} AND step IS NOT NULL AND due_at > ${beyond}`;
  }

  /** Those that wait for something that reads frames look again at once. */
  wakeForFrames(): void {
    this.facts.run`UPDATE jobs SET due_at = 0 WHERE state = 'needs_assets' AND facts ->> '$.needsFrame' IS NOT NULL`;
  }

  /** No task's deadline lies later than `latest` (ms). */
  limitDeadlines(latest: number): void {
    this.facts.run`UPDATE jobs SET facts = json_set(facts, '$.deadlineAt', ${latest})
      WHERE step = 'poll' AND facts ->> '$.deadlineAt' > ${latest}`;
  }
}

/** Followed tasks by account and model: counted once, then updated, since each claim needs it and counting is slow. */
export class TasksInFlight extends Store {
  #tasks: Map<string, number> | null = null;

  of(account: Account, model: string): InFlight {
    this.#tasks ??= this.#counted();
    let all = 0;
    for (const [name, tasks] of this.#tasks) if (name.startsWith(modelKey(account, ''))) all += tasks;
    return { own: this.#tasks.get(modelKey(account, model)) ?? 0, all };
  }

  accountKeys(): Set<string> {
    this.#tasks ??= this.#counted();
    return new Set([...this.#tasks].flatMap(([name, tasks]) => (tasks > 0 ? [accountKey(accountOfKey(name))] : [])));
  }

  moved(model: string, from: JobState, to: JobState): void {
    if (isFollowed(from) === isFollowed(to)) return;
    const attempt = toAttempt(to) ?? toAttempt(from);
    if (!attempt || !this.#tasks) return;
    const name = modelKey(attempt, model);
    this.#tasks.set(name, (this.#tasks.get(name) ?? 0) + (isFollowed(to) ? 1 : -1));
  }

  /** Counts again at the next call: after other writes, or when none was made. */
  forget(): void {
    this.#tasks = null;
  }

  #counted(): Map<string, number> {
    const rows = this.facts.all<Account & { model: string; tasks: number }>`
      SELECT facts ->> '$.attempt.origin' AS origin, facts ->> '$.attempt.keyFingerprint' AS keyFingerprint, model,
        COUNT(*) AS tasks
      FROM jobs WHERE step = 'poll' AND state <> 'submit_unknown' AND paused IS NULL GROUP BY 1, 2, 3`;
    return new Map(rows.map(({ model, tasks, ...account }) => [modelKey(account, model), tasks]));
  }
}

const isFollowed = ({ state }: JobState): boolean => state === 'accepted' || state === 'polling';

const modelKey = (account: Account, model: string): string => `${accountKey(account)} ${model}`;
