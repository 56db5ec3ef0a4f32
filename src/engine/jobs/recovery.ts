import type { JobStateOf } from '../../contract/job.ts';
import type { Job } from '../db/job-store.ts';
import type { RecoveryReport } from '../engine-api.ts';
import { keepAnswer, readSpooledAnswer } from './answer-results.ts';
import { diedWhileSubmitting, notPrepared } from './failures.ts';
import { finish } from './folder-notes.ts';
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
  for (const job of context.jobs.inState('submitting')) {
    if (await takeUpAnswer(context, job)) recoveredAnswers += 1;
    else unknown.push(job);
  }
  const died = diedWhileSubmitting(now);
  const interrupted = notPrepared('Dailies was ended before the shot was sent.', 'Nothing to do.', now);
  const settled: Job[] = [];
  // One commit for all: ten thousand jobs must not mean ten thousand syncs.
  context.jobs.inOneCommit(() => {
    for (const job of unknown) settled.push(context.jobs.advance(job, { type: 'unclear', failure: died }, now));
    for (const job of context.jobs.inState('preparing')) {
      context.jobs.advance(job, { type: 'postponed', notBefore: 0, failure: interrupted }, now);
    }
  });
  for (const job of settled) await finish(context, job);
  context.jobs.clearPauses('key_refused');
  context.jobs.clearPauses('other_key');
  context.jobs.clearPauses('internal_error');
  const interruptedImports = context.batches.interruptedImports().map((batch) => batch.name);
  return { unknownSubmits: unknown.length, recoveredAnswers, interruptedImports };
}

async function takeUpAnswer(context: StepContext, job: Job): Promise<boolean> {
  const { attempt } = job.state as JobStateOf<'submitting'>;
  const answer = await readSpooledAnswer(context, job, attempt.id);
  if (!answer) return false;
  const results = await keepAnswer(context, job, answer);
  if (results.length === 0) return false;
  context.advance(job, { type: 'answered', results });
  return true;
}
