import { messageFor, type Message, type Text } from '../../contract/messages/message.ts';
import { toAttempt, failureShown, hasMissingFiles, toTask } from '../machine/job-facts.ts';
import { contentHash } from '../batches/plan-import.ts';
import {
  isCutOff,
  isUnsent,
  type JobView,
  type KeptAnswer,
  type PauseReason,
  type Resolution,
  type ResultLocation,
} from '../../contract/job.ts';
import type { JobQueries } from '../db/job-queries.ts';
import type { Job } from '../db/job-store.ts';
import { DailiesError, refused } from '../base/errors.ts';
import { givenUp, ROW_OUTDATED } from '../machine/failures.ts';
import { allows, type JobEvent } from '../machine/job-machine.ts';
import { lookAtFiles } from './saved-files.ts';
import type { Scheduler } from './scheduler.ts';
import type { StepContext } from './step-context.ts';

/** The answer to a command that may not fit the job's state: never an exception. */
export type JobAnswer =
  | { readonly ok: true; readonly job: JobView }
  | { readonly ok: false; readonly job: JobView; readonly problem: Text };

class UnknownJobError extends DailiesError {
  readonly code = 'unknown_job';
  readonly remedy = messageFor('remedy.loadJobsAgain');

  constructor(jobId: string) {
    super(messageFor('failure.noSuch', { what: 'job', id: jobId }));
  }
}

/** Commands of a person for single jobs. Nothing is sent from here. */
export class JobCommands {
  readonly #context: StepContext;
  readonly #queries: JobQueries;
  readonly #scheduler: Scheduler;
  readonly written: () => Promise<void>;

  constructor(context: StepContext, queries: JobQueries, scheduler: Scheduler, written: () => Promise<void>) {
    this.#context = context;
    this.#queries = queries;
    this.#scheduler = scheduler;
    this.written = written;
  }

  lookAtFiles(jobIds: readonly string[]): Promise<void> {
    return lookAtFiles(this.#context, { jobIds: this.#context.jobs.outsideArchive(jobIds) });
  }

  requireKnown(jobIds: readonly string[]): void {
    if (jobIds.every((id) => this.#context.jobs.get(id) !== null)) return;
    throw refused('not_found', messageFor('failure.noSuchItem', { what: 'job' }), 'remedy.loadJobsAgain');
  }

  /** Asks again: fetches or follows what still exists; submits again only where the service refused or failed. */
  retry(jobId: string): JobAnswer {
    const job = this.#job(jobId);
    if (this.#isArchived(job)) return this.#no(jobId, ARCHIVED);
    if (this.#isOutdated(job)) return this.#no(jobId, messageFor('failure.rowStillOutdated'));
    const now = this.#context.ports.clock.now();
    // Taken out of tonight and put back: it waits for tonight again.
    const waits = job.state.state === 'cancelled' && this.#context.windows.isForTonight(jobId);
    if (!waits) this.#context.windows.notTonight(jobId);
    if (job.paused && !waits) this.#context.hold(job, null);
    const again = this.#context.jobs.get(jobId) ?? job;
    const event: JobEvent = { type: 'retry', at: now, deadlineAt: this.#deadline(now) };
    // A job that only waits its turn needs nothing more once it is not held back.
    if (job.paused && !allows(again.state, event)) {
      this.#scheduler.lookAgain();
      return this.#ok(jobId);
    }
    const whole = hasMissingFiles(again.state) ? () => this.#context.outputs.forgetAll(jobId) : undefined;
    return this.#take(again, event, whyNoRetry(again), whole);
  }

  /** Stops following. The service has no cancel: an accepted task runs on there and is charged. */
  cancel(jobId: string): JobAnswer {
    const job = this.#job(jobId);
    if (job.state.state === 'submitting') {
      this.#scheduler.runner.toCancel.add(jobId);
      return this.#ok(jobId);
    }
    const isUnknown = job.state.state === 'submit_unknown';
    const problem = messageFor(isUnknown ? 'failure.decideFirst' : 'failure.nothingToCancel');
    return this.#take(job, { type: 'cancel', at: this.#context.ports.clock.now() }, problem);
  }

  withdraw(jobId: string): JobAnswer {
    const { state } = this.#job(jobId);
    if (isUnsent(state)) return this.cancel(jobId);
    if (state.state === 'cancelled') return this.#no(jobId, messageFor('failure.nothingToCancel'));
    return this.#no(jobId, messageFor('failure.sentAlready'));
  }

  resolve(jobId: string, resolution: Resolution): JobAnswer {
    const job = this.#job(jobId);
    if (resolution.action === 'attach') {
      const other = this.#context.jobs.ofTask(resolution.taskId, toAttempt(job.state)?.origin ?? '', jobId);
      if (other) return this.#no(jobId, messageFor('failure.taskTaken', { task: resolution.taskId }));
    }
    if (resolution.action === 'accept') {
      const problem = whyNotAccepted(job, resolution.url);
      if (problem) return this.#no(jobId, problem);
    }
    const event = this.#eventOf(resolution, job);
    // A task that is done goes on to its files, though it was held for this decision.
    if (job.paused === 'deadline' && allows(job.state, event)) this.#context.hold(job, null);
    return this.#take(this.#job(jobId), event, messageFor('failure.nothingToDecide'));
  }

  hold(jobId: string, reason: PauseReason | null): JobAnswer {
    const job = this.#job(jobId);
    if (this.#isArchived(job)) return this.#no(jobId, ARCHIVED);
    // What a person holds or lets go no longer follows the clock.
    this.#context.windows.notTonight(jobId);
    this.#context.hold(job, reason);
    this.#scheduler.lookAgain();
    return this.#ok(jobId);
  }

  /** Higher goes first; null: as in the list. What was already sent keeps its place. */
  prioritise(jobId: string, priority: number | null): JobAnswer {
    const job = this.#job(jobId);
    if (!isUnsent(job.state)) return this.#no(jobId, messageFor('failure.priorityTooLate'));
    const ofItsList = this.#context.batches.shot(job.shotId)?.spec.priority ?? 0;
    this.#context.prioritise(job, priority ?? ofItsList);
    this.#scheduler.lookAgain();
    return this.#ok(jobId);
  }

  #eventOf(resolution: Resolution, job: Job): JobEvent {
    const now = this.#context.ports.clock.now();
    switch (resolution.action) {
      case 'attach':
        return {
          type: 'attach',
          task: { id: resolution.taskId, acceptedAt: toAttempt(job.state)?.intendedAt ?? now, attached: true },
          nextPollAt: now,
          deadlineAt: this.#deadline(now),
        };
      case 'accept':
        return {
          type: 'answered',
          results: acceptedResults(job, resolution.url),
        };
      case 'lost':
        return { type: 'give_up', failure: givenUp(now, toTask(job.state) ? 'charged' : 'maybe') };
      case 'resubmit':
        return { type: 'resubmit' };
    }
  }

  #take(job: Job, event: JobEvent, problem: Message, also?: () => void): JobAnswer {
    if (this.#isArchived(job)) return this.#no(job.id, ARCHIVED);
    if (!allows(job.state, event)) return this.#no(job.id, problem);
    const next = this.#context.advance(job, event, () => {
      this.#context.jobs.decisions.add(job.id, job.revision + 1);
      also?.();
    });
    this.#context.decided(next);
    this.#scheduler.lookAgain();
    return this.#ok(job.id);
  }

  #isArchived({ projectId, batchId }: Job): boolean {
    const { projects, batches } = this.#context;
    return projects.isArchived(projectId) || batches.isArchived(batchId);
  }

  /** Whether the row of a take that was not sent for it is another one than the take's still. */
  #isOutdated({ state, shotId, batchId, shotKey }: Job): boolean {
    if (failureShown(state)?.code !== ROW_OUTDATED) return false;
    const row = this.#context.batches.currentShot(batchId, shotKey);
    return row === null || contentHash(row) !== this.#context.batches.shot(shotId)?.contentHash;
  }

  #job(jobId: string): Job {
    const job = this.#context.jobs.get(jobId);
    if (!job) throw new UnknownJobError(jobId);
    return job;
  }

  #ok(jobId: string): JobAnswer {
    return { ok: true, job: this.#view(jobId) };
  }

  #no(jobId: string, problem: Message): JobAnswer {
    return { ok: false, job: this.#view(jobId), problem };
  }

  #view(jobId: string): JobView {
    const view = this.#queries.view(jobId);
    if (!view) throw new UnknownJobError(jobId);
    return view;
  }

  #deadline(now: number): number {
    return now + this.#context.settings.deadlineHours * 3_600_000;
  }
}

const keptOf = ({ state }: Job): KeptAnswer | undefined => ('kept' in state ? state.kept : undefined);

function acceptedResults(job: Job, url: string | undefined): ResultLocation[] {
  if (url === undefined) return [{ at: 'answer' }];
  return [...new Set([...(keptOf(job)?.read ?? []), url])].map((each) => ({ at: 'url', url: each }));
}

function whyNotAccepted(job: Job, url: string | undefined): Message | null {
  const kept = keptOf(job);
  if (url === undefined && kept && isCutOff(kept)) return messageFor('failure.answerCut', { file: kept.file });
  // The result of a task that is late may be known from elsewhere, such as the service's own pages.
  const isKnown = kept !== undefined || (url !== undefined && job.paused === 'deadline');
  return isKnown ? null : messageFor('failure.noAnswerKept');
}

const ARCHIVED = messageFor('failure.jobArchived');

function whyNoRetry(job: Job): Message {
  switch (job.state.state) {
    case 'submit_unknown':
      return messageFor('failure.decideFirst');
    case 'saved':
      return messageFor('failure.savedAlready');
    case 'result_lost':
    case 'cancelled':
      return messageFor('failure.noTaskLeft');
    default:
      return messageFor('failure.underWay');
  }
}
