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
import type { Excluded } from './wait-reasons.ts';

/** Models, by account, whose takes keep failing: takes wait while one at a time tries again. Kept over restarts. */
export function createModelHolds(context: StepContext, launched: ReadonlySet<LaunchedStep>) {
  const byAccount = new Map<string, Map<string, ModelTrouble>>();

  function noteEvent(job: Job, event: JobEvent): void {
    const attempt = toAttempt(job.state);
    const outcome = attempt && modelOutcomeFor(job.state, event);
    if (!outcome) return;
    const before = of(attempt).get(job.model) ?? null;
    const { clock, logger } = context.ports;
    const firstPauseMs = context.settings.modelPauseMinutes * 60_000;
    const after = afterOutcome(before, outcome, { jobId: job.id, now: clock.now(), firstPauseMs });
    if (after === before) return;
    save(attempt, job.model, after);
    if (after?.held && after.held.until !== before?.held?.until) {
      logger.warn('The takes of a model fail one after the other', { model: job.model, cause: after.cause });
    }
  }

  function excludes({ service }: ServiceQueue, step: Step, now: number): Excluded {
    const account = step === 'submit' ? context.clients.currentIfAny(service) : null;
    const held = [...(account ? of(account) : [])].flatMap(([model, trouble]) => {
      const until = heldUntil(trouble, now);
      return until === null ? [] : [{ model, until }];
    });
    return { models: held.map(({ model }) => model), until: Math.min(...held.map(({ until }) => until)) };
  }

  /** Whether a claimed take may be sent. When its model was held, this take is the one that tries. */
  function mayGo(account: Account, { id, model }: Job, now: number): boolean {
    const trouble = of(account).get(model);
    if (!trouble?.held) return true;
    if (heldUntil(trouble, now) !== null) return false;
    save(account, model, { ...trouble, held: { ...trouble.held, probe: id } });
    return true;
  }

  function tryNow(now: number): void {
    for (const { account, model, trouble } of all()) {
      const trying = withTrialNow(trouble, now);
      if (trying.held?.until !== trouble.held?.until) save(account, model, trying);
    }
  }

  function closed(): Gate[] {
    return all().flatMap(({ service, model, trouble: { held, count, message } }): Gate[] => {
      if (!held || !context.jobs.due.hasReady(model, service)) return [];
      const reason = messageFor('waiting.modelFailing', { model, count, reason: message });
      return [{ reason: 'model_failing', model, message: reason, until: held.until }];
    });
  }

  function heldUntil({ held }: ModelTrouble, now: number): number | null {
    if (!held) return null;
    if (held.until > now) return held.until;
    return held.probe !== null && isUnderWay(held.probe) ? Number.POSITIVE_INFINITY : null;
  }

  /** The take that tried said nothing about the model, for example because it was cancelled: the next one tries. */
  function isUnderWay(jobId: string): boolean {
    if ([...launched].some((step) => step.jobId === jobId)) return true;
    const job = context.jobs.get(jobId);
    return job !== null && job.paused === null && FOLLOWED.has(job.state.state);
  }

  function all() {
    const { clients } = context;
    return [null, ...clients.names()].flatMap((service) => {
      const account = clients.currentIfAny(service);
      return account ? [...of(account)].map(([model, trouble]) => ({ service, account, model, trouble })) : [];
    });
  }

  function of(account: Account): Map<string, ModelTrouble> {
    const name = accountKey(account);
    const known = byAccount.get(name) ?? context.service.modelTroubles(account);
    byAccount.set(name, known);
    return known;
  }

  function save(account: Account, model: string, trouble: ModelTrouble | null): void {
    const troubles = of(account);
    if (trouble) troubles.set(model, trouble);
    else troubles.delete(model);
    try {
      context.service.saveModelTrouble(account, model, trouble);
    } catch (error) {
      // Known as long as this process lives: the event that led to it is already stored.
      context.ports.logger.warn('The trouble of a model could not be saved', { reason: toMessage(error) });
    }
  }

  return { noteEvent, excludes, mayGo, tryNow, closed };
}

const FOLLOWED: ReadonlySet<string> = new Set(['submitting', 'accepted', 'polling']);
