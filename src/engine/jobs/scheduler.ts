import { nextOpening } from '../../contract/night-window.ts';
import type { CapScope } from '../../contract/ledger.ts';
import { reasonFacts, type QueueStatus, type Gate, type RunState } from '../../contract/events.ts';
import type { Job, Scope } from '../db/job-store.ts';
import type { JobEvent } from '../machine/job-machine.ts';
import { runState, type HeldBy, type RunFacts } from './gates.ts';
import type { ExpectedEnds } from './expected-work.ts';
import { Holds } from './holds.ts';
import type { ServiceQueue } from './service-queues.ts';
import { STEPS, type LaunchedStep, type RunningSteps } from './running-steps.ts';
import { sleepUntil } from '../base/time-limit.ts';
import { StepClaims } from './step-claims.ts';
import type { StepContext } from './step-context.ts';
import { StepRunner } from './step-runner.ts';
import { throttledGates } from './wait-reasons.ts';

interface AskedAbout {
  readonly scope: Scope;
  readonly takeIds?: ReadonlySet<string>;
  readonly lastSeq?: number;
  /** A window that was closed before this time is waited for, ms; one that has closed since then ends the run. */
  readonly since?: number;
}

/** Clock corrections smaller than this are common, and no wait becomes noticeably longer because of them, ms. */
const SMALL_STEP_BACK_MS = 5000;

/**
 * Brings the steps that are due into the queues of their accounts, which run them. SQLite holds the queue: a claim
 * reads what is due when there is room for it and writes nothing, so a crash loses nothing that waits for a slot.
 */
export class Scheduler {
  readonly #context: StepContext;
  readonly #onStatus: (status: QueueStatus) => void;
  readonly #expected: ExpectedEnds;
  readonly #stop: AbortController;
  readonly holds: Holds;
  readonly launched: RunningSteps;
  readonly runner: StepRunner;
  readonly #claims: StepClaims;
  #settled: (PromiseWithResolvers<RunState> & { readonly since: number }) | null = null;
  #scope: Scope = {};
  #loop: Promise<void> | null = null;
  #wake = new AbortController();
  /** When a window next opens or closes, ms. */
  #windowsUntil = Number.POSITIVE_INFINITY;
  #lastStatus = '';
  /** What the clocks said last: if this one shows less than has passed since, it was set back. */
  #lastLook: { readonly wall: number; readonly steady: number | undefined };

  constructor(
    context: StepContext,
    launched: RunningSteps,
    stop: AbortController,
    expected: ExpectedEnds,
    onStatus: (status: QueueStatus) => void,
  ) {
    this.#context = context;
    this.#stop = stop;
    this.#onStatus = onStatus;
    this.#expected = expected;
    this.#lastLook = { wall: context.jobs.lastChange(), steady: undefined };
    this.launched = launched;
    const holds = new Holds(context, launched, () => this.lookAgain());
    this.runner = new StepRunner(context, holds, launched, (ended) =>
      ended ? this.#lookAfter(ended) : this.#rescanAll(),
    );
    this.#claims = new StepClaims(context, holds, launched, this.runner);
    this.holds = holds;
  }

  run(scope: Scope): void {
    this.#scope = scope;
    this.#loop ??= this.#run();
    this.lookAgain();
  }

  lookAgain(): void {
    for (const { searchedAt } of this.holds.serviceQueues.all()) searchedAt.clear();
    this.#rescanAll();
  }

  #rescanAll(): void {
    for (const { nextLookAt } of this.holds.serviceQueues.all()) nextLookAt.clear();
    this.#wake.abort(WAKE);
  }

  /** A step has ended: its place is free for others of its kind, and its job may continue with another kind. */
  #lookAfter({ jobId, serviceQueue: { nextLookAt }, step }: LaunchedStep): void {
    nextLookAt.delete(step);
    const next = this.#context.jobs.due.stepOf(jobId);
    // When a job ends, others may have waited for a take of its shot.
    nextLookAt.delete(next ?? 'prepare');
    // When a task ends, its place at the service is free for a shot.
    if (step === 'poll' && next !== 'poll') nextLookAt.delete('submit');
    this.#wake.abort(WAKE);
  }

  settled(): Promise<RunState> {
    this.#settled ??= { ...Promise.withResolvers(), since: this.#context.ports.clock.now() };
    this.lookAgain();
    return this.#settled.promise;
  }

  get isRunning(): boolean {
    return this.#loop !== null;
  }

  get isPausedByUser(): boolean {
    return this.holds.serviceQueues.isPausedByUser;
  }

  state(): RunState {
    return this.#loop === null ? { is: 'over' } : this.#stateOf({ scope: {} });
  }

  follow(scope: Scope, takeIds: ReadonlySet<string>): () => RunState {
    const about = { scope, takeIds, lastSeq: this.#context.jobs.due.lastSeq(), since: this.#context.ports.clock.now() };
    return () => this.#stateOf(about);
  }

  pause(): void {
    this.#setPaused(true);
  }

  resume(): void {
    this.#setPaused(false);
  }

  #setPaused(paused: boolean): void {
    this.holds.setPausedByUser(paused);
    this.lookAgain();
  }

  rest(): void {
    this.holds.rest();
    this.lookAgain();
  }

  wake(): void {
    this.holds.wake();
    this.lookAgain();
  }

  /**
   * Starts no more steps of a project. Resolves when all its running steps have ended or the time (ms) is over, with how
   * many still run. They are not cut off: they may be paid for. `releaseProject` ends the hold.
   */
  async holdProject(projectId: string, patienceMs: number): Promise<number> {
    this.holds.projects.suspended.add(projectId);
    const { clock } = this.#context.ports;
    const signal = this.#stop.signal;
    const until = clock.now() + patienceMs;
    while (this.launched.runningIn(projectId) > 0 && clock.now() < until && !signal.aborted) {
      const over = new AbortController();
      const waited = clock.sleep(until - clock.now(), { signal: AbortSignal.any([signal, over.signal]) });
      await Promise.race([this.launched.nextEnd(), waited.catch(() => undefined)]);
      over.abort();
    }
    return this.launched.runningIn(projectId);
  }

  releaseProject(projectId: string): void {
    this.holds.projects.suspended.delete(projectId);
    this.lookAgain();
  }

  keyChanged(): void {
    this.holds.serviceQueues.main.gates.keyChanged();
    this.lookAgain();
  }

  addressChanged(): void {
    this.holds.serviceQueues.main.gates.addressChanged();
    this.lookAgain();
  }

  capsChanged(): void {
    this.holds.caps.tryNow();
    this.lookAgain();
  }

  /** The reserve or the place of a project changed: look now at what waited for room. */
  lookAtDisks(): void {
    this.holds.lookAtDisks();
    this.lookAgain();
  }

  /** How a request ended says something about its model, and about caps. */
  noteEvent(job: Job, event: JobEvent): void {
    this.holds.models.noteEvent(job, event);
    // It no longer counts against a cap.
    if (event.type === 'not_accepted' || event.type === 'refused') this.capsChanged();
  }

  notePace(jobId: string, isSlow: boolean): void {
    this.launched.setSlow(jobId, isSlow);
    if (isSlow) this.lookAgain();
  }

  status(): QueueStatus {
    const now = this.#context.ports.clock.now();
    const gates = [...this.holds.closed(now), ...(this.#loop ? throttledGates(this.#context, now) : [])];
    // What waits for a person, or for a disk or service to return, has no end that can be estimated.
    const isAtWork = this.#loop !== null && !this.#stop.signal.aborted;
    const hasEnd = isAtWork && !this.isPausedByUser && gates.every(isForeseen);
    const expectedEnd = hasEnd ? this.#expected.end(opensAt(gates)) : null;
    const near = this.#context.capsNear().filter(({ scope }) => this.#context.jobs.due.hasUnsent(scope));
    return {
      underWay: this.launched.counts,
      gates,
      ...(expectedEnd && { expectedEnd }),
      ...(near.length > 0 && { capsNear: near }),
    };
  }

  /** Starts nothing more; resolves when all that runs has ended. Submits are waited for: they are paid. */
  async drain(): Promise<void> {
    this.#stop.abort();
    this.lookAgain();
    await this.#loop;
    await this.holds.projects.ended();
    await this.#context.clients.drain();
    await Promise.all(this.holds.serviceQueues.all().map(({ preparing }) => preparing.onIdle()));
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      // From here on, a call of `lookAgain` skips the next wait.
      this.#wake = new AbortController();
      let wakeAt: number;
      try {
        wakeAt = this.#launchDue();
        this.#reportIfSettled();
      } catch (error) {
        this.holds.onDatabaseTrouble(error);
        wakeAt = this.#context.databaseBackoff.at(this.#context.ports.clock.now())?.until ?? Number.POSITIVE_INFINITY;
        this.#reportIfFailed();
      }
      this.#reportStatus();
      // A call of `lookAgain` ends it, and so does a stop.
      await sleepUntil(wakeAt, this.#context.ports.clock, this.#wake.signal);
    }
  }

  /** Starts every step that is due and allowed. Returns when to look again, ms; Infinity until something wakes it. */
  #launchDue(): number {
    const now = this.#context.ports.clock.now();
    this.lookAtClock();
    const restingUntil = this.holds.restingUntil();
    if (restingUntil > now) return restingUntil;
    const serviceQueues = this.holds.serviceQueues.all();
    if (now >= this.#windowsUntil) for (const { nextLookAt } of serviceQueues) nextLookAt.delete('submit');
    this.#windowsUntil = this.#context.nightWindows.nextChange();
    const tonightAt = this.#letGoTonight(now);
    return Math.min(
      this.#windowsUntil,
      tonightAt,
      ...serviceQueues.map((serviceQueue) => this.#launchDueOf(serviceQueue, now)),
    );
  }

  /** Lets go what is on hold for tonight where its hours run. Returns when the next ones begin, ms. */
  #letGoTonight(now: number): number {
    const { windows, jobs, hold } = this.#context;
    let nextAt = Number.POSITIVE_INFINITY;
    for (const { takeId, ...hours } of windows.tonight()) {
      const opensAt = nextOpening(hours, now);
      const job = opensAt === null ? jobs.get(takeId) : null;
      if (opensAt !== null) nextAt = Math.min(nextAt, opensAt);
      if (!job) continue;
      // Off the list first: cut off in between, it stays on hold, where a person sees it.
      windows.notTonight(takeId);
      hold(job, null);
      for (const { nextLookAt } of this.holds.serviceQueues.all()) nextLookAt.clear();
    }
    return nextAt;
  }

  #launchDueOf(serviceQueue: ServiceQueue, now: number): number {
    if (serviceQueue.gates.probeIsDue(now)) void this.#probe(serviceQueue);
    let wakeAt = Number.POSITIVE_INFINITY;
    for (const step of STEPS) {
      const lookAt = serviceQueue.nextLookAt.get(step) ?? now;
      const nextLookAt = lookAt > now ? lookAt : this.#claims.launchDue(serviceQueue, step, this.#scope, now);
      serviceQueue.nextLookAt.set(step, nextLookAt);
      wakeAt = Math.min(wakeAt, nextLookAt);
    }
    return wakeAt;
  }

  /** Asks a service something harmless, one question at a time, to find out whether submits make sense again. */
  async #probe(serviceQueue: ServiceQueue): Promise<void> {
    const { clients, ports, stopping } = this.#context;
    const account = clients.currentIfAny(serviceQueue.service);
    if (serviceQueue.isProbing || !account) return;
    serviceQueue.isProbing = true;
    const answered = (await clients.forAccount(account)?.probe({ signal: stopping })) ?? false;
    serviceQueue.isProbing = false;
    serviceQueue.gates.onProbe(answered, ports.clock.now());
    this.lookAgain();
  }

  /** Ends waits that mean nothing since the clock was set back. The host calls this about once a minute. */
  lookAtClock(): void {
    const { wall: before, steady: steadyBefore } = this.#lastLook;
    const [now, steady] = [this.#context.ports.clock.now(), this.#context.ports.clock.steady?.()];
    const passed = steady === undefined || steadyBefore === undefined ? 0 : Math.max(0, steady - steadyBefore);
    const by = before + passed - now;
    if (by > SMALL_STEP_BACK_MS) {
      this.#context.ports.logger.warn('The clock was set back', { by });
      this.holds.clockSetBack(now);
      this.lookAgain();
    }
    this.#lastLook = { wall: now, steady };
  }

  #reportIfSettled(): void {
    if (!this.#settled || this.launched.size > 0) return;
    const state = this.#stateOf({ scope: this.#scope, since: this.#settled.since });
    if (state.is !== 'going' && state.is !== 'paused') this.#settle(state);
  }

  /** A failed database cannot be asked about takes. */
  #reportIfFailed(): void {
    const failed = this.holds.serviceQueues.halts().find(({ reason }) => reason === 'database');
    if (failed && this.launched.size === 0) this.#settle({ is: 'halted', gate: failed });
  }

  #settle(state: RunState): void {
    this.#settled?.resolve(state);
    this.#settled = null;
  }

  #stateOf(about: AskedAbout): RunState {
    return runState(this.#factsOf(about));
  }

  #factsOf({ scope, takeIds, lastSeq, since }: AskedAbout): RunFacts {
    const { serviceQueues, caps, windows } = this.holds;
    const { due } = this.#context.jobs;
    const all = serviceQueues.all();
    const closed = this.#context.nightWindows.closed(since);
    const isOf = ({ cap, window }: Gate): boolean => concerns(scope, cap?.scope ?? window?.scope);
    const canContinue = (serviceQueue: ServiceQueue, heldBy: HeldBy): boolean =>
      due.canContinue({
        ...{ scope, lastSeq, service: serviceQueue.service },
        steps: STEPS.filter((step) => !serviceQueue.gates.stops(step, heldBy)),
        ...(heldBy.caps && { capped: caps.capped() }),
        ...(heldBy.windows && { closed }),
      });
    return {
      // One that waits for its slot is still in the queue.
      isUnderWay: [...this.launched].some(({ isRunning, jobId }) => isRunning && (takeIds?.has(jobId) ?? true)),
      isPaused: this.isPausedByUser,
      halts: all.flatMap((serviceQueue) => {
        const gate = serviceQueue.gates.halted();
        if (!gate) return [];
        return [{ gate, stopsAny: () => gate.reason === 'database' || canContinue(serviceQueue, { caps: true }) }];
      }),
      caps: caps.closed().filter(isOf),
      windows: windows.closed().filter(isOf),
      canContinue: (heldBy) => all.some((serviceQueue) => canContinue(serviceQueue, heldBy)),
    };
  }

  #reportStatus(): void {
    const status = this.status();
    // The expected end is sent along with any other change.
    const { expectedEnd: _, ...shown } = status;
    const text = JSON.stringify(shown);
    if (text === this.#lastStatus) return;
    this.#lastStatus = text;
    this.#onStatus(status);
  }
}

function concerns({ projectId, batchId }: Scope, held: CapScope | undefined): boolean {
  if (held?.scope === 'project') return projectId === undefined || held.projectId === projectId;
  if (held?.scope === 'batch') return batchId === undefined || held.batchId === batchId;
  return true;
}

/** When the last closed window opens, ms; null when none is closed. */
const opensAt = (gates: readonly Gate[]): number | null =>
  gates.reduce<number | null>(
    (latest, { reason, until }) =>
      reason === 'window_closed' && until !== null ? Math.max(latest ?? 0, until) : latest,
    null,
  );

/** Ends a wait without creating an error each time. */
const WAKE = Symbol('wake');

/** Their end is unknown: the time given is that of the next try. */
const isForeseen = ({ reason, until }: Gate): boolean => until !== null && reasonFacts.get(reason)?.trouble !== 'soon';
