import type { JobView } from '../../../../contract/job.ts';

/** Jobs that have changed and are not taken in yet, each once, as it was told last. */
export class PendingJobs {
  readonly #jobs = new Map<string, JobView>();

  get isEmpty(): boolean {
    return this.#jobs.size === 0;
  }

  get all(): readonly JobView[] {
    return [...this.#jobs.values()];
  }

  add(job: JobView): void {
    this.#jobs.set(job.id, job);
  }

  clear(): void {
    this.#jobs.clear();
  }
}
