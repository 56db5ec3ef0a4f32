import type { StepReport } from '../machine/step-report.ts';
import type { Job, Step } from '../db/job-store.ts';
import type { Account } from '../db/service-store.ts';
import { downloadJob } from './download-step.ts';
import { pollJob } from './poll-step.ts';
import { prepareJob } from './prepare-step.ts';
import type { StepContext } from './step-context.ts';
import { submitJob } from './submit-step.ts';

/** Runs one step of a job to its end and tells what it saw. */
export function performStep(context: StepContext, step: Step, job: Job, account: Account): Promise<StepReport> {
  switch (step) {
    case 'prepare':
      return prepareJob(context, account, job);
    case 'submit':
      return submitJob(context, account, job);
    case 'poll':
      return pollJob(context, job);
    case 'download':
      return downloadJob(context, job);
  }
}
