import { messageFor, type Message, type Text } from '../../contract/messages/message.ts';
import { toAttempt, failureShown, hasMissingFiles, toTask } from '../machine/job-facts.ts';
import { contentHash } from '../batches/plan-import.ts';
import {
  isCutOff,
  isUnsent,
  standingFor,
  type JobView,
  type KeptAnswer,
  type PauseReason,
  type Resolution,
  type ResultLocation,
} from '../../contract/job.ts';
import type { JobQueries } from '../db/job-queries.ts';
import type { Job } from '../db/job-store.ts';
import { refused } from '../base/errors.ts';
import { givenUp, ROW_OUTDATED } from '../machine/failures.ts';
import { allows, type JobEvent } from '../machine/job-machine.ts';
import { lookAtFiles } from './saved-files.ts';
import type { Scheduler } from './scheduler.ts';
import type { StepContext } from './step-context.ts';
import type { TakeCommand } from './studio-ports.ts';
import { goOn, holdForWait } from './waits.ts';

/** The answer to a command that may not fit the job's state: never an exception. */
export type JobAnswer =
  | { readonly ok: true; readonly job: JobView }
  | { readonly ok: false; readonly job: JobView; readonly problem: Text };

/** Commands of a person for single jobs. Nothing is sent from here. */
export function createJobCommands(
  context: StepContext,
  queries: JobQueries,
  scheduler: Scheduler,
  written: () => Promise<void>,
) {
  const { jobs, windows, batches, ports } = context;

  function known(jobId: string): Job {
    const job = jobs.get(jobId);
    if (!job) throw refused('not_found', messageFor('failure.noSuchItem', { what: 'job' }), 'remedy.loadJobsAgain');
    return job;
  }

  /** Asks again: fetches or follows what still exists; submits again only where the service refused or failed. */
  function retry(jobId: string): JobAnswer {
    const job = known(jobId);
    if (isArchived(job)) return no(jobId, ARCHIVED);
    if (isOutdated(job)) return no(jobId, messageFor('failure.rowStillOutdated'));
    // What has ended at the studio is handed out again, to any machine.
    const isOver = standingFor(job.state.state, null) !== 'unfinished' && context.jobs.studio.take(jobId) !== null;
    if (isOver) return command(jobId, { kind: 'retry' });
    if (isElsewhere(job)) return command(jobId, { kind: 'resume' });
    const now = ports.clock.now();
    // Taken out of tonight and put back: it waits for tonight again.
    const waits = job.state.state === 'cancelled' && windows.isForTonight(jobId);
    if (!waits) windows.notTonight(jobId);
    if (job.paused && !waits) context.hold(job, null);
    const again = jobs.get(jobId) ?? job;
    const event: JobEvent = { type: 'retry', at: now, deadlineAt: deadline(now) };
    // A job that only waits its turn needs nothing more once it is not held back.
    if (job.paused && !allows(again.state, event)) {
      scheduler.lookAgain();
      return ok(jobId);
    }
    const whole = hasMissingFiles(again.state) ? () => context.outputs.forgetAll(jobId) : undefined;
    return take(again, event, whyNoRetry(again), whole);
  }

  /** Stops following. The service has no cancel: an accepted task runs on there and is charged. */
  function cancel(jobId: string): JobAnswer {
    const job = known(jobId);
    if (isElsewhere(job)) return command(jobId, { kind: 'cancel' });
    if (job.state.state === 'submitting') {
      scheduler.runner.toCancel.add(jobId);
      return ok(jobId);
    }
    const isUnknown = job.state.state === 'submit_unknown';
    const problem = messageFor(isUnknown ? 'failure.decideFirst' : 'failure.nothingToCancel');
    return take(job, { type: 'cancel', at: ports.clock.now() }, problem);
  }

  function withdraw(jobId: string): JobAnswer {
    const job = known(jobId);
    const { state } = job;
    if (isElsewhere(job)) return no(jobId, messageFor('failure.takeElsewhere'));
    if (isUnsent(state)) return cancel(jobId);
    if (state.state === 'cancelled') return no(jobId, messageFor('failure.nothingToCancel'));
    return no(jobId, messageFor('failure.sentAlready'));
  }

  function resolve(jobId: string, resolution: Resolution): JobAnswer {
    const job = known(jobId);
    if (resolution.action === 'resubmit' && context.jobs.studio.take(jobId)) return command(jobId, { kind: 'retry' });
    if (resolution.action === 'attach') {
      const other = jobs.ofTask(resolution.taskId, toAttempt(job.state)?.origin ?? '', jobId);
      if (other) return no(jobId, messageFor('failure.taskTaken', { task: resolution.taskId }));
    }
    if (isElsewhere(job)) {
      if (resolution.action === 'lost') return command(jobId, { kind: 'cancel' });
      if (resolution.action !== 'attach') return no(jobId, messageFor('failure.takeElsewhere'));
      if (!allows(job.state, eventOf(resolution, job))) return no(jobId, messageFor('failure.nothingToDecide'));
      return command(jobId, { kind: 'attach', taskId: resolution.taskId });
    }
    if (resolution.action === 'accept') {
      const problem = whyNotAccepted(job, resolution.url);
      if (problem) return no(jobId, problem);
    }
    const event = eventOf(resolution, job);
    // A task that is done goes on to its files, though it was held for this decision.
    if (job.paused === 'deadline' && allows(job.state, event)) context.hold(job, null);
    return take(known(jobId), event, messageFor('failure.nothingToDecide'));
  }

  function hold(jobId: string, reason: PauseReason | null): JobAnswer {
    const job = known(jobId);
    if (isArchived(job)) return no(jobId, ARCHIVED);
    if (isElsewhere(job)) return command(jobId, { kind: reason === null ? 'resume' : 'hold' });
    // What a person holds or lets go no longer follows the clock.
    windows.notTonight(jobId);
    context.hold(job, reason);
    scheduler.lookAgain();
    return ok(jobId);
  }

  /** Ends the wait of a row for a release, or has it wait again while it is not sent. Nothing else is let go. */
  function release(jobId: string, released: boolean): JobAnswer {
    const job = known(jobId);
    if (isArchived(job)) return no(jobId, ARCHIVED);
    // The studio hands it out once it is released.
    if (isElsewhere(job) && !released) return no(jobId, messageFor('failure.takeElsewhere'));
    const { waits } = jobs;
    if (!isUnsent(job.state)) return no(jobId, messageFor('failure.sentAlready'));
    if (waits.waitFor(job.shotId) !== 'release') return no(jobId, messageFor('failure.waitsForNoRelease'));
    if (waits.isReleased(jobId) === released) return ok(jobId);
    const store = () => waits.setReleased(jobId, released);
    if (released) goOn(context, job, store);
    else holdForWait(context, job, { wait: 'release' }, store);
    scheduler.lookAgain();
    return ok(jobId);
  }

  /** Higher goes first; null: as in the list. What was already sent keeps its place. */
  function prioritise(jobId: string, priority: number | null): JobAnswer {
    const job = known(jobId);
    if (!isUnsent(job.state)) return no(jobId, messageFor('failure.priorityTooLate'));
    const ofItsList = batches.shot(job.shotId)?.spec.priority ?? 0;
    if (isElsewhere(job)) return command(jobId, { kind: 'priority', priority: priority ?? ofItsList });
    context.prioritise(job, priority ?? ofItsList);
    scheduler.lookAgain();
    return ok(jobId);
  }

  /** Another machine of the studio has it, or none yet. */
  function isElsewhere({ id, paused }: Job): boolean {
    return paused === 'elsewhere' && context.jobs.studio.take(id)?.isHere === false;
  }

  /** A person wants something of a take that the studio decides about. */
  function command(jobId: string, wanted: TakeCommand): JobAnswer {
    return context.studio.command(jobId, wanted) ? ok(jobId) : no(jobId, messageFor('failure.takeElsewhere'));
  }

  function eventOf(resolution: Resolution, job: Job): JobEvent {
    const now = ports.clock.now();
    switch (resolution.action) {
      case 'attach':
        return {
          type: 'attach',
          task: { id: resolution.taskId, acceptedAt: toAttempt(job.state)?.intendedAt ?? now, attached: true },
          nextPollAt: now,
          deadlineAt: deadline(now),
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

  function take(job: Job, event: JobEvent, problem: Message, also?: () => void): JobAnswer {
    if (isArchived(job)) return no(job.id, ARCHIVED);
    if (!allows(job.state, event)) return no(job.id, problem);
    const next = context.advance(job, event, () => {
      jobs.decisions.add(job.id, job.revision + 1);
      also?.();
    });
    context.decided(next);
    scheduler.lookAgain();
    return ok(job.id);
  }

  function isArchived({ projectId, batchId }: Job): boolean {
    return context.projects.isArchived(projectId) || batches.isArchived(batchId);
  }

  /** Whether the row of a take that was not sent for it is another one than the take's still. */
  function isOutdated({ state, shotId, batchId, shotKey }: Job): boolean {
    if (failureShown(state)?.code !== ROW_OUTDATED) return false;
    const row = batches.currentShot(batchId, shotKey);
    return row === null || contentHash(row) !== batches.shot(shotId)?.contentHash;
  }

  function ok(jobId: string): JobAnswer {
    return { ok: true, job: view(jobId) };
  }

  function no(jobId: string, problem: Message): JobAnswer {
    return { ok: false, job: view(jobId), problem };
  }

  const view = (jobId: string): JobView => queries.view(jobId) as JobView;

  function deadline(now: number): number {
    return now + context.settings.deadlineHours * 3_600_000;
  }

  return {
    ...{ written, retry, cancel, withdraw, resolve, hold, release, prioritise },
    lookAtFiles: (jobIds: readonly string[]) => lookAtFiles(context, { jobIds: jobs.outsideArchive(jobIds) }),
    requireKnown: (jobIds: readonly string[]) => jobIds.forEach(known),
  };
}

export type JobCommands = ReturnType<typeof createJobCommands>;

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
