import { taskRef, type TaskIds } from '../machine/job-facts.ts';
import type { Attempt, JobStateOf, KeptAnswer, ResultLocation } from '../../contract/job.ts';
import { readKept } from '../api/read-outcome.ts';
import { MAX_RETRY_AFTER_MS } from '../api/retry.ts';
import { toMessage } from '../base/errors.ts';
import { createYielder } from '../base/slices.ts';
import { isDatabaseTrouble } from '../db/open.ts';
import type { Job } from '../db/job-store.ts';
import { listFolder, makeFolder, removeAbandoned } from '../files/project-files.ts';
import { diedWhileSubmitting } from '../machine/failures.ts';
import { lookAgain, unclearSubmit } from './lost-submits.ts';
import { answersFolder, keptFor, readWholeAnswer, resultsIn } from './kept-answers.ts';
import { partsFolder } from './parts.ts';
import { updateRecipe } from './persist-event.ts';
import type { StepContext } from './step-context.ts';

export interface RecoveryReport {
  /** Submits that were running when the last engine died: each now needs a decision. */
  readonly unknownSubmits: number;
  /** Synchronous results found whole on disk although their engine died before it stored them. */
  readonly recoveredAnswers: number;
  readonly interruptedImports: readonly string[];
}

/** `unknownSubmits`: ids of their jobs. */
type Recovered = Omit<RecoveryReport, 'unknownSubmits'> & { readonly unknownSubmits: readonly string[] };

/**
 * Settles what the last engine left unfinished. The fate of any job that was being submitted is unknown: no sign is
 * good enough to send it again. Three exceptions cannot lose money: the answer of a synchronous operation that is whole
 * on disk counts as its result; what the recipe knows beyond the database counts once the project is taken; and where
 * the service lists tasks by attempt, its list is read once the queue runs. Everything else continues from its state.
 */
export async function recover(context: StepContext): Promise<Recovered> {
  const now = context.ports.clock.now();
  let recoveredAnswers = 0;
  const unknown: { job: Job; kept: KeptAnswer | undefined }[] = [];
  await makeFolder(answersFolder(context), 0o700);
  await removeAbandoned(answersFolder(context), now);
  const kept = await keptAnswers(context);
  for (const job of context.jobs.inState('submitting')) {
    if (await takeUpAnswer(context, job, kept)) recoveredAnswers += 1;
    else unknown.push({ job, kept: await keptAnswerFor(context, job, kept) });
  }
  // Checked at each start: the disk with its answer may have been away before.
  const giveWay = createYielder();
  for (const job of context.jobs.inState('submit_unknown')) {
    if (await takeUpAnswer(context, job, kept)) recoveredAnswers += 1;
    else lookAgain(context, job);
    const turn = giveWay();
    if (turn) await turn;
  }
  await offerToCancelled(context, kept);
  const died = diedWhileSubmitting(now);
  // One commit for all: ten thousand jobs must not mean ten thousand syncs. Their recipe files follow once their
  // projects are taken; until then they say `submitting`, which means the same to an engine elsewhere.
  context.jobs.inOneCommit(() => {
    for (const { job, kept } of unknown) {
      const unclear = unclearSubmit(context, job, (job.state as Undecided).attempt, died);
      context.jobs.advance(job, { type: 'unclear', ...unclear, kept }, now);
    }
  });
  // A stored wait may have begun while the clock was wrong.
  context.clients.forgetFloors(now + MAX_RETRY_AFTER_MS);
  context.jobs.due.bringForward(now, now + MAX_RETRY_AFTER_MS);
  context.jobs.clearPauses('key_refused');
  context.jobs.clearPauses('other_key');
  context.jobs.clearPauses('internal_error');
  const interruptedImports = context.batches.interruptedImports().map((batch) => batch.name);
  return { unknownSubmits: unknown.map(({ job }) => job.id), recoveredAnswers, interruptedImports };
}

/**
 * Uses kept answers to requests that the database does not know, for example because it was replaced by an older copy.
 * Only contents are used from a request that was not made here: an address in it could be anyone's, so a person decides
 * about it.
 */
export async function recoverAnswers(context: StepContext, projectId: string): Promise<void> {
  const kept = await keptAnswers(context);
  if (kept.size === 0) return;
  for (const job of context.jobs.inState('submit_unknown')) {
    if (job.projectId !== projectId || (await takeUpAnswer(context, job, kept))) continue;
    const found = 'kept' in job.state && job.state.kept ? undefined : await keptAnswerFor(context, job, kept);
    if (found) context.advance(job, { type: 'answer_found', kept: found, results: [] });
  }
  await offerToCancelled(context, kept);
}

/** A paid answer of a cancelled take is all that is left of it. It waits for a person, as the take does. */
async function offerToCancelled(context: StepContext, kept: ReadonlySet<string>): Promise<void> {
  for (const job of kept.size === 0 ? [] : context.jobs.inState('cancelled')) {
    const { attempt, task, results: known } = job.state as JobStateOf<'cancelled'>;
    if (!attempt || task || known || !kept.has(attempt.id)) continue;
    const results = await resultsKept(context, job, attempt);
    if (results.length > 0) context.advance(job, { type: 'answer_found', results });
  }
}

async function keptAnswers(context: StepContext): Promise<Set<string>> {
  const found = new Set<string>();
  for (const folder of [answersFolder(context), ...context.projects.list().map(partsFolder)]) {
    // A folder that is away has nothing to offer now; its jobs wait for a decision like the others.
    const entries = await listFolder(folder).catch(() => []);
    for (const { name } of entries) {
      const [, id] = /^(.+)\.answer(?:\.arriving)?$/.exec(name) ?? [];
      if (id !== undefined) found.add(id);
    }
  }
  return found;
}

type Undecided = JobStateOf<'submitting'> | JobStateOf<'submit_unknown'>;

/** Its files are fetched from it like any result, once the project's disk can be written; a task in it is followed. */
async function takeUpAnswer(context: StepContext, job: Job, kept: ReadonlySet<string>): Promise<boolean> {
  const { attempt } = job.state as Undecided;
  const answer = kept.has(attempt.id) ? await readWholeAnswer(context, job, attempt) : null;
  if (!answer) return false;
  const outcome = readKept(answer);
  if (outcome.type === 'accepted') return takeUpTask(context, job, outcome, attempt.intendedAt);
  const results = resultsFor(context, job, attempt, answer);
  if (results.length === 0) return false;
  context.advance(job, { type: 'answered', results });
  return true;
}

async function resultsKept(context: StepContext, job: Job, attempt: Attempt): Promise<ResultLocation[]> {
  const answer = await readWholeAnswer(context, job, attempt);
  return answer ? resultsFor(context, job, attempt, answer) : [];
}

/** The results in a whole answer; empty where they may not be taken without a person. */
function resultsFor(context: StepContext, job: Job, attempt: Attempt, answer: Buffer): ResultLocation[] {
  const results = readKept(answer).type === 'answered' ? resultsIn(context, job, answer) : [];
  return mayBeTaken(context, job, attempt, results) ? results : [];
}

async function keptAnswerFor(
  context: StepContext,
  job: Job,
  kept: ReadonlySet<string>,
): Promise<KeptAnswer | undefined> {
  const { attempt } = job.state as Undecided;
  return kept.has(attempt.id) ? keptFor(context, job, attempt) : undefined;
}

/** Follows a task that was accepted. False when it belongs to another take. */
function takeUpTask(context: StepContext, job: Job, ids: TaskIds, acceptedAt: number): boolean {
  const { state, attempt } = job.state as Undecided;
  if (context.jobs.ofTask(ids.taskId, attempt.origin, job.id)) return false;
  const now = context.ports.clock.now();
  context.advance(job, {
    type: state === 'submitting' ? 'accepted' : 'attach',
    task: taskRef(ids, acceptedAt),
    nextPollAt: now,
    deadlineAt: now + context.settings.deadlineHours * 3_600_000,
  });
  return true;
}

const mayBeTaken = ({ jobs }: StepContext, job: Job, attempt: Attempt, results: readonly ResultLocation[]): boolean =>
  jobs.attempts.isOwn(job.id, attempt) || results.every(({ at }) => at === 'file');

/**
 * Takes the projects whose folders may be out of date because an engine died after `since` (ms; null when none did),
 * that may know more about the jobs in `unknown`, that were only partly adopted, that were moving files to or from the
 * trash, or that lack a decision. Taking a project completes all of these. A project that is away or in use waits until it can be taken.
 */
export async function takeProjectsBehind(
  context: StepContext,
  { since, unknown }: { readonly since: number | null; readonly unknown: readonly string[] },
): Promise<void> {
  const changed = since === null ? [] : context.batches.changedSince(since);
  const behind = new Set([
    ...changed.map((id) => context.batches.get(id)?.projectId),
    ...unknown.map((id) => context.jobs.get(id)?.projectId),
    ...context.batches.interruptedAdoptions(),
    ...context.jobs.trash.unfinished(),
    ...context.jobs.decisions.projects(),
  ]);
  for (const projectId of behind) {
    try {
      if (projectId !== undefined) await context.claims.claim(projectId);
    } catch (error) {
      if (isDatabaseTrouble(error)) throw error;
      context.ports.logger.warn('A project could not be taken', { project: projectId, reason: toMessage(error) });
    }
  }
}

/**
 * Writes into a project folder what engines that died after `since` (ms) had stored in the database but may not have
 * written there: the manifests, and the recipes of jobs that ended without a file or need a decision. The recipe of a
 * saved job was written before the job was saved, and a job that continues writes its own.
 */
export async function catchUp(context: StepContext, projectId: string, since: number): Promise<void> {
  const batches = new Set(context.batches.list(projectId).map(({ id }) => id));
  for (const batchId of context.batches.changedSince(since)) if (batches.has(batchId)) context.touchManifest(batchId);
  for (const job of context.jobs.endedSince(since, projectId)) await updateRecipe(context, job);
}
