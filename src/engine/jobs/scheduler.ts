import { nextOpening } from '../../contract/night-window.ts';
import type { CapScope } from '../../contract/ledger.ts';
import { reasonFacts, type QueueStatus, type Gate, type RunState } from '../../contract/events.ts';
import type { Job, Scope } from '../db/job-store.ts';
import type { JobEvent } from '../machine/job-machine.ts';
import { runState, type HeldBy } from './gates.ts';
import type { ExpectedEnds } from './expected-work.ts';
import { createHolds } from './holds.ts';
import { STEPS, type LaunchedStep, type RunningSteps, type ServiceQueue } from './service-queues.ts';
import { sleepUntil } from '../base/time-limit.ts';
import type { StepContext } from './step-context.ts';
import { createStepRunner } from './step-runner.ts';
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
export function createScheduler(
  context: StepContext,
  launched: RunningSteps,
  stop: AbortController,
  expected: ExpectedEnds,
  onStatus: (status: QueueStatus) => void,
) {
  const { jobs, ports, clients, nightWindows, databaseBackoff } = context;
  const { clock } = ports;
  const holds = createHolds(context, launched, lookAgain);
  const runner = createStepRunner(context, holds, launched, (ended) => (ended ? lookAfter(ended) : rescanAll()));
  let settling: (PromiseWithResolvers<RunState> & { readonly since: number }) | null = null;
  let runScope: Scope = {};
  let loop: Promise<void> | null = null;
  let waking = new AbortController();
  /** When a window next opens or closes, ms. */
  let windowsUntil = Number.POSITIVE_INFINITY;
  let lastStatus = '';
  /** What the clocks said last: if this one shows less than has passed since, it was set back. */
  let lastLook: { readonly wall: number; readonly steady: number | undefined } = {
    ...{ wall: jobs.lastChange(), steady: undefined },
  };

  function run(scope: Scope): void {
    runScope = scope;
    if (context.frames.canDecode) jobs.due.wakeForFrames();
    loop ??= launchUntilStopped();
    lookAgain();
  }

  function lookAgain(): void {
    for (const { searchedAt } of holds.serviceQueues.all()) searchedAt.clear();
    rescanAll();
  }

  function rescanAll(): void {
    for (const { nextLookAt } of holds.serviceQueues.all()) nextLookAt.clear();
    waking.abort(WAKE);
  }

  /** A step has ended: its place is free for others of its kind, and its job may continue with another kind. */
  function lookAfter({ jobId, projectId, serviceQueue: { nextLookAt, service }, step }: LaunchedStep): void {
    // The project has another account by now, whose queue was told to leave this job alone.
    if (context.projects.service(projectId) !== service) return rescanAll();
    nextLookAt.delete(step);
    const next = jobs.due.stepOf(jobId);
    // When a job ends, others may have waited for a take of its shot.
    nextLookAt.delete(next ?? 'prepare');
    // When a task ends, its place at the service is free for a shot.
    if (step === 'poll' && next !== 'poll') nextLookAt.delete('submit');
    waking.abort(WAKE);
  }

  function settled(): Promise<RunState> {
    settling ??= { ...Promise.withResolvers(), since: clock.now() };
    lookAgain();
    return settling.promise;
  }

  function state(): RunState {
    return loop === null ? { is: 'over' } : stateOf({ scope: {} });
  }

  function follow(scope: Scope, takeIds: ReadonlySet<string>): () => RunState {
    const about = { scope, takeIds, lastSeq: jobs.due.lastSeq(), since: clock.now() };
    return () => stateOf(about);
  }

  /** Looks at everything again after something changed. */
  const andLook =
    <Given extends unknown[]>(change: (...given: Given) => void) =>
    (...given: Given): void => {
      change(...given);
      lookAgain();
    };

  const capsChanged = andLook(holds.caps.tryNow);

  /**
   * Starts no more steps of a project. Resolves when all its running steps have ended or the time (ms) is over, with how
   * many still run. They are not cut off: they may be paid for. `releaseProject` ends the hold.
   */
  async function holdProject(projectId: string, patienceMs: number): Promise<number> {
    holds.projects.suspended.add(projectId);
    const signal = stop.signal;
    const until = clock.now() + patienceMs;
    while (launched.runningIn(projectId) > 0 && clock.now() < until && !signal.aborted) {
      const over = new AbortController();
      const waited = clock.sleep(until - clock.now(), { signal: AbortSignal.any([signal, over.signal]) });
      await Promise.race([launched.nextEnd(), waited.catch(() => undefined)]);
      over.abort();
    }
    return launched.runningIn(projectId);
  }

  /** How a request ended says something about its model, and about caps. */
  function noteEvent(job: Job, event: JobEvent): void {
    holds.models.noteEvent(job, event);
    // It no longer counts against a cap.
    if (event.type === 'not_accepted' || event.type === 'refused') capsChanged();
  }

  function notePace(jobId: string, isSlow: boolean): void {
    launched.setSlow(jobId, isSlow);
    if (isSlow) lookAgain();
  }

  function status(): QueueStatus {
    const now = clock.now();
    const gates = [...holds.closed(now), ...(loop ? throttledGates(context, now) : [])];
    // What waits for a person, or for a disk or service to return, has no end that can be estimated.
    const isAtWork = loop !== null && !stop.signal.aborted;
    const hasEnd = isAtWork && !holds.serviceQueues.isPausedByUser && gates.every(isForeseen);
    const expectedEnd = hasEnd ? expected.end(opensAt(gates)) : null;
    const near = context.capsNear().filter(({ scope }) => jobs.due.hasUnsent(scope));
    return {
      underWay: launched.counts,
      gates,
      ...(expectedEnd && { expectedEnd }),
      ...(near.length > 0 && { capsNear: near }),
    };
  }

  /** Starts nothing more; resolves when all that runs has ended. Submits are waited for: they are paid. */
  async function drain(): Promise<void> {
    stop.abort();
    lookAgain();
    await loop;
    await holds.projects.ended();
    await clients.drain();
    await Promise.all(holds.serviceQueues.all().map(({ preparing }) => preparing.onIdle()));
  }

  async function launchUntilStopped(): Promise<void> {
    while (!stop.signal.aborted) {
      // From here on, a call of `lookAgain` skips the next wait.
      waking = new AbortController();
      let wakeAt: number;
      try {
        wakeAt = launchDue();
        reportIfSettled();
      } catch (error) {
        holds.onDatabaseTrouble(error);
        wakeAt = databaseBackoff.at(clock.now())?.until ?? Number.POSITIVE_INFINITY;
        reportIfFailed();
      }
      reportStatus();
      // A call of `lookAgain` ends it, and so does a stop.
      await sleepUntil(wakeAt, clock, waking.signal);
    }
  }

  /** Starts every step that is due and allowed. Returns when to look again, ms; Infinity until something wakes it. */
  function launchDue(): number {
    const now = clock.now();
    lookAtClock();
    const restingUntil = holds.restingUntil();
    if (restingUntil > now) return restingUntil;
    const serviceQueues = holds.serviceQueues.all();
    if (now >= windowsUntil) for (const { nextLookAt } of serviceQueues) nextLookAt.delete('submit');
    windowsUntil = nightWindows.nextChange();
    const tonightAt = letGoTonight(now);
    return Math.min(windowsUntil, tonightAt, ...serviceQueues.map((serviceQueue) => launchDueOf(serviceQueue, now)));
  }

  /** Lets go what is on hold for tonight where its hours run. Returns when the next ones begin, ms. */
  function letGoTonight(now: number): number {
    const { windows, hold } = context;
    let nextAt = Number.POSITIVE_INFINITY;
    for (const { takeId, ...hours } of windows.tonight()) {
      const opensAt = nextOpening(hours, now);
      const job = opensAt === null ? jobs.get(takeId) : null;
      if (opensAt !== null) nextAt = Math.min(nextAt, opensAt);
      if (!job) continue;
      // Off the list first: cut off in between, it stays on hold, where a person sees it.
      windows.notTonight(takeId);
      hold(job, null);
      for (const { nextLookAt } of holds.serviceQueues.all()) nextLookAt.clear();
    }
    return nextAt;
  }

  function launchDueOf(serviceQueue: ServiceQueue, now: number): number {
    if (serviceQueue.gates.probeIsDue(now)) void probe(serviceQueue);
    let wakeAt = Number.POSITIVE_INFINITY;
    for (const step of STEPS) {
      const lookAt = serviceQueue.nextLookAt.get(step) ?? now;
      const nextLookAt = lookAt > now ? lookAt : runner.launchDue(serviceQueue, step, runScope, now);
      serviceQueue.nextLookAt.set(step, nextLookAt);
      wakeAt = Math.min(wakeAt, nextLookAt);
    }
    return wakeAt;
  }

  /** Asks a service something harmless, one question at a time, to find out whether submits make sense again. */
  async function probe(serviceQueue: ServiceQueue): Promise<void> {
    const account = clients.currentIfAny(serviceQueue.service);
    if (serviceQueue.isProbing || !account) return;
    serviceQueue.isProbing = true;
    const answered = (await clients.forAccount(account)?.probe({ signal: context.stopping })) ?? false;
    serviceQueue.isProbing = false;
    serviceQueue.gates.onProbe(answered, clock.now());
    lookAgain();
  }

  /** Ends waits that mean nothing since the clock was set back. The host calls this about once a minute. */
  function lookAtClock(): void {
    const { wall: before, steady: steadyBefore } = lastLook;
    const [now, steady] = [clock.now(), clock.steady?.()];
    const passed = steady === undefined || steadyBefore === undefined ? 0 : Math.max(0, steady - steadyBefore);
    const by = before + passed - now;
    if (by > SMALL_STEP_BACK_MS) {
      ports.logger.warn('The clock was set back', { by });
      holds.clockSetBack(now);
      lookAgain();
    }
    lastLook = { wall: now, steady };
  }

  function reportIfSettled(): void {
    if (!settling || launched.size > 0) return;
    const how = stateOf({ scope: runScope, since: settling.since });
    if (how.is !== 'going' && how.is !== 'paused') settle(how);
  }

  /** A failed database cannot be asked about takes. */
  function reportIfFailed(): void {
    const failed = holds.serviceQueues.halts().find(({ reason }) => reason === 'database');
    if (failed && launched.size === 0) settle({ is: 'halted', gate: failed });
  }

  function settle(how: RunState): void {
    settling?.resolve(how);
    settling = null;
  }

  function stateOf({ scope, takeIds, lastSeq, since }: AskedAbout): RunState {
    const { serviceQueues, caps, windows } = holds;
    const { due } = jobs;
    const all = serviceQueues.all();
    const closed = nightWindows.closed(since);
    const isOf = ({ cap, window }: Gate): boolean => concerns(scope, cap?.scope ?? window?.scope);
    const canContinue = (serviceQueue: ServiceQueue, heldBy: HeldBy): boolean =>
      due.canContinue({
        ...{ scope, lastSeq, service: serviceQueue.service },
        steps: STEPS.filter((step) => !serviceQueue.gates.stops(step, heldBy)),
        ...(heldBy.caps && { capped: caps.capped() }),
        ...(heldBy.windows && { closed }),
      });
    return runState({
      // One that waits for its slot is still in the queue.
      isUnderWay: [...launched].some(({ isRunning, jobId }) => isRunning && (takeIds?.has(jobId) ?? true)),
      isPaused: holds.serviceQueues.isPausedByUser,
      halts: all.flatMap((serviceQueue) => {
        const gate = serviceQueue.gates.halted();
        if (!gate) return [];
        return [{ gate, stopsAny: () => gate.reason === 'database' || canContinue(serviceQueue, { caps: true }) }];
      }),
      caps: caps.closed().filter(isOf),
      windows: windows.closed().filter(isOf),
      canContinue: (heldBy) => all.some((serviceQueue) => canContinue(serviceQueue, heldBy)),
    });
  }

  function reportStatus(): void {
    const now = status();
    // The expected end is sent along with any other change.
    const { expectedEnd: _, ...shown } = now;
    const text = JSON.stringify(shown);
    if (text === lastStatus) return;
    lastStatus = text;
    onStatus(now);
  }

  return {
    ...{ holds, launched, runner, run, lookAgain, settled, state, follow, holdProject },
    ...{ capsChanged, noteEvent, notePace, status, drain, lookAtClock },
    get isRunning(): boolean {
      return loop !== null;
    },
    get isPausedByUser(): boolean {
      return holds.serviceQueues.isPausedByUser;
    },
    pause: andLook(() => holds.setPausedByUser(true)),
    resume: andLook(() => holds.setPausedByUser(false)),
    rest: andLook(holds.rest),
    wake: andLook(holds.wake),
    releaseProject: andLook((projectId: string) => void holds.projects.suspended.delete(projectId)),
    keyChanged: andLook(() => holds.serviceQueues.all().forEach(({ gates }) => gates.keyChanged())),
    addressChanged: andLook(() => holds.serviceQueues.all().forEach(({ gates }) => gates.addressChanged())),
    /** The reserve or the place of a project changed: look now at what waited for room. */
    lookAtDisks: andLook(holds.lookAtDisks),
  };
}

export type Scheduler = ReturnType<typeof createScheduler>;

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
