import { messageFor } from '../../contract/messages/message.ts';
import { persistEvent, finish, noteCost, updateRecipe } from './persist-event.ts';
import { costHintInResult } from '../api/answer.ts';
import type { StepContext } from './step-context.ts';
import { planningOf, learnEntryIsMissing } from './planning.ts';
import { unclearSubmit } from './lost-submits.ts';
import { keptFor, resultsIn } from './kept-answers.ts';
import {
  answerUnread,
  keyRefused,
  noCredit,
  submitNotAccepted,
  submitRefused,
  submitUnclear,
  taskOfAnother,
  type ServiceProblem,
} from '../machine/failures.ts';
import { driverFor } from '../kinds/index.ts';
import { toMessage } from '../base/errors.ts';
import type { Account } from '../db/service-store.ts';
import type { Job } from '../db/job-store.ts';
import type { SubmitOutcome } from '../api/calls.ts';
import type { JobStateOf } from '../../contract/job.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import type { Failure } from '../../contract/failure.ts';
import { NO_INCIDENT, type StepReport } from '../machine/job-facts.ts';
import { firstPollDelay } from '../machine/expected-end.ts';
import { taskRef, type TaskIds } from '../machine/job-facts.ts';

/** Stores how a POST ended. Only certain refusals put the job back; what may be charged is kept or needs a decision. */
export async function settleSubmit(
  context: StepContext,
  account: Account,
  job: Job,
  request: PlannedRequest,
  outcome: SubmitOutcome,
): Promise<StepReport> {
  const now = context.ports.clock.now();
  switch (outcome.type) {
    case 'accepted': {
      const taken = takenTask(context, job, account, outcome);
      if (taken) return settleUnclear(context, job, taskOfAnother(taken.taskId, taken.owner, now));
      context.ports.logger.info('A task was accepted', { job: job.id, shot: job.shotKey, task: outcome.taskId });
      const times = context.service.learnedTaskTimes(account.origin, job.model);
      const accepted = await persistEvent(context, job, {
        type: 'accepted',
        task: taskRef(outcome, now),
        nextPollAt: now + firstPollDelay(times),
        deadlineAt: now + context.settings.deadlineHours * 3_600_000,
      });
      if (outcome.unbound) {
        const { logger } = context.ports;
        logger.warn('References were not bound to a task', {
          job: job.id,
          shot: job.shotKey,
          unbound: outcome.unbound,
        });
      }
      await updateRecipe(context, accepted);
      return { saw: 'answer' };
    }
    case 'answered':
      return settleAnswer(context, job, outcome);
    case 'never_sent': {
      const failure = submitNotAccepted(outcome.complaint, now);
      if (outcome.complaint.code === 'no_key' || outcome.complaint.code === 'bad_key') {
        await putBack(context, job, null, keyRefused(outcome.complaint, now));
        return { saw: 'key_refused', message: outcome.complaint.message };
      }
      if (outcome.blocked) {
        const remedy = messageFor('remedy.putBackThenRetry');
        await finish(context, await persistEvent(context, job, { type: 'refused', failure: { ...failure, remedy } }));
        return NO_INCIDENT;
      }
      await putBack(context, job, null, failure);
      return { saw: 'no_connection', message: outcome.complaint.message };
    }
    case 'throttled':
      // Its wait holds back every job of the account, this one too.
      await putBack(context, job, null, submitNotAccepted(outcome.complaint, now));
      return { saw: 'answer' };
    case 'refused':
      return settleRefusal(context, account, job, request, outcome.complaint);
    case 'unclear':
      return settleUnclear(context, job, submitUnclear(outcome.complaint, now));
  }
}

async function settleUnclear(context: StepContext, job: Job, failure: Failure): Promise<StepReport> {
  const { attempt } = job.state as JobStateOf<'submitting'>;
  const kept = await keptFor(context, job, attempt);
  const unclear = unclearSubmit(context, job, attempt, failure);
  await finish(context, await persistEvent(context, job, { type: 'unclear', ...unclear, kept }));
  return { saw: 'unclear_answer' };
}

/** A task that another take follows. A database failure is ignored here: the task must be stored. */
function takenTask(
  context: StepContext,
  job: Job,
  account: Account,
  ids: TaskIds,
): { readonly taskId: string; readonly owner: Job } | null {
  try {
    for (const taskId of [ids.taskId, ...(ids.otherTaskIds ?? [])]) {
      const owner = context.jobs.ofTask(taskId, account.origin, job.id);
      if (owner) return { taskId, owner };
    }
  } catch (error) {
    context.ports.logger.warn('Nobody looked whether another take has the same task', { reason: toMessage(error) });
  }
  return null;
}

/** The answer of a synchronous operation is its result, and is kept: its files are fetched from there. */
async function settleAnswer(
  context: StepContext,
  job: Job,
  answered: Extract<SubmitOutcome, { type: 'answered' }>,
): Promise<StepReport> {
  const results = resultsIn(context, job, answered.body);
  if (results.length > 0) {
    await updateRecipe(context, await persistEvent(context, job, { type: 'answered', results }));
    noteCost(context, (job.state as JobStateOf<'submitting'>).attempt.id, costHintInResult(answered));
    return { saw: 'answer' };
  }
  return settleUnclear(context, job, answerUnread(answered.begins, context.ports.clock.now()));
}

async function settleRefusal(
  context: StepContext,
  account: Account,
  job: Job,
  request: PlannedRequest,
  complaint: ServiceProblem & { readonly httpStatus: number },
): Promise<StepReport> {
  const now = context.ports.clock.now();
  if (complaint.httpStatus === 401) {
    // The refusal is about the key, not about the shot: the shot waits for the right one.
    await putBack(context, job, null, keyRefused(complaint, now));
    return { saw: 'key_refused', message: complaint.message };
  }
  if (saysNoCredit(complaint)) {
    await putBack(context, job, null, noCredit(complaint, now));
    return { saw: 'no_credit', message: complaint.message };
  }
  const { spec, planning } = planningOf(context, account, job);
  const driver = driverFor(job.kind);
  if (driver.optionalEntry?.isMissing(spec, planning, request, complaint)) {
    await putBack(context, job, null, submitNotAccepted(complaint, now));
    learnEntryIsMissing(context.service, account, spec, now);
    return { saw: 'answer' };
  }
  const failure = submitRefused(complaint, now, driver.refusalRemedy?.(request, complaint));
  await finish(context, await persistEvent(context, job, { type: 'refused', failure }));
  return { saw: 'answer' };
}

/** The reference lists no codes; gateways use these for an empty account, with a 400 or 403. */
const saysNoCredit = ({ httpStatus, code = '' }: ServiceProblem): boolean =>
  httpStatus === 402 || /^insufficient_(user_)?(quota|balance|credits?|funds)$/i.test(code);

/** Certainly not accepted: the job waits to be sent again, and its recipe no longer mentions a submit. */
export async function putBack(
  context: StepContext,
  job: Job,
  notBefore: number | null,
  failure: Failure,
): Promise<void> {
  await updateRecipe(context, await persistEvent(context, job, { type: 'not_accepted', notBefore, failure }));
}
