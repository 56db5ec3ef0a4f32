import { messageFor } from '../../contract/messages/message.ts';
import { settleSubmit, putBack } from './settle-submit.ts';
import { NO_INCIDENT, type StepReport } from '../machine/job-facts.ts';
import { createHash } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { Attempt } from '../../contract/job.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import { openSpool } from '../api/spool.ts';
import { toPriceFacts } from '../batches/price.ts';
import type { Job } from '../db/job-store.ts';
import { AgentCapError, CapReachedError } from '../db/ledger-store.ts';
import { isDatabaseTrouble, mayPass } from '../db/open.ts';
import type { Account } from '../db/service-store.ts';
import { DailiesError, ErrorWithText, isFileHeld, toMessage, toText } from '../base/errors.ts';
import { driverFor } from '../kinds/index.ts';
import { contentFor, LocalFileError, requireContent } from '../library/identity.ts';
import { requireAgreed } from '../library/needs.ts';
import { ProjectAwayError } from '../projects/project-claims.ts';
import { makeFolder } from '../files/project-files.ts';
import { ProjectInUseError } from '../projects/project-owner.ts';
import { diskFull, diskTrouble, isDiskFull, LOCAL_RETRY_MS, projectIsAway } from './disk-check.ts';
import { agentCapReached, capReached, notPrepared } from '../machine/failures.ts';
import { answerFile, keepAnswer } from './kept-answers.ts';
import { partsFolder } from './parts.ts';
import { agreedIn, planningOf, projectFor, type UsedFile } from './planning.ts';
import { type StepContext } from './step-context.ts';
import { type PlannedPost, type SendAnswer, TakeElsewhereError } from './studio-ports.ts';
import { persistEvent, finish, updateRecipe } from './persist-event.ts';

/** Prepares and sends one job: at most one POST, its intent on disk first. Its state says whether it may be charged. */
export async function submitJob(context: StepContext, account: Account, claimed: Job): Promise<StepReport> {
  const low = await diskTrouble(context, claimed);
  if (low !== null) return low;

  const announced = await announce(context, account, claimed);
  if ('report' in announced) return announced.report;

  const { request, attempt, submitting } = announced;
  const client = context.clients.forAccount(account);
  if (!client) {
    const message = messageFor('failure.keyChangedBefore');
    await putBack(context, submitting, null, notPrepared(message, messageFor('remedy.none'), attempt.intendedAt));
    return NO_INCIDENT;
  }
  const spool =
    request.answers === 'task' ? undefined : openSpool(answerFile(context, attempt.id), context.ports.logger);
  // A synchronous answer leaves no task behind, so the submits under way are the tasks that run.
  const model = request.answers === 'task' ? claimed.model : undefined;
  const outcome = await client.submit(request, { spool, model });
  if (outcome.type === 'answered' && spool?.isWhole !== true) {
    await keepAnswer(context, submitting, attempt, outcome.body);
  }
  return settleSubmit(context, account, submitting, request, outcome);
}

type Announced =
  | { readonly request: PlannedRequest; readonly attempt: Attempt; readonly submitting: Job }
  | { readonly report: StepReport };

async function announce(context: StepContext, account: Account, job: Job): Promise<Announced> {
  try {
    const prepared = await prepare(context, account, job);
    if ('report' in prepared) return prepared;
    await context.pricesInForce();
    // Asked again now that the recipe announces it: an engine that took the project since may not have seen it.
    const isOurs = await isStillOurs(context, job);
    const { request, attempt, price } = prepared;
    const asked = context.studio.sendRight(job, prepared);
    const right = asked instanceof Promise ? await asked : asked;
    if (right.answer !== 'granted') {
      await updateRecipe(context, notNow(context, job, right));
      return { report: NO_INCIDENT };
    }
    let isUsed = false;
    try {
      const calledOff = callOff(context, job, isOurs);
      if (!calledOff) {
        const submitting = context.intend(job, attempt, request, price);
        isUsed = true;
        if (right.isFresh()) return { request, attempt, submitting };
        // This process stood still: what was granted then may be another machine's by now.
        const message = messageFor('failure.rightTooOld');
        await putBack(context, submitting, null, notPrepared(message, messageFor('remedy.none'), attempt.intendedAt));
        return { report: NO_INCIDENT };
      }
      // Its recipe announces a submit that will not be sent.
      await updateRecipe(context, calledOff);
    } finally {
      if (!isUsed) right.giveBack();
    }
  } catch (error) {
    if (error instanceof CapReachedError) return { report: await holdBack(context, job, error) };
    if (error instanceof AgentCapError) return { report: await holdForPerson(context, job) };
    if (!mayPass(error)) throw error;
    context.databaseBackoff.onError(error, context.ports.clock.now());
    const message = messageFor('failure.databaseUnwritten');
    const failure = notPrepared(message, messageFor('remedy.none'), context.ports.clock.now());
    await updateRecipe(context, await persistEvent(context, job, { type: 'postponed', notBefore: 0, failure }));
  }
  return { report: NO_INCIDENT };
}

/** Its cap is reached. Its recipe announces a submit, which now waits for a person. */
async function holdBack(context: StepContext, job: Job, { cap, unpriced }: CapReachedError): Promise<StepReport> {
  const failure = capReached(context.ports.clock.now());
  await updateRecipe(context, await persistEvent(context, job, { type: 'postponed', notBefore: 0, failure }));
  return { saw: 'cap_reached', cap, unpriced };
}

/** The cap of the agent that asked for it is reached: it waits until a person lets it go. */
async function holdForPerson(context: StepContext, job: Job): Promise<StepReport> {
  const failure = agentCapReached(context.ports.clock.now());
  const held = await persistEvent(context, job, { type: 'postponed', notBefore: 0, failure });
  context.hold(held, 'user');
  await updateRecipe(context, held);
  return NO_INCIDENT;
}

/** The job in the state that stops it from being sent (now); null when it is to be sent. */
function callOff(context: StepContext, job: Job, isOurs: boolean): Job | null {
  const current = context.jobs.get(job.id);
  if (current && current.revision !== job.revision) return current;
  const maySend = isOurs && context.limitFiles.has(job.projectId) && context.maySend(job);
  if (maySend && !current?.paused && !context.stopping.aborted) return null;
  const message = messageFor(context.stopping.aborted ? 'failure.stoppedBefore' : 'failure.heldBefore');
  const failure = notPrepared(message, messageFor('remedy.none'), context.ports.clock.now());
  return context.advance(job, { type: 'postponed', notBefore: 0, failure });
}

/** The job of a take that may not be sent now. */
function notNow(context: StepContext, job: Job, right: Exclude<SendAnswer, { answer: 'granted' }>): Job {
  const current = context.jobs.get(job.id) ?? job;
  if (right.answer === 'refused' || current.revision !== job.revision) return current;
  const failure = notPrepared(right.message, messageFor('remedy.continuesAutomatically'), context.ports.clock.now());
  return context.advance(job, { type: 'postponed', notBefore: right.until, failure });
}

async function isStillOurs(context: StepContext, { projectId }: Job): Promise<boolean> {
  try {
    await context.claims.claim(projectId);
    return true;
  } catch (error) {
    if (isDatabaseTrouble(error)) throw error;
    return false;
  }
}

type Prepared = PlannedPost | { report: StepReport };

/** Plans the request and announces it in the project folder. A failure here costs nothing. */
async function prepare(context: StepContext, account: Account, job: Job): Promise<Prepared> {
  const { clock } = context.ports;
  try {
    const { spec, planning, files } = planningOf(context, account, job);
    const attemptId = uuid();
    const request = driverFor(job.kind).toRequest(spec, { ...planning, attemptId });
    if (request.files.length > 0) {
      const agreed = await agreedIn(context, projectFor(context, job));
      for (const { path } of request.files) await requireAgreed(path, agreed);
    }
    const attempt: Attempt = {
      id: attemptId,
      number: context.jobs.attempts.count(job.id) + 1,
      bodyHash: await hashFor(request, files),
      origin: account.origin,
      keyFingerprint: account.keyFingerprint,
      intendedAt: clock.now(),
    };
    if (await projectIsAway(context, job)) {
      throw new ErrorWithText(messageFor('failure.folderGone', { path: projectFor(context, job).path }));
    }
    await context.claims.claim(job.projectId);
    // For example, the data folder was replaced by an older copy: the recipe has a request that is not known here.
    if (await context.claims.catchUp(projectFor(context, job), job)) return { report: NO_INCIDENT };
    await makeFolder(partsFolder(projectFor(context, job)));
    // An earlier request of the take is in its recipe alone, which now announces this one.
    await context.limitFiles.written(job.projectId, attempt.number > 1);
    // Another machine that opens this folder must know that a POST may have been sent, so it is announced first.
    await context.writeRecipe({ ...job, state: { state: 'submitting', attempt } }, request);
    return { request, attempt, price: toPriceFacts(spec) };
  } catch (error) {
    // A database failure is not the shot's fault, and must not reject it.
    if (isDatabaseTrouble(error)) throw error;
    if (error instanceof TakeElsewhereError) return { report: NO_INCIDENT };
    const now = clock.now();
    if (error instanceof ProjectInUseError) {
      const failure = notPrepared(error.whoWorks, messageFor('remedy.continuesAutomatically'), now);
      context.advance(job, { type: 'postponed', notBefore: 0, failure });
      return { report: { saw: 'project_in_use', error } };
    }
    if (isDiskFull(error)) {
      const failure = notPrepared(messageFor('failure.diskClosed'), messageFor('remedy.freeSpaceOrUnlock'), now);
      context.advance(job, { type: 'postponed', notBefore: now, failure });
      return { report: diskFull(context, job) };
    }
    const failure = notPrepared(
      messageFor('failure.notPrepared', { reason: toText(error) }),
      error instanceof DailiesError ? error.remedy : messageFor('remedy.putBackThenRetry'),
      now,
    );
    context.ports.logger.warn('A shot could not be prepared', {
      job: job.id,
      shot: job.shotKey,
      reason: toMessage(error),
    });
    // A folder that is away (a disk unplugged) returns, and a file that another program holds is let go; a file that the
    // row names has to be corrected by a person.
    const passes = error instanceof ProjectAwayError || (isFileHeld(error) && !(error instanceof LocalFileError));
    if (passes || (await projectIsAway(context, job))) {
      context.advance(job, { type: 'postponed', notBefore: now + LOCAL_RETRY_MS, failure });
    } else {
      await finish(context, context.advance(job, { type: 'unprepared', failure }));
    }
    return { report: NO_INCIDENT };
  }
}

/** sha256 over path, body and every file's content. Files of other `takes` must be as they were when chosen. */
async function hashFor(request: PlannedRequest, takes: readonly UsedFile[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([request.path, request.encoding, request.body]));
  for (const file of request.files) {
    hash.update(`\n${file.field}\n`);
    const content = await contentFor(file.path);
    requireContent(file.path, content, takes.find(({ path }) => path === file.path)?.sha256);
    hash.update(content);
  }
  return hash.digest('hex');
}
