import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import type { JobStateOf } from '../../contract/job.ts';
import type { Job } from '../db/job-store.ts';
import { isDatabaseTrouble } from '../db/open.ts';
import type { RecoveryReport } from '../engine-api.ts';
import { messageOf } from '../errors.ts';
import { keepAnswer, readSpooledAnswer } from './answer-results.ts';
import { diedWhileSubmitting, notPrepared } from './failures.ts';
import { partsFolder } from './parts.ts';
import type { StepContext } from './step-context.ts';

/**
 * Puts right what the last engine left in the middle. Whatever was being submitted is of unknown fate, always: no
 * clue is good enough to send it again. The one exception loses no money either: the answer of a synchronous
 * operation that lies whole on disk is taken as what it is. Everything else just goes on where its state says.
 */
export async function recover(context: StepContext): Promise<RecoveryReport> {
  const now = context.ports.clock.now();
  let recoveredAnswers = 0;
  const unknown: Job[] = [];
  const spooled = await spooledAnswers(context);
  for (const job of context.jobs.inState('submitting')) {
    const found = await takeUpAnswer(context, job, spooled);
    if (found === 'taken') recoveredAnswers += 1;
    if (found === 'nothing') unknown.push(job);
  }
  const died = diedWhileSubmitting(now);
  const interrupted = notPrepared('Dailies was ended before the shot was sent.', 'Nothing to do.', now);
  // One commit for all: ten thousand jobs must not mean ten thousand syncs. Their recipe files say `submitting`
  // already, which whoever opens the folder elsewhere takes for the same.
  context.jobs.inOneCommit(() => {
    for (const job of unknown) context.jobs.advance(job, { type: 'unclear', failure: died }, now);
    for (const job of context.jobs.inState('preparing')) {
      context.jobs.advance(job, { type: 'postponed', notBefore: 0, failure: interrupted }, now);
    }
  });
  for (const batchId of new Set(unknown.map((job) => job.batchId))) context.touchManifest(batchId);
  context.jobs.clearPauses('key_refused');
  context.jobs.clearPauses('other_key');
  context.jobs.clearPauses('internal_error');
  const interruptedImports = context.batches.interruptedImports().map((batch) => batch.name);
  return { unknownSubmits: unknown.length, recoveredAnswers, interruptedImports };
}

/** Ids of the attempts whose answer lies in a project folder, whole or not. */
async function spooledAnswers(context: StepContext): Promise<Set<string>> {
  const found = new Set<string>();
  for (const project of context.projects.list()) {
    // A folder that is away just now has nothing to offer; its jobs stay as careful as the others.
    const names = await readdir(partsFolder(project)).catch(() => []);
    for (const name of names) if (name.endsWith('.answer')) found.add(basename(name, '.answer'));
  }
  return found;
}

/** `waits`: the answer is there, and stays there for the next start, but the disk takes nothing now. */
async function takeUpAnswer(
  context: StepContext,
  job: Job,
  spooled: ReadonlySet<string>,
): Promise<'taken' | 'waits' | 'nothing'> {
  const { attempt } = job.state as JobStateOf<'submitting'>;
  const answer = spooled.has(attempt.id) ? await readSpooledAnswer(context, job, attempt.id) : null;
  if (!answer) return 'nothing';
  try {
    const results = await keepAnswer(context, job, answer);
    if (results.length === 0) return 'nothing';
    context.advance(job, { type: 'answered', results });
    return 'taken';
  } catch (error) {
    if (isDatabaseTrouble(error)) throw error;
    context.ports.logger.warn('A paid answer could not be put away yet', { job: job.id, reason: messageOf(error) });
    return 'waits';
  }
}
