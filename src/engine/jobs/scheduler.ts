import type { Gate, QueueStatus } from '../../contract/events.ts';
import type { Settled } from '../engine-api.ts';
import { StaleJobError, type Job, type Scope, type Step } from '../db/job-store.ts';
import { isDatabaseTrouble } from '../db/open.ts';
import type { Account } from '../db/service-store.ts';
import { ServiceAddressError } from '../api/address.ts';
import { KeyMissingError, messageOf } from '../errors.ts';
import { downloadJob } from './download-step.ts';
import { finish } from './folder-notes.ts';
import { Lanes, type Lane } from './lanes.ts';
import { allows, attemptOf, type JobEvent } from './job-machine.ts';
import { pollJob } from './poll-step.ts';
import { needsPreparing, prepareJob, sendToPreparation } from './prepare-step.ts';
import { throttledGates } from './throttled-gates.ts';
import type { StepContext, StepReport } from './step-context.ts';
import { submitJob } from './submit-step.ts';

/** Results come home before anything new is asked for. */
const STEPS: readonly Step[] = ['download', 'poll', 'submit', 'prepare'];
/** Shots whose media are looked after at once. Their uploads are fewer: the library sees to that. */
const PREPARED_AT_ONCE = 16;

/**
 * Runs the steps that are due, as many at once as the settings allow and as fast as the service bears. SQLite holds
 * the queue: a claim reads what is due just when there is room for it, so nothing waits in memory.
 */
export class Scheduler {
  readonly #context: StepContext;
  readonly #onStatus: (status: QueueStatus) => void;
  readonly #stop: AbortController;
  readonly #lanes: Lanes;
  readonly #underWay: Record<Step, Map<string, Promise<void>>> = {
    prepare: new Map(),
    submit: new Map(),
    poll: new Map(),
    download: new Map(),
  };
  readonly #cancelWishes = new Set<string>();
  #scope: Scope = {};
  #loop: Promise<void> | null = null;
  #wake = new AbortController();
  #waiting: ((settled: Settled) => void)[] = [];
  #lastStatus = '';
  #probing = false;

  constructor(context: StepContext, stop: AbortController, onStatus: (status: QueueStatus) => void) {
    this.#context = context;
    this.#stop = stop;
    this.#onStatus = onStatus;
    this.#lanes = new Lanes(() => context.clients.names());
    this.#lanes.setPausedByUser(context.service.isQueuePaused());
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
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.poke();
    });
  }

  get isRunning(): boolean {
    return this.#loop !== null;
  }

  get isPausedByUser(): boolean {
    return this.#lanes.isPausedByUser;
  }

  setPaused(paused: boolean): void {
    // On disk first: a pause that a crash forgets would send what nobody wants sent.
    this.#context.service.setQueuePaused(paused);
    this.#lanes.setPausedByUser(paused);
    this.poke();
  }

  /** The key or the address was changed: what waited for it goes on. */
  accountChanged(): void {
    this.#lanes.accountChanged();
    this.poke();
  }

  /** A submit under way cannot be called back: what it comes to is cancelled as soon as it is known. */
  wishCancel(jobId: string): void {
    this.#cancelWishes.add(jobId);
  }

  status(): QueueStatus {
    return {
      underWay: {
        prepare: this.#underWay.prepare.size,
        submit: this.#underWay.submit.size,
        poll: this.#underWay.poll.size,
        download: this.#underWay.download.size,
      },
      gates: [...this.#lanes.closed(this.#now()), ...(this.#loop ? throttledGates(this.#context, this.#now()) : [])],
    };
  }

  /** Launches nothing more; resolves when all that was under way has ended. Submits are waited for: they are paid. */
  async drain(): Promise<void> {
    this.#stop.abort();
    this.poke();
    await this.#loop;
    await Promise.all(STEPS.flatMap((step) => [...this.#underWay[step].values()]));
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
        this.#haltOn(error);
        wakeAt = Number.POSITIVE_INFINITY;
        this.#tellIfHalted();
      }
      this.#tellStatus();
      await this.#waitUntil(wakeAt);
    }
  }

  /** Starts every step that is due and allowed. Returns when to look again, ms; Infinity for "when poked". */
  #launchDue(): number {
    const now = this.#now();
    let wakeAt = Number.POSITIVE_INFINITY;
    for (const lane of this.#lanes.all()) {
      if (lane.gates.probeIsDue(now)) this.#probe(lane);
      for (const step of STEPS) wakeAt = Math.min(wakeAt, this.#launchStep(lane, step, now));
    }
    return wakeAt;
  }

  #launchStep(lane: Lane, step: Step, now: number): number {
    const gate = lane.gates.before(step, now);
    // A time that has passed means that a probe is under way: its end pokes the loop.
    if (gate) return gate.until !== null && gate.until > now ? gate.until : Number.POSITIVE_INFINITY;
    const underWay = this.#underWay[step];
    const atOnce = step === 'prepare' ? PREPARED_AT_ONCE : this.#context.settings.concurrency[step];
    const room = atOnce - underWay.size;
    // A step that ends pokes the loop, so there is nothing to wait for by the clock.
    if (room <= 0) return Number.POSITIVE_INFINITY;
    let wakeAt = this.#context.jobs.nextDueAt(step, now) ?? Number.POSITIVE_INFINITY;
    const scope = { ...this.#scope, service: lane.service };
    for (const job of this.#context.jobs.claimDue(step, now, room, scope, new Set(underWay.keys()))) {
      const account = this.#accountOf(lane, step, job);
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

  #accountOf({ service, gates }: Lane, step: Step, job: Job): Account | null {
    if (step !== 'submit' && step !== 'prepare') return attemptOf(job.state);
    try {
      const account = this.#context.clients.current(service);
      if (account) return account;
      throw new KeyMissingError();
    } catch (error) {
      if (!(error instanceof KeyMissingError) && !(error instanceof ServiceAddressError)) throw error;
      gates.halt('key_missing', `${error.message} ${error.remedy}`);
      return null;
    }
  }

  #launch(lane: Lane, step: Step, job: Job, account: Account): void {
    const run = this.#perform(step, job, account)
      .then((report) => lane.gates.note(step, report, this.#now()))
      .catch((error: unknown) => this.#onStepError(step, job, error))
      .then(() => this.#honourCancelWish(job.id))
      // Reading a job and writing it down is all that is done here: what fails is the database.
      .catch((error: unknown) => this.#haltOn(error))
      .finally(() => {
        this.#underWay[step].delete(job.id);
        this.poke();
      });
    this.#underWay[step].set(job.id, run);
  }

  #perform(step: Step, job: Job, account: Account): Promise<StepReport> {
    switch (step) {
      case 'prepare':
        return prepareJob(this.#context, account, job);
      case 'submit':
        return submitJob(this.#context, account, job);
      case 'poll':
        return pollJob(this.#context, job);
      case 'download':
        return downloadJob(this.#context, job);
    }
  }

  #onStepError(step: Step, job: Job, error: unknown): void {
    // Somebody (a person, usually) moved the job meanwhile: it is read afresh at the next look.
    if (error instanceof StaleJobError) return;
    const facts = { step, job: job.id, shot: job.shotKey, reason: messageOf(error), stack: (error as Error).stack };
    this.#context.ports.logger.error('A step of a job failed in a way it should not', facts);
    if (isDatabaseTrouble(error)) {
      this.#haltOn(error);
      return;
    }
    const current = this.#context.jobs.get(job.id);
    if (current) this.#context.hold(current, 'internal_error');
  }

  #haltOn(error: unknown): void {
    this.#context.ports.logger.error('The database failed; nothing more is sent', { reason: messageOf(error) });
    this.#lanes.haltAll(
      'database',
      `The database failed (${messageOf(error)}): nothing more is sent. Run \`dailies doctor\`.`,
    );
  }

  /** A submit that came to an end of its own, or to a question of money, is left as it is. */
  async #honourCancelWish(jobId: string): Promise<void> {
    if (!this.#cancelWishes.delete(jobId)) return;
    const job = this.#context.jobs.get(jobId);
    const cancel: JobEvent = { type: 'cancel', at: this.#now() };
    if (job && allows(job.state, cancel)) await finish(this.#context, this.#context.advance(job, cancel));
  }

  /** Asks the service something harmless, to learn whether submits make sense again. */
  #probe({ service, gates }: Lane): void {
    const account = this.#context.clients.currentIfAny(service);
    if (this.#probing || !account) return;
    this.#probing = true;
    void (
      this.#context.clients.forAccount(account)?.probe({ signal: this.#context.stopping }) ?? Promise.resolve(false)
    )
      .then((answered) => gates.onProbe(answered, this.#now()))
      .finally(() => {
        this.#probing = false;
        this.poke();
      });
  }

  #tellIfSettled(): void {
    if (this.#waiting.length === 0 || this.#isBusy()) return;
    if (!this.#context.jobs.canGoOn(this.#scope, this.#context.clients.names())) this.#tell({ type: 'done' });
    else this.#tellIfHalted();
  }

  #tellIfHalted(): void {
    const gate = this.#lanes.halted();
    if (gate && !this.#isBusy() && !this.#canDownload(gate)) this.#tell({ type: 'halted', gate });
  }

  #canDownload(gate: Gate): boolean {
    if (gate.reason === 'database') return false;
    const far = Number.MAX_SAFE_INTEGER;
    return this.#context.jobs.claimDue('download', far, 1, this.#scope, new Set()).length > 0;
  }

  #tell(settled: Settled): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve(settled);
  }

  #isBusy(): boolean {
    return STEPS.some((step) => this.#underWay[step].size > 0);
  }

  #tellStatus(): void {
    const status = this.status();
    const text = JSON.stringify(status);
    if (text === this.#lastStatus) return;
    this.#lastStatus = text;
    this.#onStatus(status);
  }

  async #waitUntil(at: number): Promise<void> {
    const { clock } = this.#context.ports;
    // A day at most: a clock that jumps must not put the queue to sleep for ever.
    const ms = Math.min(Math.max(0, at - clock.now()), 86_400_000);
    try {
      await clock.sleep(ms, { signal: this.#wake.signal });
    } catch {
      // Woken early by a poke, which a stop gives too: the loop looks again.
    }
  }

  #now(): number {
    return this.#context.ports.clock.now();
  }
}
