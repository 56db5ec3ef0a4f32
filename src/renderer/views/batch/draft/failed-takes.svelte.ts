import type { JobView } from '../../../../contract/job.ts';
import { api } from '../../../lib/client.ts';
import { JobActions } from '../../../lib/jobs/job-actions.svelte.ts';
import { readJobs } from '../../../lib/jobs/read-jobs.ts';
import { resource, type Resource } from '../../../lib/state/resource.svelte.ts';
import type { BatchPlan } from './batch-plan.svelte.ts';

interface Failed {
  readonly batch: string;
  readonly shots: readonly string[];
}

/**
 * The takes that failed of shots the list has not changed since: starting it leaves them, a person may send them again.
 * While they cannot be read the way to the queue remains.
 */
export class FailedTakes {
  readonly #jobs: Resource<Failed, readonly JobView[]>;
  readonly actions = new JobActions(() => this.#jobs.current ?? []);

  constructor(projectId: string, plan: BatchPlan) {
    this.#jobs = resource({
      of: (): Failed => ({ batch: plan.name.trim(), shots: plan.plan?.failed ?? [] }),
      read: (failed) => jobsOf(projectId, failed),
    });
  }
}

async function jobsOf(projectId: string, { batch: name, shots }: Failed): Promise<readonly JobView[]> {
  if (shots.length === 0) return [];
  const batch = (await api.batches.list({ projectId })).find((each) => each.name === name);
  const failed = batch ? await readJobs({ batchId: batch.id }, 'failed') : [];
  return failed.filter((job) => !job.isSetAside && shots.includes(job.shot));
}
