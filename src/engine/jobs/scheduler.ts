import { LONG_WAIT_MS, type QueueStatus } from '../../contract/events.ts';
import type { Settled } from '../engine-api.ts';
import { StaleJobError, type Job, type Scope, type Step } from '../db/job-store.ts';
import { isDatabaseTrouble, mayPass } from '../db/open.ts';
import type { Account } from '../db/service-store.ts';
import { messageOf } from '../errors.ts';
import { accountOf } from './account-of.ts';
import { CancelWishes } from './cancel-wishes.ts';
import { Claiming } from './claiming.ts';
import { failedWhileSubmitting } from './failures.ts';
import { finish } from './folder-notes.ts';
import { FullDisks } from './full-disks.ts';
import { halts, type Halt } from './gates.ts';
import { Lanes, type Lane } from './lanes.ts';
import { performStep } from './perform-step.ts';
import { needsPreparing, sendToPreparation } from './prepare-step.ts';
import { Probing } from './probing.ts';
import { Settling } from './settling.ts';
import { sleepUntil } from './sleep-until.ts';
import { throttledGates } from './throttled-gates.ts';
import type { StepContext, StepReport } from './step-context.ts';
import { STEPS, UnderWay } from './under-way.ts';
import { writeDown } from './write-down.ts';

/** Shots whose media are looked after at once. Their uploads are fewer: the library sees to that. */
const PREPARED_AT_ONCE = 16;
/** Clocks are corrected by less all the time, and nothing waits noticeably longer for it, ms. */
const SMALL_STEP_BACK_MS = 5000;
/** Not every sleep that is told of comes, and not every awakening is told of: a rest ends by itself, ms. */
const LONGEST_REST_MS = 60_000;

/**
 * Runs the steps that are due, as many at once as the settings allow and as fast as the service bears. SQLite holds
 * the queue: a claim reads what is due just when there is room for it, so nothing waits in memory.
 */
export class Scheduler {
  readonly #context: StepContext;
  readonly #onStatus: (status: QueueStatus) => void;
  readonly #stop: AbortController;
  readonly #lanes: Lanes;
  readonly #disks = new FullDisks();
  readonly #claiming: Claiming;
  readonly #underWay = new UnderWay();
  readonly #settling = new Settling();
  readonly #probing: Probing;
  readonly #cancelWishes: CancelWishes;
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
    this.#cancelWishes = new CancelWishes(context);
    this.#claiming = new Claiming(context, () => this.poke());
    this.#probing = new Probing(context, () => this.poke());
  }

  run(scope: Scope): void {
    this.#scope = scope;
    this.#loop ??= this.#run();
    this.poke();
  }

  /** Something changed: look again now. */
  poke(): void {
    this.#wake.abort();
  }

  settled(): Promise<Settled> {
    const settled = this.#settling.wait();
    this.poke();
    return settled;
  }

  /** Whether a step of a job is being taken. */
  isUnderWay(jobId: string): boolean {
    return this.#underWay.has(jobId);
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
    if (!this.#underWay.isEmpty) return true;
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
    this.#context.databaseRest.end();
    this.poke();
  }

  /** A submit under way cannot be called back: what it comes to is cancelled as soon as it is known. */
  wishCancel(jobId: string): void {
    this.#cancelWishes.add(jobId);
  }

  /** See `StepContext.notePace`. */
  notePace(jobId: string, isSlow: boolean): void {
    this.#underWay.setSlow(jobId, isSlow);
    if (isSlow) this.poke();
  }

  status(): QueueStatus {
    const now = this.#now();
    return {
      underWay: this.#underWay.counts,
      gates: [
        ...this.#lanes.closed(now),
        ...this.#disks.closed(now),
        ...this.#claiming.closed(now),
        ...[this.#context.databaseRest.at(now)].filter((gate) => gate !== null),
        ...(this.#loop ? throttledGates(this.#context, now) : []),
      ],
    };
  }

  /** Launches nothing more; resolves when all that was under way has ended. Submits are waited for: they are paid. */
  async drain(): Promise<void> {
    this.#stop.abort();
    this.poke();
    await this.#loop;
    await this.#claiming.ended();
    await this.#underWay.ended();
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
        wakeAt = this.#context.databaseRest.at(this.#now())?.until ?? Number.POSITIVE_INFINITY;
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
    const restsUntil = Math.max(this.#restsUntil, this.#context.databaseRest.at(now)?.until ?? now);
    if (restsUntil > now) return restsUntil;
    let wakeAt = Number.POSITIVE_INFINITY;
    for (const lane of this.#lanes.all()) {
      if (lane.gates.probeIsDue(now)) this.#probing.probe(lane);
      for (const step of STEPS) wakeAt = Math.min(wakeAt, this.#launchStep(lane, step, now));
    }
    return wakeAt;
  }

  /** Times of a clock that was wrong say nothing: what waits for one is tried now, and finds its own pace again. */
  #clockSetBack(now: number): void {
    const { jobs, settings, ports } = this.#context;
    ports.logger.warn('The clock was set back', { by: this.#lastLook - now });
    jobs.limitDeadlines(now + settings.deadlineHours * 3_600_000);
    this.#endWaits(now);
    this.#lanes.clockSetBack(now);
    this.#disks.lookAgain();
    this.#context.databaseRest.end();
    this.#restsUntil = Number.NEGATIVE_INFINITY;
  }

  /** Whatever waits for a time beyond `beyond` (ms) is tried now; a service that wants it to wait says so once more. */
  #endWaits(beyond: number): void {
    this.#context.pacing.forgetFloors(beyond);
    this.#context.preparer.endWaits();
    this.#context.jobs.bringForward(this.#now(), beyond);
  }

  #launchStep(lane: Lane, step: Step, now: number): number {
    const writes = step === 'submit' || step === 'download';
    const gate = lane.gates.before(step, now) ?? (writes ? this.#disks.ofData(now) : null);
    // A time that has passed means that a probe is under way: its end pokes the loop.
    if (gate) return gate.until !== null && gate.until > now ? gate.until : Number.POSITIVE_INFINITY;
    const atOnce = step === 'prepare' ? PREPARED_AT_ONCE : this.#context.settings.concurrency[step];
    const room = atOnce - this.#underWay.places(step);
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
    const scope = { ...this.#scope, service: lane.service };
    for (const job of this.#context.jobs.claimDue(step, now, room, scope, this.#underWay.jobs(step), resting)) {
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
        // Its place is free for the next one at once.
        wakeAt = now;
        continue;
      }
      // Uploads and questions about them are paced one by one.
      const turn = step === 'prepare' ? { ok: true as const } : this.#context.pacing.take(step, account, now);
      if (turn.ok) this.#launch(lane, step, job, account);
      else wakeAt = Math.min(wakeAt, turn.at);
    }
    return wakeAt;
  }

  #launch(lane: Lane, step: Step, job: Job, account: Account): void {
    const run = performStep(this.#context, step, job, account)
      .then((report) => this.#note(lane, step, job, report))
      .catch((error: unknown) => this.#onStepError(step, job, error))
      .then(() => this.#cancelWishes.honour(job.id))
      // Reading a job and writing it down is all that is done here: what fails is the database.
      .catch((error: unknown) => this.#onDatabaseTrouble(error))
      .finally(() => {
        this.#underWay.remove(step, job.id);
        this.poke();
      });
    this.#underWay.add(step, job.id, run);
  }

  #note(lane: Lane, step: Step, job: Job, report: StepReport): void {
    const now = this.#now();
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
      this.#context.databaseRest.note(error, this.#now());
      return;
    }
    this.#context.ports.logger.error('The database failed; nothing more is sent', { reason: messageOf(error) });
    this.#lanes.haltAll(
      'database',
      `The database failed (${messageOf(error)}): nothing more is sent. Look after its disk, then start Dailies again.`,
    );
  }

  #tellIfSettled(): void {
    if (!this.#settling.isAwaited || !this.#underWay.isEmpty) return;
    if (!this.#context.jobs.canGoOn(this.#scope, this.#context.clients.names())) this.#settling.tell({ type: 'done' });
    else this.#tellIfHalted();
  }

  #tellIfHalted(): void {
    const gate = this.#lanes.halted();
    if (gate && this.#underWay.isEmpty && !this.#goesOnBehind(gate.reason))
      this.#settling.tell({ type: 'halted', gate });
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
