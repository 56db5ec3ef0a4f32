import type { Gate } from '../../contract/events.ts';
import { messageFor } from '../../contract/messages/message.ts';
import { toMessage } from '../base/errors.ts';
import type { Job, Step } from '../db/job-store.ts';
import { accountKey, type Account } from '../db/service-store.ts';
import { toAttempt } from '../machine/job-facts.ts';
import type { JobEvent } from '../machine/job-machine.ts';
import { afterOutcome, modelOutcomeFor, withTrialNow, type ModelTrouble } from '../machine/model-trouble.ts';
import type { ServiceQueue } from './service-queues.ts';
import type { LaunchedStep } from './running-steps.ts';
import type { StepContext } from './step-context.ts';
import type { Excluded, WaitReason } from './wait-reasons.ts';

/** Models, by account, whose takes keep failing: takes wait while one at a time tries again. Kept over restarts. */
export class ModelHolds implements WaitReason {
  readonly #context: StepContext;
  readonly #launched: ReadonlySet<LaunchedStep>;
  readonly #troubles = new Map<string, Map<string, ModelTrouble>>();

  constructor(context: StepContext, launched: ReadonlySet<LaunchedStep>) {
    this.#context = context;
    this.#launched = launched;
  }

  noteEvent(job: Job, event: JobEvent): void {
    const attempt = toAttempt(job.state);
    const outcome = attempt && modelOutcomeFor(job.state, event);
    if (!outcome) return;
    const before = this.#of(attempt).get(job.model) ?? null;
    const { clock, logger } = this.#context.ports;
    const firstPauseMs = this.#context.settings.modelPauseMinutes * 60_000;
    const after = afterOutcome(before, outcome, { jobId: job.id, now: clock.now(), firstPauseMs });
    if (after === before) return;
    this.#save(attempt, job.model, after);
    if (after?.held && after.held.until !== before?.held?.until) {
      logger.warn('The takes of a model fail one after the other', { model: job.model, cause: after.cause });
    }
  }

  excludes({ service }: ServiceQueue, step: Step, now: number): Excluded {
    const account = step === 'submit' ? this.#context.clients.currentIfAny(service) : null;
    const held = [...(account ? this.#of(account) : [])].flatMap(([model, trouble]) => {
      const until = this.#heldUntil(trouble, now);
      return until === null ? [] : [{ model, until }];
    });
    return { models: held.map(({ model }) => model), until: Math.min(...held.map(({ until }) => until)) };
  }

  /** Whether a claimed take may be sent. When its model was held, this take is the one that tries. */
  mayGo(account: Account, { id, model }: Job, now: number): boolean {
    const trouble = this.#of(account).get(model);
    if (!trouble?.held) return true;
    if (this.#heldUntil(trouble, now) !== null) return false;
    this.#save(account, model, { ...trouble, held: { ...trouble.held, probe: id } });
    return true;
  }

  tryNow(now: number): void {
    for (const { account, model, trouble } of this.#all()) {
      const trying = withTrialNow(trouble, now);
      if (trying.held?.until !== trouble.held?.until) this.#save(account, model, trying);
    }
  }

  closed(): Gate[] {
    return this.#all().flatMap(({ service, model, trouble: { held, count, message } }): Gate[] => {
      if (!held || !this.#context.jobs.due.hasReady(model, service)) return [];
      const reason = messageFor('waiting.modelFailing', { model, count, reason: message });
      return [{ reason: 'model_failing', model, message: reason, until: held.until }];
    });
  }

  #heldUntil({ held }: ModelTrouble, now: number): number | null {
    if (!held) return null;
    if (held.until > now) return held.until;
    return held.probe !== null && this.#isUnderWay(held.probe) ? Number.POSITIVE_INFINITY : null;
  }

  /** The take that tried said nothing about the model, for example because it was cancelled: the next one tries. */
  #isUnderWay(jobId: string): boolean {
    if ([...this.#launched].some((step) => step.jobId === jobId)) return true;
    const job = this.#context.jobs.get(jobId);
    return job !== null && job.paused === null && FOLLOWED.has(job.state.state);
  }

  #all() {
    const { clients } = this.#context;
    return [null, ...clients.names()].flatMap((service) => {
      const account = clients.currentIfAny(service);
      return account ? [...this.#of(account)].map(([model, trouble]) => ({ service, account, model, trouble })) : [];
    });
  }

  #of(account: Account): Map<string, ModelTrouble> {
    const name = accountKey(account);
    const known = this.#troubles.get(name) ?? this.#context.service.modelTroubles(account);
    this.#troubles.set(name, known);
    return known;
  }

  #save(account: Account, model: string, trouble: ModelTrouble | null): void {
    const troubles = this.#of(account);
    if (trouble) troubles.set(model, trouble);
    else troubles.delete(model);
    try {
      this.#context.service.saveModelTrouble(account, model, trouble);
    } catch (error) {
      // Known as long as this process lives: the event that led to it is already stored.
      this.#context.ports.logger.warn('The trouble of a model could not be saved', { reason: toMessage(error) });
    }
  }
}

const FOLLOWED: ReadonlySet<string> = new Set(['submitting', 'accepted', 'polling']);
