import fc from 'fast-check';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Attempt } from '../../../src/contract/job.ts';
import type { CapChange, CapScope } from '../../../src/contract/ledger.ts';
import { Settings } from '../../../src/contract/settings.ts';
import type { PlannedRequest } from '../../../src/contract/take.ts';
import { RefusedError } from '../../../src/engine/base/errors.ts';
import { toPriceFacts } from '../../../src/engine/batches/price.ts';
import { BatchStore } from '../../../src/engine/db/batch-store.ts';
import { JobStore, type Job } from '../../../src/engine/db/job-store.ts';
import { CapReachedError, LedgerStore } from '../../../src/engine/db/ledger-store.ts';
import { openDatabase } from '../../../src/engine/db/open.ts';
import { ProjectStore } from '../../../src/engine/db/project-store.ts';
import { ToolStore } from '../../../src/engine/db/tool-store.ts';
import { newJob, type JobEvent } from '../../../src/engine/machine/job-machine.ts';
import { nightStart, SpendingService } from '../../../src/engine/projects/spending.ts';
import { silent } from '../downloads/support.ts';
import { shot } from './seed.ts';
import { scratchFolder } from '../../support/scratch.ts';

const isWhole = process.env['CRASH_ALL'] === '1';
const HISTORIES = isWhole ? 10_000 : 200;
const HOUR_MS = 3_600_000;
const EVENING = new Date('2026-03-05T19:00:00').getTime();

const PROJECTS = ['film', 'ad'];
/** Two batches of each project. */
const BATCHES = PROJECTS.flatMap((projectId) => [1, 2].map((day) => ({ id: `${projectId}-${day}`, projectId })));
const MODELS = ['video-fast', 'video-large', 'still'];
/** Any of them may be under way at once. */
const JOBS_OF_A_BATCH = 6;
const SHOTS = BATCHES.flatMap((batch) =>
  Array.from({ length: JOBS_OF_A_BATCH }, (_, index) => ({
    ...{ batch, index, id: `${batch.id}-${index}` },
    spec: shot(index + 1, { model: MODELS[index % MODELS.length] ?? '' }),
  })),
);
const SCOPES: readonly CapScope[] = [
  { scope: 'night' },
  ...PROJECTS.map((projectId): CapScope => ({ scope: 'project', projectId })),
  ...BATCHES.map(({ id }): CapScope => ({ scope: 'batch', batchId: id })),
];

type Step =
  | { readonly do: 'send' | 'killed while it is written' | 'adopt'; readonly job: number }
  | { readonly do: 'answer'; readonly job: number; readonly answer: keyof typeof ANSWERS }
  | { readonly do: 'decide'; readonly job: number; readonly decision: keyof typeof DECISIONS }
  | { readonly do: 'call'; readonly model: number; readonly project: number }
  | { readonly do: 'answer to a call'; readonly call: number; readonly state: (typeof CALL_STATES)[number] }
  | { readonly do: 'cap'; readonly scope: number; readonly money?: number | null; readonly takes?: number | null }
  | { readonly do: 'prices'; readonly cents: readonly (number | null)[] }
  | { readonly do: 'reprice'; readonly lines: 'all' | 'new' }
  | { readonly do: 'kill' }
  | { readonly do: 'pass'; readonly hours: number };

const failure = { code: 'x', message: '', remedy: '', cost: 'maybe' as const, at: 2 };
const task = (job: Job) => ({ id: `task-${job.id}-${String(job.revision)}`, acceptedAt: 2 });
const followed = { nextPollAt: 3, deadlineAt: 4 };

/** Outcomes of a POST, and whether each counts: 429s and 5xx, refusals, lost answers and timeouts. */
const ANSWERS = {
  accepted: { event: (job: Job): JobEvent => ({ type: 'accepted', task: task(job), ...followed }), counts: true },
  answered: {
    event: (): JobEvent => ({ type: 'answered', results: [{ at: 'file', file: 'x' }] as never }),
    counts: true,
  },
  notAccepted: { event: (): JobEvent => ({ type: 'not_accepted', notBefore: null, failure }), counts: false },
  refused: { event: (): JobEvent => ({ type: 'refused', failure }), counts: false },
  unclear: { event: (): JobEvent => ({ type: 'unclear', failure }), counts: true },
} as const;

/** Later decisions of a person or the service: what was sent counts as before. */
const DECISIONS = {
  payAgain: (): JobEvent => ({ type: 'resubmit' }),
  nameItsTask: (job: Job): JobEvent => ({ type: 'attach', task: task(job), ...followed }),
  writeOff: (): JobEvent => ({ type: 'give_up', failure }),
  taskFails: (): JobEvent => ({ type: 'task_failed', failure }),
  retry: (): JobEvent => ({ type: 'retry', at: 2, deadlineAt: 4 }),
} as const;

const CALL_STATES = ['answered', 'used', 'unclear', 'dismissed', 'not_charged'] as const;

const job = fc.nat(SHOTS.length - 1);
const project = fc.nat(PROJECTS.length - 1);
const keysOf = <Key extends string>(of: Readonly<Record<Key, unknown>>) =>
  fc.constantFrom(...(Object.keys(of) as Key[]));
const aStep = <Kind extends Step['do']>(kind: Kind, facts: object, weight: number) => ({
  weight,
  arbitrary: fc.record({ do: fc.constant(kind), ...facts }) as unknown as fc.Arbitrary<Step>,
});

const histories: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    aStep('send', { job }, 12),
    aStep('answer', { job, answer: keysOf(ANSWERS) }, 8),
    aStep('decide', { job, decision: keysOf(DECISIONS) }, 5),
    aStep('cap', { scope: fc.nat(SCOPES.length - 1), money: fc.option(fc.nat(30)), takes: fc.option(fc.nat(9)) }, 4),
    aStep('call', { model: fc.nat(MODELS.length - 1), project }, 2),
    aStep('answer to a call', { call: fc.nat(5), state: fc.constantFrom(...CALL_STATES) }, 2),
    aStep('prices', { cents: fc.array(fc.option(fc.nat(900), { freq: 8 }), { minLength: 3, maxLength: 3 }) }, 2),
    aStep('reprice', { lines: fc.constantFrom('all', 'new') }, 2),
    aStep('killed while it is written', { job }, 1),
    aStep('kill', {}, 2),
    aStep('adopt', { job }, 1),
    aStep('pass', { hours: fc.integer({ min: -1, max: 18 }) }, 3),
  ),
  { minLength: 15, maxLength: 60 },
);

const folder = scratchFolder('dailies-caps-');
const db = openDatabase(folder);
afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

seed();

/** What the test itself knows of one billable request. */
interface Line {
  readonly at: number;
  readonly project: string;
  readonly batch: string | null;
  readonly model: string;
  readonly isTake: boolean;
  /** False for requests that a project folder brought, until they are priced. */
  isPriced: boolean;
  micros: number | null;
  counts: boolean;
}

class Killed extends Error {}

/** The stores of an engine over one database, beside a book of what was sent that is kept without them. */
class Night {
  readonly #book = new Map<string, Line>();
  readonly #caps = new Map<CapScope, { micros: number | null; takes: number | null }>();
  readonly #calls: string[] = [];
  #settings = Settings.parse({ prices: pricesOf([200, 350, 40]) });
  #now = EVENING;
  #jobs = new JobStore(db);
  #ledger = new LedgerStore(db);
  #spendings = this.#startSpendings();
  #attempts = 0;

  take(step: Step): void | Promise<void> {
    switch (step.do) {
      case 'send':
        return this.#send(step.job);
      case 'killed while it is written':
        return this.#killWhileWritten(step.job);
      case 'adopt':
        return this.#adopt(step.job);
      case 'answer':
        return this.#answer(step.job, ANSWERS[step.answer]);
      case 'decide':
        return void this.#advance(step.job, DECISIONS[step.decision]);
      case 'call':
        return this.#call(MODELS[step.model] ?? '', PROJECTS[step.project] ?? '');
      case 'answer to a call':
        return this.#answerCall(step.call, step.state);
      case 'cap':
        return this.#changeCap(SCOPES[step.scope] ?? { scope: 'night' }, step);
      case 'prices':
        this.#settings = { ...this.#settings, prices: pricesOf(step.cents) };
        return;
      case 'reprice':
        return this.#reprice(step.lines);
      case 'kill':
        return this.#startAgain();
      case 'pass':
        this.#now += step.hours * HOUR_MS;
    }
  }

  /** The ledger says of each cap what the book says. */
  check(): void {
    const found = this.#spendings.caps().map(({ scope, cap, spent: { micros, takes, unpriced } }) => ({
      ...{ scope, cap },
      spent: { micros, takes, unpriced },
    }));
    const expected = [...this.#caps].map(([scope, { micros, takes }]) => ({
      ...{ scope, cap: { money: micros === null ? null : micros / 1e6, takes } },
      spent: this.#spentIn(scope),
    }));
    // Compared as text first: to compare values takes longer than all that is tested.
    if (asText(found) !== asText(expected)) expect(new Set(found)).toEqual(new Set(expected));
  }

  #send(index: number): void {
    const found = this.#jobAt(index);
    if (found?.job.state.state !== 'ready') return;
    const attempt = this.#attempt(found.job);
    this.#reserve(attempt.id, this.#lineOf(found.shot), () => {
      this.#jobs.intend(found.job, attempt, request, () =>
        this.#spendings.reserve(attempt.id, toPriceFacts(found.shot.spec), this.#now),
      );
    });
  }

  #call(model: string, projectId: string): void {
    this.#attempts += 1;
    const id = `call-${String(this.#attempts)}`;
    const asked = { ...request, body: { model } };
    const line = { ...this.#line(model, projectId), batch: null, isTake: false };
    const isSent = this.#reserve(id, line, () =>
      new ToolStore(db).intend(
        {
          ...{ id, tool: 'rewrite', projectId, about: 'x', sentAt: this.#now, requestHash: 'hash', request: asked },
          account: { origin: 'https://service.test', keyFingerprint: 'key' },
        },
        () => this.#spendings.reserveCall({ id, at: this.#now, request: asked }),
      ),
    );
    if (isSent) this.#calls.push(id);
  }

  /** Sends exactly when the book says that no cap is passed. */
  #reserve(id: string, line: Line, send: () => void): boolean {
    const isAllowed = [...this.#caps.keys()].every((scope) => this.#leavesRoom(scope, line));
    const before = this.#spendings.caps();
    let isSent = true;
    try {
      send();
    } catch (error) {
      if (!(error instanceof CapReachedError)) throw error;
      isSent = false;
      expect(this.#spendings.caps()).toEqual(before);
    }
    if (isSent !== isAllowed) expect({ id, isSent }).toEqual({ id, isSent: isAllowed });
    if (!isSent) return false;
    this.#book.set(id, line);
    for (const scope of this.#caps.keys()) if (isIn(scope, line, nightStart(this.#now))) this.#checkNotPassed(scope);
    return true;
  }

  #leavesRoom(scope: CapScope, line: Line): boolean {
    const cap = this.#caps.get(scope);
    if (!cap || !isIn(scope, line, nightStart(this.#now))) return true;
    const { micros, takes, unpriced } = this.#spentIn(scope);
    const isPriced = unpriced === 0 && line.micros !== null;
    return (
      (cap.takes === null || !line.isTake || takes + 1 <= cap.takes) &&
      (cap.micros === null || (isPriced && micros + (line.micros ?? 0) <= cap.micros))
    );
  }

  /** What the ledger itself says right after a request was let out. */
  #checkNotPassed(scope: CapScope): void {
    const cap = this.#caps.get(scope);
    const state = this.#spendings.caps().find((each) => JSON.stringify(each.scope) === JSON.stringify(scope));
    if (cap?.micros != null) expect(state?.spent.micros).toBeLessThanOrEqual(cap.micros);
    // A call of a tool makes no take: it may go out after the cap was lowered.
    const isTake = [...this.#book.values()].at(-1)?.isTake;
    if (cap?.takes != null && isTake) expect(state?.spent.takes).toBeLessThanOrEqual(cap.takes);
  }

  /** Killed between the first and the last write of the commit of an intent. */
  #killWhileWritten(index: number): void {
    const found = this.#jobAt(index);
    if (found?.job.state.state === 'ready') {
      const attempt = this.#attempt(found.job);
      try {
        this.#jobs.intend(found.job, attempt, request, () => {
          this.#spendings.reserve(attempt.id, toPriceFacts(found.shot.spec), this.#now);
          throw new Killed();
        });
      } catch (error) {
        if (!(error instanceof Killed || error instanceof CapReachedError)) throw error;
      }
    }
    this.#startAgain();
  }

  #answer(index: number, { event, counts }: (typeof ANSWERS)[keyof typeof ANSWERS]): void {
    const found = this.#jobAt(index);
    if (found?.job.state.state !== 'submitting') return;
    const line = this.#book.get(found.job.state.attempt.id);
    this.#jobs.advance(found.job, event(found.job), this.#now);
    if (line) line.counts = counts;
  }

  #answerCall(index: number, state: (typeof CALL_STATES)[number]): void {
    const id = this.#calls[index];
    const line = id === undefined ? undefined : this.#book.get(id);
    if (id === undefined || !line) return;
    new ToolStore(db).put(id, state, this.#now);
    line.counts = state !== 'not_charged';
  }

  /** The folder of a project tells of a request that another machine made. */
  #adopt(index: number): void {
    const found = this.#jobAt(index);
    if (!found || found.job.state.state === 'submitting') return;
    const attempt = this.#attempt(found.job);
    const state = { state: 'submit_unknown' as const, attempt, failure };
    this.#jobs.advance(found.job, { type: 'found_in_folder', state }, this.#now, () =>
      this.#jobs.attempts.adopt(found.job.id, attempt, request),
    );
    this.#book.set(attempt.id, { ...this.#lineOf(found.shot), micros: null, isPriced: false });
  }

  #advance(index: number, event: (job: Job) => JobEvent): void {
    const found = this.#jobAt(index);
    if (!found) return;
    try {
      this.#jobs.advance(found.job, event(found.job), this.#now);
    } catch {
      // It does not fit the state of the job.
    }
  }

  #changeCap(scope: CapScope, change: CapChange): void {
    try {
      const cap = { money: change.money ?? null, takes: change.takes ?? null };
      this.#spendings.requirePrices(scope, cap);
      this.#spendings.setCap(scope, cap);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      return;
    }
    const { money = null, takes = null } = change;
    if (money === null && takes === null) this.#caps.delete(scope);
    else this.#caps.set(scope, { micros: money === null ? null : money * 1e6, takes });
  }

  async #reprice(lines: 'all' | 'new'): Promise<void> {
    await this.#spendings.reprice(lines);
    for (const line of this.#book.values()) {
      if (lines === 'new' && line.isPriced) continue;
      line.micros = this.#microsOf(line.model);
      line.isPriced = true;
    }
  }

  /** As after a kill: what was being sent is of unknown fate, and counts. */
  #startAgain(): void {
    this.#jobs = new JobStore(db);
    this.#ledger = new LedgerStore(db);
    this.#spendings = this.#startSpendings();
    for (const each of this.#jobs.inState('submitting'))
      this.#jobs.advance(each, { type: 'unclear', failure }, this.#now);
  }

  #startSpendings(): SpendingService {
    const clock = { now: () => this.#now, sleep: () => Promise.reject(new Error('Nobody sleeps here.')) };
    return new SpendingService(
      { ledger: this.#ledger, jobs: this.#jobs, batches: new BatchStore(db) },
      { decided: () => undefined },
      { logger: silent, clock },
      () => this.#settings,
    );
  }

  #jobAt(index: number) {
    const seeded = SHOTS[index];
    const found = seeded && this.#jobs.get(seeded.id);
    return found ? { job: found, shot: seeded } : null;
  }

  #attempt({ id }: Job): Attempt {
    this.#attempts += 1;
    return {
      ...{
        id: `attempt-${String(this.#attempts)}`,
        number: this.#jobs.attempts.count(id) + 1,
        bodyHash: 'hash',
        intendedAt: this.#now,
      },
      ...{ origin: 'https://service.test', keyFingerprint: 'key' },
    };
  }

  #lineOf({ batch, spec }: (typeof SHOTS)[number]): Line {
    return { ...this.#line(spec.model, batch.projectId), batch: batch.id };
  }

  #line(model: string, projectId: string): Line {
    const line = { at: this.#now, project: projectId, batch: null, model, isTake: true, counts: true, isPriced: true };
    return { ...line, micros: this.#microsOf(model) };
  }

  #microsOf(model: string): number | null {
    const line = this.#settings.prices.find((price) => price.model === model);
    return line ? Math.round(line.price * 1e6) : null;
  }

  #spentIn(scope: CapScope) {
    const counted = [...this.#book.values()].filter((line) => line.counts && isIn(scope, line, nightStart(this.#now)));
    return {
      micros: counted.reduce((sum, { micros }) => sum + (micros ?? 0), 0),
      takes: counted.filter(({ isTake }) => isTake).length,
      unpriced: counted.filter(({ micros }) => micros === null).length,
    };
  }
}

describe('caps', () => {
  it(
    'are passed in no history of answers, kills, prices, decisions and caps of several projects and nights @night',
    { timeout: 1_200_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(histories, async (steps) => {
          db.facts.exec('SAVEPOINT history');
          try {
            const night = new Night();
            for (const step of steps) {
              await night.take(step);
              night.check();
            }
          } finally {
            db.facts.exec('ROLLBACK TO history; RELEASE history');
          }
        }),
        { numRuns: HISTORIES },
      );
    },
  );
});

const request: PlannedRequest = {
  ...{ operation: 'generate', method: 'POST', path: '/v1/videos', encoding: 'json' },
  ...{ body: {}, files: [], answers: 'task' },
};

const asText = (caps: readonly object[]): string =>
  caps
    .map((cap) => JSON.stringify(cap))
    .sort()
    .join();

function isIn(scope: CapScope, { at, project: projectId, batch }: Line, night: number): boolean {
  if (scope.scope === 'night' || scope.scope === 'account') return at >= night;
  return scope.scope === 'project' ? projectId === scope.projectId : batch === scope.batchId;
}

/** A price a take for each model, in cents; null for none. */
function pricesOf(cents: readonly (number | null)[]) {
  return MODELS.flatMap((model, index) => {
    const price = cents[index] ?? null;
    return price === null ? [] : [{ model, per: 'take' as const, price: price / 100 }];
  });
}

function seed(): void {
  const projects = new ProjectStore(db);
  for (const id of PROJECTS) projects.save({ id, path: join(folder, id), name: id }, 1);
  const batches = new BatchStore(db);
  const stored = new Map(
    BATCHES.map(({ id, projectId }) => [
      id,
      {
        ...{ id, projectId, name: id, folder: id, listFolder: folder, source: 'list.csv' },
        ...{ nameTemplate: '{shot}_t{take}', createdAt: 1, changedAt: 0, order: 'list' as const },
      },
    ]),
  );
  batches.inOneCommit(() => {
    for (const batch of stored.values()) batches.save(batch);
    for (const { id, index, batch, spec } of SHOTS) {
      const shotId = `shot-${id}`;
      batches.addShot({ id: shotId, batchId: batch.id, key: spec.key, position: index, contentHash: 'h', spec }, 1);
      const of = stored.get(batch.id);
      if (of) batches.takes.add(of, { id, shotId, take: 1, spec, state: newJob, createdAt: 1 });
    }
  });
}
