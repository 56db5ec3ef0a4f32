import type { StepReport } from '../machine/step-report.ts';
import { LONG_WAIT_MS, type QueueStatus, type Gate } from '../../contract/events.ts';
import { NotStartedError } from '../api/request-queue.ts';
import { StaleJobError, type Job, type Scope, type Step } from '../db/job-store.ts';
import { isDatabaseTrouble, mayPass } from '../db/open.ts';
import type { Account } from '../db/service-store.ts';
import { messageOf } from '../base/errors.ts';
import { accountOf } from './account-of.ts';
import { PendingCancels } from './pending-cancels.ts';
import { Claiming } from './claiming.ts';
import { failedWhileSubmitting } from '../machine/failures.ts';
import { finish } from './folder-notes.ts';
import { FullDisks } from './full-disks.ts';
import { halts, type Halt } from './gates.ts';
import { HeldModels } from './held-models.ts';
import { LaunchedSteps, STEPS, type LaunchedStep } from './launched-steps.ts';
import { Lanes, type Lane } from './lanes.ts';
import { performStep } from './perform-step.ts';
import { limitsOf } from '../api/service-clients.ts';
import { needsPreparing, sendToPreparation } from './prepare-step.ts';
import { probe } from './service-probe.ts';
import { sleepUntil } from './sleep-until.ts';
import { throttledGates } from './throttled-gates.ts';
import type { StepContext } from './step-context.ts';
import { writeDown } from './write-down.ts';

/** Why `settled` came back. `done`: nothing of the scope can go on without a person. */
export type Settled = { readonly type: 'done' } | { readonly type: 'halted'; readonly gate: Gate };

/** Clocks are corrected by less all the time, and nothing waits noticeably longer for it, ms. */
const SMALL_STEP_BACK_MS = 5000;
/** Not every sleep that is told of comes, and not every awakening is told of: a rest ends by itself, ms. */
const LONGEST_REST_MS = 60_000;

/**
 * Brings the steps that are due into the queues of their accounts, which run them. SQLite holds the queue: a claim reads
 * what is due when there is room for it and writes nothing, so that nothing is lost with what waits for a slot.
 */
export class Scheduler {
  readonly #context: StepContext;
  readonly #onStatus: (status: QueueStatus) => void;
  readonly #stop: AbortController;
  readonly #lanes: Lanes;
  readonly #disks = new FullDisks();
  readonly #claiming: Claiming;
  readonly #launched = new LaunchedSteps();
  readonly #heldModels: HeldModels;
  #settled: PromiseWithResolvers<Settled> | null = null;
  readonly #pendingCancels: PendingCancels;
  #scope: Scope = {};
  #loop: Promise<void> | null = null;
  #wake = new AbortController();
  #lastStatus = '';
  /** The latest time that is known to have been, ms: the clock was set back when it is earlier. */
  #lastLook: number;
  /** Nothing is begun before, ms. */
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(context: StepContext, stop: AbortController, onStatus: (status: QueueStatus) => void) {
    this.#context = context;
    this.#stop = stop;
    this.#onStatus = onStatus;
    this.#lastLook = context.jobs.lastChange();
    this.#lanes = new Lanes(() => context.clients.names());
    this.#lanes.setPausedByUser(context.service.isQueuePaused());
    this.#heldModels = new HeldModels(context, this.#launched);
    this.#pendingCancels = new PendingCancels(context);
    this.#claiming = new Claiming(context, () => this.poke());
  }

  run(scope: Scope): void {
    this.#scope = scope;
    this.#loop ??= this.#run();
    this.poke();
  }

  /** Something changed: look at everything now. */
  poke(): void {
    for (const { viewDataFolder } of this.#lanes.all()) viewDataFolder.clear();
    this.#wake.abort(poked);
  }

  /** A step has ended: it has left its place to others of its kind, and its job may go on with another kind. */
  #lookAfter({ jobId, lane, step }: LaunchedStep): void {
    lane.viewDataFolder.delete(step);
    const next = this.#context.jobs.stepOf(jobId);
    if (next) lane.viewDataFolder.delete(next);
    // A task that has ended leaves its place at the service to a shot.
    if (step === 'poll' && next !== 'poll') lane.viewDataFolder.delete('submit');
    this.#wake.abort(poked);
  }

  settled(): Promise<Settled> {
    this.#settled ??= Promise.withResolvers();
    this.poke();
    return this.#settled.promise;
  }

  /** Whether a step of a job is being taken. */
  isUnderWay(jobId: string): boolean {
    return this.#launched.isRunning(jobId);
  }

  get isRunning(): boolean {
    return this.#loop !== null;
  }

  get isPausedByUser(): boolean {
    return this.#lanes.isPausedByUser;
  }

  /** False while nothing new is to be sent, not even what is being prepared already. */
  get maySend(): boolean {
    return !this.isPausedByUser && this.#restsUntil <= this.#now();
  }

  /** Whether anything goes on by itself, if only after a wait. A pause lets what was sent come home. */
  get goesOn(): boolean {
    if (this.#loop === null) return false;
    if (!this.#launched.isEmpty) return true;
    const gate = this.#lanes.halted();
    if (gate) return this.#goesOnBehind(gate.reason);
    const steps = this.isPausedByUser ? (['poll', 'download'] as const) : null;
    return this.#context.jobs.canGoOn(this.#scope, this.#context.clients.names(), steps);
  }

  setPaused(paused: boolean): void {
    // On disk first: a pause that a crash forgets would send what nobody wants sent.
    this.#context.service.setQueuePaused(paused);
    this.#lanes.setPausedByUser(paused);
    if (!paused) {
      this.#endWaits(this.#now() + LONG_WAIT_MS);
      this.lookAtDisks();
    }
    this.poke();
  }

  /** What would be begun now would be cut in two by the machine's sleep. */
  rest(): void {
    this.#restsUntil = this.#now() + LONGEST_REST_MS;
    this.poke();
  }

  wake(): void {
    this.#restsUntil = Number.NEGATIVE_INFINITY;
    this.poke();
  }

  /** What waited for another key goes on. */
  keyChanged(): void {
    this.#lanes.keyChanged();
    this.poke();
  }

  /** What waited for the service at another address goes on. */
  addressChanged(): void {
    this.#lanes.addressChanged();
    this.poke();
  }

  /** Another reserve, or another place of a project: what waited for room is looked at now. */
  lookAtDisks(): void {
    this.#disks.lookAgain();
    this.#context.databaseBackoff.end();
    this.poke();
  }

  /** A submit under way cannot be called back: what it comes to is cancelled as soon as it is known. */
  requestCancel(jobId: string): void {
    this.#pendingCancels.add(jobId);
  }

  /** See `StepContext.notePace`. */
  notePace(jobId: string, isSlow: boolean): void {
    this.#launched.setSlow(jobId, isSlow);
    if (isSlow) this.poke();
  }

  status(): QueueStatus {
    const now = this.#now();
    return {
      underWay: this.#launched.counts,
      gates: [
        ...this.#lanes.closed(now),
        ...this.#disks.closed(now),
        ...this.#claiming.closed(now),
        ...[this.#context.databaseBackoff.at(now)].filter((gate) => gate !== null),
        ...(this.#loop ? throttledGates(this.#context, now) : []),
      ],
    };
  }

  /** Starts nothing more; resolves when all that runs has ended. Submits are waited for: they are paid. */
  async drain(): Promise<void> {
    this.#stop.abort();
    this.poke();
    await this.#loop;
    await this.#claiming.ended();
    await this.#context.clients.drain();
    await Promise.all(this.#lanes.all().map(({ preparing }) => preparing.onIdle()));
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      // From here on a poke means that the next wait is skipped.
      this.#wake = new AbortController();
      let wakeAt: number;
      try {
        wakeAt = this.#launchDue();
        this.#tellIfSettled();
      } catch (error) {
        this.#onDatabaseTrouble(error);
        wakeAt = this.#context.databaseBackoff.at(this.#now())?.until ?? Number.POSITIVE_INFINITY;
        this.#tellIfHalted();
      }
      this.#tellStatus();
      // A poke ends it, which a stop gives too.
      await sleepUntil(wakeAt, this.#context.ports.clock, this.#wake.signal);
    }
  }

  /** Starts every step that is due and allowed. Returns when to look again, ms; Infinity for "when poked". */
  #launchDue(): number {
    const now = this.#now();
    if (now < this.#lastLook - SMALL_STEP_BACK_MS) this.#clockSetBack(now);
    this.#lastLook = now;
    const restsUntil = this.#restingUntil(now);
    if (restsUntil > now) return restsUntil;
    let wakeAt = Number.POSITIVE_INFINITY;
    for (const lane of this.#lanes.all()) {
      if (lane.gates.probeIsDue(now)) void this.#probe(lane);
      for (const step of STEPS) {
        const viewDataFolder = lane.viewDataFolder.get(step) ?? now;
        const nextLookAt = viewDataFolder <= now ? this.#launchStep(lane, step, now) : viewDataFolder;
        lane.viewDataFolder.set(step, nextLookAt);
        wakeAt = Math.min(wakeAt, nextLookAt);
      }
    }
    return wakeAt;
  }

  async #probe(lane: Lane): Promise<void> {
    if (await probe(this.#context, lane)) this.poke();
  }

  /** Times of a clock that was wrong say nothing: what waits for one is tried now, and finds its own pace again. */
  #clockSetBack(now: number): void {
    const { jobs, settings, ports } = this.#context;
    ports.logger.warn('The clock was set back', { by: this.#lastLook - now });
    jobs.limitDeadlines(now + settings.deadlineHours * 3_600_000);
    this.#endWaits(now);
    this.#lanes.clockSetBack(now);
    this.#disks.lookAgain();
    this.#context.databaseBackoff.end();
    this.#restsUntil = Number.NEGATIVE_INFINITY;
    this.poke();
  }

  /** Whatever waits for a time beyond `beyond` (ms) is tried now; a service that wants it to wait says so once more. */
  #endWaits(beyond: number): void {
    this.#context.clients.forgetFloors(beyond);
    this.#context.downloader.forgetFloors(beyond);
    this.#context.preparer.endWaits();
    this.#context.jobs.bringForward(this.#now(), beyond);
  }

  #launchStep(lane: Lane, step: Step, now: number): number {
    const writes = step === 'submit' || step === 'download';
    const gate = lane.gates.before(step, now) ?? (writes ? this.#disks.ofData(now) : null);
    // A time that has passed means that a probe is under way: its end pokes the loop.
    if (gate) return gate.until !== null && gate.until > now ? gate.until : Number.POSITIVE_INFINITY;
    const { jobs: launched, places } = this.#launched.of(lane, step);
    const room = this.#atOnce(lane, step) - places;
    // A step that ends pokes the loop, so there is nothing to wait for by the clock.
    if (room <= 0) return Number.POSITIVE_INFINITY;
    let wakeAt = this.#context.jobs.nextDueAt(step, now) ?? Number.POSITIVE_INFINITY;
    const passedOver = [...(writes ? this.#disks.projects(now) : []), ...this.#claiming.held(now)];
    const resting = [...passedOver, ...this.#claiming.asked()];
    if (passedOver.length > 0) {
      wakeAt = Math.min(wakeAt, this.#disks.nextLookAt(now), this.#claiming.nextAskAt(now));
      const searchAt = this.#disks.nextSearchAt(`${step} ${lane.service ?? ''}`, now);
      if (searchAt > now) return Math.min(wakeAt, searchAt);
    }
    const held = step === 'submit' ? this.#heldModels.of(lane) : { models: [], until: Number.POSITIVE_INFINITY };
    wakeAt = Math.min(wakeAt, held.until);
    const searchAt = this.#heldModels.nextSearchAt(lane, held.models);
    if (held.models.length > 0 && searchAt > now) return Math.min(wakeAt, searchAt);
    const scope = { ...this.#scope, service: lane.service };
    const claimed = this.#context.jobs.claimDue(step, now, room, scope, launched, resting, held.models);
    if (held.models.length > 0 && claimed.length === 0) this.#heldModels.noteNothingFound(lane, held.models, now);
    for (const job of claimed) {
      if (!this.#claiming.mayGoOn(job.projectId, now)) {
        this.#claiming.ask(job.projectId);
        // The places are free for jobs of other projects at once.
        wakeAt = now;
        continue;
      }
      const account = accountOf(this.#context, lane, step, job);
      if (!account) return wakeAt;
      if (step === 'submit' && needsPreparing(this.#context, account, job)) {
        sendToPreparation(this.#context, job);
        lane.viewDataFolder.delete('prepare');
        // Its place is free for the next one at once.
        wakeAt = now;
        continue;
      }
      const queue = step === 'prepare' ? null : this.#context.clients.queues(account)[step];
      const heldUntil = queue?.heldUntil() ?? null;
      if (heldUntil !== null) {
        wakeAt = Math.min(wakeAt, heldUntil);
        continue;
      }
      if (step === 'submit' && this.#heldModels.heldUntil(lane, account, job.model) !== null) {
        // It took the last place of its model; the next look passes over the model.
        wakeAt = now;
        continue;
      }
      this.#launch(
        { jobId: job.id, model: job.model, lane, step, queue, isRunning: false, isSlow: false },
        job,
        account,
      );
    }
    return wakeAt;
  }

  /** Steps of one kind that are in the hands of one lane at once, whether they run or wait for a token. */
  #atOnce({ preparing }: Lane, step: Step): number {
    return step === 'prepare' ? preparing.concurrency : limitsOf(this.#context.settings, step).concurrency;
  }

  /** The slot holds the step from its beginning to its end: a submit's intent and its POST are in one slot. */
  #launch(launched: LaunchedStep, job: Job, account: Account): void {
    const { lane, step, queue } = launched;
    let isFresh = true;
    const wholeStep = (): Promise<void> => {
      launched.isRunning = true;
      return (
        performStep(this.#context, step, job, account)
          .then((report) => this.#note(lane, step, job, report))
          .catch((error: unknown) => this.#onStepError(step, job, error))
          .then(() => this.#pendingCancels.honour(job.id))
          // Reading a job and writing it down is all that is done here: what fails is the database.
          .catch((error: unknown) => this.#onDatabaseTrouble(error))
      );
    };
    if (step === 'submit') this.#heldModels.noteSent(launched, account);
    this.#launched.add(launched);
    const isWanted = (): boolean => isFresh || this.#isWanted(lane, step, job);
    const slot = queue ? queue.run(wholeStep, { patienceMs: 0, isWanted }) : lane.preparing.add(wholeStep);
    isFresh = false;
    void slot
      .catch((error: unknown) => {
        if (!(error instanceof NotStartedError)) throw error;
      })
      .finally(() => this.#launched.remove(launched))
      .then(() => this.#lookAfter(launched))
      .catch((error: unknown) => {
        this.#onDatabaseTrouble(error);
        this.poke();
      });
  }

  /** Asked when a job that has waited for its slot gets it: what it waits for, or its own state, may have changed. */
  #isWanted(lane: Lane, step: Step, { id, revision }: Job): boolean {
    const now = this.#now();
    if (this.#restingUntil(now) > now || lane.gates.before(step, now) !== null) return false;
    const job = this.#context.jobs.get(id);
    return job !== null && job.paused === null && job.revision === revision;
  }

  /** Until when nothing is begun, ms. */
  #restingUntil(now: number): number {
    return Math.max(this.#restsUntil, this.#context.databaseBackoff.at(now)?.until ?? now);
  }

  #note(lane: Lane, step: Step, job: Job, report: StepReport): void {
    const now = this.#now();
    // An answer may open what was closed, and what waits behind it has no time to be looked at.
    if (lane.gates.closed(now).length > 0) this.poke();
    lane.gates.note(step, report, now);
    if (report.saw === 'project_in_use') this.#claiming.hold(job.projectId, report.error);
    if (report.saw !== 'disk_low') return;
    if (report.disk === 'data') this.#disks.noteData(report.message, now);
    else this.#disks.noteProject(job.projectId, report.message, now);
  }

  async #onStepError(step: Step, job: Job, error: unknown): Promise<void> {
    // Somebody (a person, usually) moved the job meanwhile: it is read afresh at the next look.
    if (error instanceof StaleJobError) return;
    if (isDatabaseTrouble(error)) {
      this.#onDatabaseTrouble(error);
      if (!mayPass(error) || this.#stop.signal.aborted) return;
    } else {
      const facts = { step, job: job.id, shot: job.shotKey, reason: messageOf(error), stack: (error as Error).stack };
      this.#context.ports.logger.error('A step of a job failed in a way it should not', facts);
    }
    const current = this.#context.jobs.get(job.id);
    if (current?.state.state === 'submitting') {
      // Nothing comes back to a submit whose step is over: a person decides, and need not start Dailies again for that.
      const failure = failedWhileSubmitting(this.#now());
      await finish(this.#context, await writeDown(this.#context, current, { type: 'unclear', failure }));
    } else if (current && !isDatabaseTrouble(error)) {
      this.#context.hold(current, 'internal_error');
    }
  }

  #onDatabaseTrouble(error: unknown): void {
    if (mayPass(error)) {
      this.#context.ports.logger.warn('The database could not be written', { reason: messageOf(error) });
      this.#context.databaseBackoff.note(error, this.#now());
      return;
    }
    this.#context.ports.logger.error('The database failed; nothing more is sent', { reason: messageOf(error) });
    this.#lanes.haltAll(
      'database',
      `The database failed (${messageOf(error)}): nothing more is sent. Look after its disk, then start Dailies again.`,
    );
  }

  #tellIfSettled(): void {
    if (!this.#settled || !this.#launched.isEmpty) return;
    if (!this.#context.jobs.canGoOn(this.#scope, this.#context.clients.names())) this.#settle({ type: 'done' });
    else this.#tellIfHalted();
  }

  #tellIfHalted(): void {
    const gate = this.#lanes.halted();
    if (gate && this.#launched.isEmpty && !this.#goesOnBehind(gate.reason)) this.#settle({ type: 'halted', gate });
  }

  #settle(settled: Settled): void {
    this.#settled?.resolve(settled);
    this.#settled = null;
  }

  #goesOnBehind(halt: Halt): boolean {
    const steps = STEPS.filter((step) => !halts[halt].has(step));
    // A database that failed is not asked: it stops every step.
    if (steps.length === 0) return false;
    return this.#context.jobs.canGoOn(this.#scope, this.#context.clients.names(), steps);
  }

  #tellStatus(): void {
    const status = this.status();
    const text = JSON.stringify(status);
    if (text === this.#lastStatus) return;
    this.#lastStatus = text;
    this.#onStatus(status);
  }

  #now(): number {
    return this.#context.ports.clock.now();
  }
}

/** Ends a wait, without making an error for each. */
const poked = Symbol('poked');
