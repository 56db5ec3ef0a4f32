import { NotStartedError } from '../api/request-queue.ts';
import { toMessage } from '../base/errors.ts';
import { StaleJobError, type Job, type Step } from '../db/job-store.ts';
import { isDatabaseTrouble, mayPass } from '../db/open.ts';
import type { Account } from '../db/service-store.ts';
import { failedWhileSubmitting } from '../machine/failures.ts';
import { allows, type JobEvent } from '../machine/job-machine.ts';
import type { StepReport } from '../machine/job-facts.ts';
import { downloadJob } from './download-step.ts';
import type { Holds } from './holds.ts';
import type { ServiceQueue } from './service-queues.ts';
import type { LaunchedStep, RunningSteps } from './running-steps.ts';
import { lookForTask, unclearSubmit } from './lost-submits.ts';
import { pollJob } from './poll-step.ts';
import { prepareJob } from './prepare-step.ts';
import type { StepContext } from './step-context.ts';
import { submitJob } from './submit-step.ts';
import { persistEvent, finish } from './persist-event.ts';

export class StepRunner {
  readonly #context: StepContext;
  readonly #holds: Holds;
  readonly #launched: RunningSteps;
  readonly #look: (ended?: LaunchedStep) => void;
  /** A running submit cannot be stopped: the results of these jobs are cancelled once the answer is here. */
  readonly toCancel = new Set<string>();

  /** `look` is called with a step that has ended and freed its place, and without one when a gate may have opened. */
  constructor(context: StepContext, holds: Holds, launched: RunningSteps, look: (ended?: LaunchedStep) => void) {
    this.#context = context;
    this.#holds = holds;
    this.#launched = launched;
    this.#look = look;
  }

  launch(step: LaunchedStep, job: Job, account: Account): void {
    let isFresh = true;
    const wholeStep = (): Promise<void> => {
      step.isRunning = true;
      return (
        this.#perform(step.step, job, account)
          .then((report) => this.#note(step.serviceQueue, step.step, job, report))
          .catch((error: unknown) => this.#onError(step.step, job, error))
          .then(() => this.#cancelIfAsked(job.id))
          // This only reads and stores a job, so what fails is the database.
          .catch((error: unknown) => this.#holds.onDatabaseTrouble(error))
      );
    };
    if (step.step === 'submit') this.#holds.places.noteSent(step, account);
    this.#launched.add(step);
    const isWanted = (): boolean => isFresh || this.#isWanted(step.serviceQueue, step.step, job);
    const slot = step.queue?.run(wholeStep, { patienceMs: 0, isWanted }) ?? step.serviceQueue.preparing.add(wholeStep);
    isFresh = false;
    void slot
      .catch((error: unknown) => {
        if (!(error instanceof NotStartedError)) throw error;
      })
      .finally(() => this.#launched.end(step))
      .then(() => this.#look(step))
      .catch((error: unknown) => {
        this.#holds.onDatabaseTrouble(error);
        this.#look();
      });
  }

  #perform(step: Step, job: Job, account: Account): Promise<StepReport> {
    switch (step) {
      case 'prepare':
        return prepareJob(this.#context, account, job);
      case 'submit':
        return submitJob(this.#context, account, job);
      case 'poll':
        return job.state.state === 'submit_unknown' ? lookForTask(this.#context, job) : pollJob(this.#context, job);
      case 'download':
        return downloadJob(this.#context, job);
    }
  }

  /** Called when a waiting job gets its slot: its state, or that of the queue, may have changed. */
  #isWanted(serviceQueue: ServiceQueue, step: Step, claimed: Job): boolean {
    const { id, revision } = claimed;
    const now = this.#context.ports.clock.now();
    if (this.#holds.restingUntil() > now || serviceQueue.gates.before(step, now) !== null) return false;
    if (this.#holds.projects.suspended.has(claimed.projectId)) return false;
    if (step === 'submit' && this.#context.nightWindows.isClosedFor(claimed)) return false;
    const job = this.#context.jobs.get(id);
    return job !== null && job.paused === null && job.revision === revision;
  }

  #note(serviceQueue: ServiceQueue, step: Step, job: Job, report: StepReport): void {
    // An answer may open a gate, and the steps behind it have no timer.
    if (serviceQueue.gates.closed(this.#context.ports.clock.now()).length > 0) this.#look();
    this.#holds.note({ serviceQueue, step, job, report });
  }

  async #onError(step: Step, job: Job, error: unknown): Promise<void> {
    // Changed from outside, usually by a person: it is read again at the next look.
    if (error instanceof StaleJobError) return;
    if (isDatabaseTrouble(error)) {
      this.#holds.onDatabaseTrouble(error);
      if (!mayPass(error) || this.#context.stopping.aborted) return;
    } else {
      const facts = { step, job: job.id, shot: job.shotKey, reason: toMessage(error), stack: (error as Error).stack };
      this.#context.ports.logger.error('A step of a job failed in a way it should not', facts);
    }
    const current = this.#context.jobs.get(job.id);
    if (current?.state.state === 'submitting') {
      // No step returns to this submit: a person decides, and need not restart Dailies for that.
      const failure = failedWhileSubmitting(this.#context.ports.clock.now());
      const unclear = unclearSubmit(this.#context, current, current.state.attempt, failure);
      await finish(this.#context, await persistEvent(this.#context, current, { type: 'unclear', ...unclear }));
    } else if (current && !isDatabaseTrouble(error)) {
      this.#context.hold(current, 'internal_error');
    }
  }

  /** A job that ended, or that needs a decision about money, stays as it is. */
  async #cancelIfAsked(jobId: string): Promise<void> {
    if (!this.toCancel.delete(jobId)) return;
    const job = this.#context.jobs.get(jobId);
    const cancel: JobEvent = { type: 'cancel', at: this.#context.ports.clock.now() };
    if (!job || !allows(job.state, cancel)) return;
    const { decisions } = this.#context.jobs;
    this.#context.decided(
      await persistEvent(this.#context, job, cancel, () => decisions.add(job.id, job.revision + 1)),
    );
  }
}
