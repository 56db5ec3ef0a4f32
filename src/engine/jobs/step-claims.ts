import { messageFor } from '../../contract/messages/message.ts';
import { toAttempt } from '../machine/job-facts.ts';
import { ServiceAddressError } from '../api/address.ts';
import { KeyMissingError } from '../base/errors.ts';
import type { Job, Scope, Step } from '../db/job-store.ts';
import type { Account } from '../db/service-store.ts';
import type { Holds } from './holds.ts';
import type { ServiceQueue } from './service-queues.ts';
import type { RunningSteps } from './running-steps.ts';
import { needsPreparing, sendToPreparation } from './prepare-step.ts';
import type { StepContext } from './step-context.ts';
import type { StepRunner } from './step-runner.ts';

/** The shortest time between two searches past jobs that wait, ms: one past ten thousand takes 10 ms. */
const SEARCH_EVERY_MS = 250;

export class StepClaims {
  readonly #context: StepContext;
  readonly #holds: Holds;
  readonly #launched: RunningSteps;
  readonly #runner: StepRunner;

  constructor(context: StepContext, holds: Holds, launched: RunningSteps, runner: StepRunner) {
    this.#context = context;
    this.#holds = holds;
    this.#launched = launched;
    this.#runner = runner;
  }

  /** Returns when to look again, ms; Infinity for "when something changes". */
  launchDue(serviceQueue: ServiceQueue, step: Step, scope: Scope, now: number): number {
    const [context, holds] = [this.#context, this.#holds];
    const gate = holds.gate(serviceQueue, step, now);
    // A time in the past means that a probe is under way: its end wakes the loop.
    if (gate) return gate.until !== null && gate.until > now ? gate.until : Number.POSITIVE_INFINITY;
    const room = holds.places.left(serviceQueue, step);
    // A step that ends wakes the loop, so no timer is needed.
    if (room <= 0) return Number.POSITIVE_INFINITY;
    const { until, ...excluded } = holds.excluded(serviceQueue, step, now);
    const lookAgainAt = Math.min(context.jobs.due.nextAt(step, now) ?? Number.POSITIVE_INFINITY, until);
    const { projects, models, accounts, closed } = excluded;
    if (projects.length + models.length + accounts.length + closed.projects.length + closed.batches.length > 0) {
      const searchAt = (serviceQueue.searchedAt.get(step) ?? Number.NEGATIVE_INFINITY) + SEARCH_EVERY_MS;
      if (searchAt > now) return Math.min(lookAgainAt, searchAt);
      serviceQueue.searchedAt.set(step, now);
    }
    const passedOver = { ...excluded, jobs: this.#launched.jobsOf(serviceQueue, step) };
    const due = context.jobs.due.claim(step, now, room, { ...scope, service: serviceQueue.service }, passedOver);
    return Math.min(lookAgainAt, ...due.map((job) => this.#launchOrPassOver(serviceQueue, step, job, now)));
  }

  /** Returns when to look again because of this job, ms: now, if its place is free for the next one. */
  #launchOrPassOver(serviceQueue: ServiceQueue, step: Step, job: Job, now: number): number {
    const [context, holds] = [this.#context, this.#holds];
    if (!holds.projects.mayGoOn(job.projectId, now)) {
      holds.projects.ask(job.projectId);
      return now;
    }
    const account = this.#accountOf(serviceQueue, step, job);
    if (!account) return Number.POSITIVE_INFINITY;
    if (step === 'submit' && needsPreparing(context, account, job)) {
      sendToPreparation(context, job);
      serviceQueue.nextLookAt.delete('prepare');
      return now;
    }
    if (holds.places.isFull(serviceQueue, step, account, job)) return now;
    const queue = step === 'prepare' ? null : context.clients.queues(account)[step];
    const heldUntil = queue?.heldUntil() ?? null;
    if (heldUntil !== null) return heldUntil;
    if (step === 'submit' && !holds.models.mayGo(account, job, now)) return now;
    this.#runner.launch(
      {
        jobId: job.id,
        projectId: job.projectId,
        model: job.model,
        serviceQueue,
        step,
        queue,
        isRunning: false,
        isSlow: false,
      },
      job,
      account,
    );
    return Number.POSITIVE_INFINITY;
  }

  /** The account of a job's step: the one it was sent with, else the service's own; none without a key. */
  #accountOf({ service, gates }: ServiceQueue, step: Step, job: Job): Account | null {
    if (step !== 'submit' && step !== 'prepare') return toAttempt(job.state);
    const { clients, settings } = this.#context;
    try {
      const account = clients.current(service);
      if (account) return account;
      if (service === null && settings.baseUrl === '') {
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
}
