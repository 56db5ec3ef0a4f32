import type { JobView, Standing } from '../../../../contract/job.ts';

/** The jobs of a batch by shot. Shots are in the order in which they were queued, takes oldest first. Never changed. */
export class ShotJobs {
  readonly #jobs: ReadonlyMap<string, JobView>;
  readonly #byShot: ReadonlyMap<string, readonly JobView[]>;

  constructor(jobs: ReadonlyMap<string, JobView>, byShot: ReadonlyMap<string, readonly JobView[]>) {
    this.#jobs = jobs;
    this.#byShot = byShot;
  }

  static of(jobs: Iterable<JobView>): ShotJobs {
    // Ids begin with the time of their making, so their order is that of the list.
    const inOrder = [...jobs].sort((one, other) => (one.id < other.id ? -1 : 1));
    return new ShotJobs(
      new Map(inOrder.map((job) => [job.id, job])),
      Map.groupBy(inOrder, (job) => job.shot),
    );
  }

  get shots(): readonly string[] {
    return [...this.#byShot.keys()];
  }

  ofShot(shot: string): readonly JobView[] {
    return this.#byShot.get(shot) ?? [];
  }

  /** The same with these jobs as they are now. */
  with(changed: readonly JobView[]): ShotJobs {
    const jobs = new Map(this.#jobs);
    for (const job of changed) jobs.set(job.id, job);
    if (jobs.size > this.#jobs.size) return ShotJobs.of(jobs.values());
    const byShot = new Map(this.#byShot);
    for (const shot of new Set(changed.map((job) => job.shot))) {
      const before = byShot.get(shot) ?? [];
      byShot.set(
        shot,
        before.map((job) => jobs.get(job.id) ?? job),
      );
    }
    return new ShotJobs(jobs, byShot);
  }
}

const urgency: readonly Standing[] = ['unknown', 'failed', 'unfinished', 'saved', 'cancelled'];

/** The take of a shot that a person wants to hear of first. */
export function mostUrgent(jobs: readonly JobView[]): JobView | null {
  const rank = (job: JobView): number => {
    // Of several under way, one that has been sent speaks for the shot.
    const waits = job.standing === 'unfinished' && job.state === 'ready' ? 0.5 : 0;
    return urgency.indexOf(job.standing) + waits;
  };
  return jobs.reduce<JobView | null>((best, job) => (best === null || rank(job) < rank(best) ? job : best), null);
}
