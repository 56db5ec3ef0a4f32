import { messageFor } from '../../contract/messages/message.ts';
import { ServiceAddressError } from '../api/address.ts';
import { NotStartedError } from '../api/request-queue.ts';
import { KeyMissingError, toMessage } from '../base/errors.ts';
import { StaleJobError, type Job, type Scope, type Step } from '../db/job-store.ts';
import { isDatabaseTrouble, mayPass } from '../db/open.ts';
import type { Account } from '../db/service-store.ts';
import { failedWhileSubmitting } from '../machine/failures.ts';
import { toAttempt, type StepReport } from '../machine/job-facts.ts';
import { allows, type JobEvent } from '../machine/job-machine.ts';
import { downloadJob } from './download-step.ts';
import type { Holds } from './holds.ts';
import { lookForTask, unclearSubmit } from './lost-submits.ts';
import { persistEvent, finish } from './persist-event.ts';
import { pollJob } from './poll-step.ts';
import { needsPreparing, prepareJob, sendToPreparation } from './prepare-step.ts';
import type { LaunchedStep, RunningSteps, ServiceQueue } from './service-queues.ts';
import type { StepContext } from './step-context.ts';
import { TakeElsewhereError } from './studio-ports.ts';
import { submitJob } from './submit-step.ts';

/** The shortest time between two searches past jobs that wait, ms: one past ten thousand takes 10 ms. */
const SEARCH_EVERY_MS = 250;

/**
 * Claims the jobs that are due and have room, and runs their steps. `look` is called with a step that has ended and freed
 * its place, and without one when a gate may have opened.
 */
export function createStepRunner(
  context: StepContext,
  holds: Holds,
  launched: RunningSteps,
  look: (ended?: LaunchedStep) => void,
) {
  const { clients, jobs, ports } = context;
  const { clock } = ports;
  /** A running submit cannot be stopped: the results of these jobs are cancelled once the answer is here. */
  const toCancel = new Set<string>();

  /** Returns when to look again, ms; Infinity for "when something changes". */
  function launchDue(serviceQueue: ServiceQueue, step: Step, scope: Scope, now: number): number {
    const gate = holds.gate(serviceQueue, step, now);
    // A time in the past means that a probe is under way: its end wakes the loop.
    if (gate) return gate.until !== null && gate.until > now ? gate.until : Number.POSITIVE_INFINITY;
    const room = holds.places.left(serviceQueue, step);
    // A step that ends wakes the loop, so no timer is needed.
    if (room <= 0) return Number.POSITIVE_INFINITY;
    const { until, ...excluded } = holds.excluded(serviceQueue, step, now);
    const lookAgainAt = Math.min(jobs.due.nextAt(step, now) ?? Number.POSITIVE_INFINITY, until);
    const { projects, models, accounts, closed } = excluded;
    if (projects.length + models.length + accounts.length + closed.projects.length + closed.batches.length > 0) {
      const searchAt = (serviceQueue.searchedAt.get(step) ?? Number.NEGATIVE_INFINITY) + SEARCH_EVERY_MS;
      if (searchAt > now) return Math.min(lookAgainAt, searchAt);
      serviceQueue.searchedAt.set(step, now);
    }
    const passedOver = { ...excluded, jobs: launched.jobsOf(serviceQueue, step) };
    const due = jobs.due.claim(step, now, room, { ...scope, service: serviceQueue.service }, passedOver);
    return Math.min(lookAgainAt, ...due.map((job) => launchOrPassOver(serviceQueue, step, job, now)));
  }

  /** Returns when to look again because of this job, ms: now, if its place is free for the next one. */
  function launchOrPassOver(serviceQueue: ServiceQueue, step: Step, job: Job, now: number): number {
    const { id: jobId, projectId, model } = job;
    if (!holds.projects.mayGoOn(projectId, now)) {
      holds.projects.ask(projectId);
      return now;
    }
    const account = accountOf(serviceQueue, step, job);
    if (!account) return Number.POSITIVE_INFINITY;
    if (step === 'submit' && needsPreparing(context, account, job)) {
      sendToPreparation(context, job);
      serviceQueue.nextLookAt.delete('prepare');
      return now;
    }
    if (holds.places.isFull(serviceQueue, step, account, job)) return now;
    const queue = step === 'prepare' ? null : clients.queues(account)[step];
    const heldUntil = queue?.heldUntil() ?? null;
    if (heldUntil !== null) return heldUntil;
    if (step === 'submit' && !holds.models.mayGo(account, job, now)) return now;
    launch({ jobId, projectId, model, serviceQueue, step, queue, isRunning: false, isSlow: false }, job, account);
    return Number.POSITIVE_INFINITY;
  }

  /** The account of a job's step: the one it was sent with, else the service's own; none without a key. */
  function accountOf({ service, gates }: ServiceQueue, step: Step, job: Job): Account | null {
    if (step !== 'submit' && step !== 'prepare') return toAttempt(job.state);
    try {
      const account = clients.current(service);
      if (account) return account;
      if (service === null && context.settings.baseUrl === '') {
        gates.halt('key_missing', messageFor('waiting.addressAndKeyMissing'));
        return null;
      }
      throw new KeyMissingError();
    } catch (error) {
      if (!(error instanceof KeyMissingError) && !(error instanceof ServiceAddressError)) throw error;
      gates.halt('key_missing', messageFor('waiting.reasonAndRemedy', { reason: error.text, remedy: error.remedy }));
      return null;
    }
  }

  function launch(step: LaunchedStep, job: Job, account: Account): void {
    let isFresh = true;
    const wholeStep = (): Promise<void> => {
      step.isRunning = true;
      return (
        perform(step.step, job, account)
          .then((report) => note(step.serviceQueue, step.step, job, report))
          .catch((error: unknown) => onError(step.step, job, error))
          .then(() => cancelIfAsked(job.id))
          // This only reads and stores a job, so what fails is the database.
          .catch((error: unknown) => holds.onDatabaseTrouble(error))
      );
    };
    if (step.step === 'submit') holds.places.noteSent(step, account);
    launched.add(step);
    const isWanted = (): boolean => isFresh || mayStart(step.serviceQueue, step.step, job);
    const slot = step.queue?.run(wholeStep, { patienceMs: 0, isWanted }) ?? step.serviceQueue.preparing.add(wholeStep);
    isFresh = false;
    void slot
      .catch((error: unknown) => {
        if (!(error instanceof NotStartedError)) throw error;
      })
      .finally(() => launched.end(step))
      .then(() => look(step))
      .catch((error: unknown) => {
        holds.onDatabaseTrouble(error);
        look();
      });
  }

  function perform(step: Step, job: Job, account: Account): Promise<StepReport> {
    switch (step) {
      case 'prepare':
        return prepareJob(context, account, job);
      case 'submit':
        return submitJob(context, account, job);
      case 'poll':
        return job.state.state === 'submit_unknown' ? lookForTask(context, job) : pollJob(context, job);
      case 'download':
        return downloadJob(context, job);
    }
  }

  /** Called when a waiting job gets its slot: its state, or that of the queue, may have changed. */
  function mayStart(serviceQueue: ServiceQueue, step: Step, claimed: Job): boolean {
    const { id, revision } = claimed;
    const now = clock.now();
    if (holds.restingUntil() > now || serviceQueue.gates.before(step, now) !== null) return false;
    if (holds.projects.suspended.has(claimed.projectId)) return false;
    if (step === 'submit' && context.nightWindows.isClosedFor(claimed)) return false;
    const job = jobs.get(id);
    return job !== null && job.paused === null && job.revision === revision;
  }

  function note(serviceQueue: ServiceQueue, step: Step, job: Job, report: StepReport): void {
    // An answer may open a gate, and the steps behind it have no timer.
    if (serviceQueue.gates.closed(clock.now()).length > 0) look();
    holds.note({ serviceQueue, step, job, report });
  }

  async function onError(step: Step, job: Job, error: unknown): Promise<void> {
    // Changed from outside, usually by a person: it is read again at the next look.
    if (error instanceof StaleJobError || error instanceof TakeElsewhereError) return;
    if (isDatabaseTrouble(error)) {
      holds.onDatabaseTrouble(error);
      if (!mayPass(error) || context.stopping.aborted) return;
    } else {
      const facts = { step, job: job.id, shot: job.shotKey, reason: toMessage(error), stack: (error as Error).stack };
      ports.logger.error('A step of a job failed in a way it should not', facts);
    }
    const current = jobs.get(job.id);
    if (current?.state.state === 'submitting') {
      // No step returns to this submit: a person decides, and need not restart Dailies for that.
      const failure = failedWhileSubmitting(clock.now());
      const unclear = unclearSubmit(context, current, current.state.attempt, failure);
      await finish(context, await persistEvent(context, current, { type: 'unclear', ...unclear }));
    } else if (current && !isDatabaseTrouble(error)) {
      context.hold(current, 'internal_error');
    }
  }

  /** A job that ended, or that needs a decision about money, stays as it is. */
  async function cancelIfAsked(jobId: string): Promise<void> {
    if (!toCancel.delete(jobId)) return;
    const job = jobs.get(jobId);
    const cancel: JobEvent = { type: 'cancel', at: clock.now() };
    if (!job || !allows(job.state, cancel)) return;
    const { decisions } = jobs;
    context.decided(await persistEvent(context, job, cancel, () => decisions.add(job.id, job.revision + 1)));
  }

  return { launchDue, toCancel };
}
