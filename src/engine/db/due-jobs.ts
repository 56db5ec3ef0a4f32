import type Database from 'better-sqlite3';
import type { CapScope } from '../../contract/ledger.ts';
import { idOfScope } from './ledger-store.ts';
import { JOB_COLUMNS, scopeParameters, toJob, type Job, type JobRow, type Scope } from './job-row.ts';

export type Step = 'prepare' | 'submit' | 'poll' | 'download';

/** The service whose projects' jobs are claimed; null for the one of the settings. */
export type ServiceName = string | null;

export interface ClaimExclusions {
  /** Under way already. */
  readonly jobs?: ReadonlySet<string>;
  /** All jobs of these projects, by id: their disk is full, or another engine has them. */
  readonly projects?: readonly string[];
  /** Submits of these, by id: their cap is reached. */
  readonly batches?: readonly string[];
  /** Submits behind these windows. */
  readonly closed?: Closed;
  readonly models?: readonly string[];
  /** Polls of these, by `accountKey`. */
  readonly accounts?: readonly string[];
}

/** Jobs that are looked for: of a scope on one service, up to a number of the queue. */
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

export const noneCapped: Capped = { paid: false, projects: [], batches: [] };

/** Takes on hold because their window is closed, by id: these projects, except for batches with their own window. */
export interface Closed {
  readonly projects: readonly string[];
  readonly except: readonly string[];
  readonly batches: readonly string[];
}

export const noneClosed: Closed = { projects: [], except: [], batches: [] };

/** The claims of each step: of all projects on the service of the settings, of one of them, and of those on another. */
type Claims = Record<Step, Readonly<Record<'main' | 'ofProject' | 'other', Database.Statement>>>;

/** Waits for a take of another shot; due at 0 when one ends. */
const WAITS_FOR_SHOT = `(state = 'needs_assets' AND due_at > 0 AND facts ->> '$.waitsFor' IS NOT NULL)`;

const IN_SCOPE = `batch_id NOT IN (SELECT id FROM batches WHERE importing = 1)
           AND (@batchId IS NULL OR batch_id = @batchId)`;
const OF_PROJECT = 'project_id = +@projectId';

/** Lists of what to skip are passed as JSON. */
const NOT_RESTING = `project_id NOT IN (SELECT value FROM json_each(@resting))`;
const NOT_HELD = `model NOT IN (SELECT value FROM json_each(@models))
           AND batch_id NOT IN (SELECT value FROM json_each(@batches))`;
const IS_CLOSED = `(batch_id IN (SELECT value FROM json_each(@closedBatches))
           OR (project_id IN (SELECT value FROM json_each(@closedProjects))
             AND batch_id NOT IN (SELECT value FROM json_each(@ownWindows))))`;
const closedParameters = ({ projects, except, batches }: Closed) => ({
  closedProjects: JSON.stringify(projects),
  ownWindows: JSON.stringify(except),
  closedBatches: JSON.stringify(batches),
});
/** Usually the list is empty, and the facts are not read. */
const NOT_OF_ACCOUNT = `(@accounts = '[]' OR (facts ->> '$.attempt.keyFingerprint') || ' ' || (facts ->> '$.attempt.origin')
  NOT IN (SELECT value FROM json_each(@accounts)))`;

const CLAIMED: Record<Step, { readonly due: string; readonly first: string }> = {
  prepare: {
    due: `state = 'needs_assets' AND due_at <= @now AND ${IN_SCOPE} AND ${NOT_RESTING}`,
    first: 'priority DESC, turn, due_at, seq',
  },
  submit: {
    due: `state = 'ready' AND due_at <= @now AND ${IN_SCOPE} AND ${NOT_RESTING} AND ${NOT_HELD} AND NOT ${IS_CLOSED}`,
    first: 'priority DESC, turn, seq',
  },
  poll: { due: `step = 'poll' AND due_at <= @now AND ${NOT_RESTING} AND ${NOT_OF_ACCOUNT}`, first: 'due_at' },
  download: { due: `step = 'download' AND due_at <= @now AND ${NOT_RESTING}`, first: 'due_at' },
};

const ON_OTHER_SERVICES = `project_id IN (SELECT id FROM projects WHERE service IS NOT NULL)`;
/** By batch, since few jobs belong to such a project. */
const ON_SERVICE = `batch_id IN (SELECT batches.id FROM batches JOIN projects ON projects.id = batches.project_id
  WHERE projects.service = +@service)`;

/** The plus keeps SQLite from walking through the jobs of every other project in this order. */
const sortedByHand = (columns: string): string => columns.replace(/\b(priority|turn|seq|due_at)\b/g, '+$1');

/** `columns` are those of the jobs that are claimed. For the plus before a parameter, see `EngineDatabase`. */
export function prepareClaims(db: Database.Database, columns: string): Claims {
  const claim = (step: Step) => {
    const { due, first } = CLAIMED[step];
    const jobs = `SELECT ${columns} FROM jobs WHERE paused IS NULL AND ${due}`;
    return {
      main: db.prepare(`${jobs} AND NOT ${ON_OTHER_SERVICES} ORDER BY ${first} LIMIT +@limit`),
      ofProject: db.prepare(`${jobs} AND NOT ${ON_OTHER_SERVICES} AND ${OF_PROJECT} ORDER BY ${first} LIMIT +@limit`),
      other: db.prepare(
        `${jobs} AND ${ON_SERVICE} AND (@projectId IS NULL OR ${OF_PROJECT}) ORDER BY ${sortedByHand(first)} LIMIT +@limit`,
      ),
    };
  };
  return { prepare: claim('prepare'), submit: claim('submit'), poll: claim('poll'), download: claim('download') };
}

/** Which jobs wait for a step, and until when. It changes no states and no revisions. */
export class DueJobs {
  readonly #db: Database.Database;
  readonly #claims: Claims;
  readonly #next: Database.Statement;
  readonly #stepOf: Database.Statement;
  readonly #hasReady: Database.Statement;
  readonly #anyBehind: Database.Statement;
  readonly #unsent: Record<CapScope['scope'], Database.Statement>;

  constructor(db: Database.Database) {
    this.#db = db;
    this.#claims = prepareClaims(db, JOB_COLUMNS);
    this.#next = db.prepare('SELECT MIN(due_at) FROM jobs WHERE paused IS NULL AND step = +? AND due_at > ?').pluck();
    this.#stepOf = db.prepare('SELECT step FROM jobs WHERE id = ?').pluck();
    this.#hasReady = db.prepare(
      `SELECT 1 FROM jobs WHERE state = 'ready' AND paused IS NULL AND model = ?
       AND (SELECT service FROM projects WHERE id = project_id) IS ? LIMIT 1`,
    );
    // By project, for the index.
    this.#anyBehind = db.prepare(
      `SELECT 1 FROM jobs WHERE state = 'ready' AND paused IS NULL AND ${IS_CLOSED} AND project_id IN (
         SELECT value FROM json_each(@closedProjects)
         UNION SELECT project_id FROM batches WHERE id IN (SELECT value FROM json_each(@closedBatches))) LIMIT 1`,
    );
    const anyUnsent = (where: string) =>
      db.prepare(
        `SELECT 1 FROM jobs WHERE state = 'ready' AND paused IS NULL AND ${where}
         UNION ALL SELECT 1 FROM jobs WHERE state = 'needs_assets' AND paused IS NULL AND ${where} LIMIT 1`,
      );
    this.#unsent = {
      night: anyUnsent(`@id = '' AND NOT ${ON_OTHER_SERVICES}`),
      project: anyUnsent('project_id = @id'),
      batch: anyUnsent('batch_id = @id'),
    };
  }

  /** Jobs whose next step is due, most urgent first. A claim changes nothing: the first event of the step does. */
  claim(
    step: Step,
    now: number,
    limit: number,
    { service = null, ...scope }: Scope & { readonly service?: ServiceName },
    {
      jobs = new Set(),
      projects = [],
      batches = [],
      closed = noneClosed,
      models = [],
      accounts = [],
    }: ClaimExclusions = {},
  ): Job[] {
    // New submits belong to the scope of the run; what was sent before is followed in any case.
    const wanted = scopeParameters(step === 'submit' || step === 'prepare' ? scope : {});
    const { main, ofProject, other } = this.#claims[step];
    const claim = service !== null ? other : wanted.projectId === null ? main : ofProject;
    const rows = claim.all({
      now,
      limit: limit + jobs.size,
      service,
      ...wanted,
      models: JSON.stringify(models),
      batches: JSON.stringify(batches),
      ...closedParameters(closed),
      accounts: JSON.stringify(accounts),
      resting: JSON.stringify(projects),
    }) as JobRow[];
    const found = rows.filter((row) => !jobs.has(row.id));
    return found.slice(0, limit).map(toJob);
  }

  /** The next step of a job, due or not; null when there is none. */
  stepOf(jobId: string): Step | null {
    return (this.#stepOf.get(jobId) ?? null) as Step | null;
  }

  hasReady(model: string, service: ServiceName): boolean {
    return this.#hasReady.get(model, service) !== undefined;
  }

  isAnyBehind(closed: Closed): boolean {
    return this.#anyBehind.get(closedParameters(closed)) !== undefined;
  }

  /** Whether a take that counts against the cap of a scope has yet to be sent: without one, the cap holds nothing back. */
  hasUnsent(scope: CapScope): boolean {
    return this.#unsent[scope.scope].get({ id: idOfScope(scope) }) !== undefined;
  }

  /** When the next job of a step that is not due yet will be, ms; null when none waits. */
  nextAt(step: Step, now: number): number | null {
    return this.#next.get(step, now) as number | null;
  }

  /**
   * True while some job on a service has a next step that only waits for time. A shot that waits for another one
   * continues when that one does.
   */
  canContinue({
    scope,
    service,
    steps,
    capped = noneCapped,
    closed = noneClosed,
    lastSeq = null,
  }: RunnableJobs): boolean {
    if (steps.length === 0) return false;
    const isCapped = `project_id IN (SELECT value FROM json_each(@projects))
      OR batch_id IN (SELECT value FROM json_each(@batches))${service === null ? ' OR @paid' : ''}`;
    const found = this.#db
      .prepare(
        `SELECT 1 FROM jobs WHERE paused IS NULL AND step IN (SELECT value FROM json_each(@steps)) AND NOT ${WAITS_FOR_SHOT}
         AND NOT (state = 'ready' AND (${isCapped} OR ${IS_CLOSED}))
         AND (@projectId IS NULL OR project_id = @projectId) AND ${IN_SCOPE} AND (@lastSeq IS NULL OR seq <= @lastSeq)
         AND ${service === null ? `NOT ${ON_OTHER_SERVICES}` : ON_SERVICE} LIMIT 1`,
      )
      .get({
        ...scopeParameters(scope),
        ...{ service, lastSeq, steps: JSON.stringify(steps) },
        paid: capped.paid ? 1 : 0,
        projects: JSON.stringify(capped.projects),
        batches: JSON.stringify(capped.batches),
        ...closedParameters(closed),
      });
    return found !== undefined;
  }

  /** Grows with each job. */
  lastSeq(): number {
    return (this.#db.prepare('SELECT MAX(seq) FROM jobs').pluck().get() as number | null) ?? 0;
  }

  /** Makes steps that are due later than `beyond` (ms) due now. */
  bringForward(now: number, beyond: number): void {
    // One after the other, because each has an index.
    for (const which of [
      `paused IS NULL AND step IN ('prepare', 'submit', 'poll', 'download')`,
      'paused IS NOT NULL',
    ]) {
      const bring = `UPDATE jobs SET due_at = @now WHERE ${which} AND step IS NOT NULL AND due_at > @beyond`;
      this.#db.prepare(bring).run({ now, beyond });
    }
  }

  /** No task's deadline lies later than `latest` (ms). */
  limitDeadlines(latest: number): void {
    this.#db
      .prepare(
        `UPDATE jobs SET facts = json_set(facts, '$.deadlineAt', @latest)
         WHERE step = 'poll' AND facts ->> '$.deadlineAt' > @latest`,
      )
      .run({ latest });
  }
}
