import type { StartPlan } from '../../../../contract/batch.ts';
import type { JobView } from '../../../../contract/job.ts';
import { api } from '../../../lib/client.ts';
import { JobActions } from '../../../lib/jobs/job-actions.svelte.ts';
import { readJobs } from '../../../lib/jobs/read-jobs.ts';

/** The takes that failed of shots the list has not changed since: starting it leaves them, a person may send them again. */
export class FailedTakes {
  readonly #projectId: string;
  #jobs = $state.raw<readonly JobView[]>([]);
  #asked = 0;
  readonly actions = new JobActions(() => this.#jobs);

  constructor(projectId: string) {
    this.#projectId = projectId;
  }

  /** Reads those that a plan tells of, in the batch of that name. Without them the way to the queue remains. */
  async read(batch: string, plan: StartPlan | null): Promise<void> {
    this.#asked += 1;
    const number = this.#asked;
    const jobs = await this.#of(batch, plan?.failed ?? []).catch(() => []);
    if (number === this.#asked) this.#jobs = jobs;
  }

  async #of(name: string, shots: readonly string[]): Promise<readonly JobView[]> {
    if (shots.length === 0) return [];
    const batch = (await api.batches.list({ projectId: this.#projectId })).find((each) => each.name === name);
    const failed = batch ? await readJobs({ batchId: batch.id }, 'failed') : [];
    return failed.filter((job) => !job.isSetAside && shots.includes(job.shot));
  }
}
