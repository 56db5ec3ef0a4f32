import { noCounts } from './exit.ts';
import type { Counts, JobView, Standing } from '../contract/job.ts';

/** The state of all jobs of one run, kept up to date by the engine's events. */
export class Tally {
  readonly #jobs = new Map<string, JobView>();
  readonly counts: Counts = { ...noCounts };

  #atService = 0;
  #preparing = 0;

  constructor(jobs: readonly JobView[]) {
    for (const job of jobs) this.#put(job);
  }

  get atService(): number {
    return this.#atService;
  }

  /** Takes whose media are being uploaded or waited for. Most of this time no request is under way. */
  get preparing(): number {
    return this.#preparing;
  }

  get total(): number {
    return this.#jobs.size;
  }

  /** In the order of the shot list. */
  get jobs(): IterableIterator<JobView> {
    return this.#jobs.values();
  }

  /** Updates a job. Returns whether its standing changed; null for a job of another run. */
  update(job: JobView): { readonly changed: boolean } | null {
    const before = this.#jobs.get(job.id);
    if (!before) return null;
    this.counts[before.standing] -= 1;
    if (isAtService(before)) this.#atService -= 1;
    if (before.state === 'needs_assets') this.#preparing -= 1;
    this.#put(job);
    return { changed: before.standing !== job.standing };
  }

  with(...standings: Standing[]): JobView[] {
    return [...this.#jobs.values()].filter((job) => standings.includes(job.standing));
  }

  #put(job: JobView): void {
    this.#jobs.set(job.id, job);
    this.counts[job.standing] += 1;
    if (isAtService(job)) this.#atService += 1;
    if (job.state === 'needs_assets') this.#preparing += 1;
  }
}

const isAtService = ({ state }: JobView) => state === 'accepted' || state === 'polling';
