import type { GivenVerdict } from '../../../../contract/verdict.ts';
import { isUnsent, type JobView, type Standing } from '../../../../contract/job.ts';
import { toShownTake, type ShownTake } from '../../../lib/media/take-media.ts';

/** The jobs of a batch by shot. Shots are in the order of the list, takes oldest first. Never changed. */
export class ShotJobs {
  readonly #jobs: ReadonlyMap<string, JobView>;
  readonly #byShot: ReadonlyMap<string, readonly JobView[]>;

  constructor(jobs: ReadonlyMap<string, JobView>, byShot: ReadonlyMap<string, readonly JobView[]>) {
    this.#jobs = jobs;
    this.#byShot = byShot;
  }

  static of(jobs: Iterable<JobView>): ShotJobs {
    const all = [...jobs];
    const byShot = [...Map.groupBy(all, (job) => job.shot)].map(
      ([shot, takes]) => [shot, takes.sort((one, other) => one.take - other.take)] as const,
    );
    // A row may have moved since its first take: its newest one has the present place.
    byShot.sort(([, one], [, other]) => toPlace(one) - toPlace(other));
    return new ShotJobs(new Map(all.map((job) => [job.id, job])), new Map(byShot));
  }

  get shots(): readonly string[] {
    return [...this.#byShot.keys()];
  }

  ofShot(shot: string): readonly JobView[] {
    return this.#byShot.get(shot) ?? [];
  }

  judged(verdicts: readonly GivenVerdict[]): ShotJobs {
    const changed = verdicts.flatMap(({ takeId, verdict }): JobView[] => {
      const job = this.#jobs.get(takeId);
      if (!job || (job.flag ?? null) === verdict.flag) return [];
      const { flag: _before, ...rest } = job;
      return [{ ...rest, ...(verdict.flag !== null && { flag: verdict.flag }) }];
    });
    return changed.length === 0 ? this : this.with(changed);
  }

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

const toPlace = (takes: readonly JobView[]): number => takes.at(-1)?.position ?? 0;

const urgency: readonly Standing[] = ['unknown', 'failed', 'unfinished', 'saved', 'cancelled'];

/** The takes of a shot that still count: without those that the list no longer asks for. */
export const countedTakes = (jobs: readonly JobView[]): readonly JobView[] => jobs.filter((job) => !job.isSetAside);

export function mostUrgent(jobs: readonly JobView[]): JobView | null {
  const rank = (job: JobView): number => {
    // When a shot has several unfinished takes, one that has been sent counts first.
    const waits = job.standing === 'unfinished' && isUnsent(job) ? 0.5 : 0;
    return urgency.indexOf(job.standing) + waits;
  };
  return countedTakes(jobs).reduce<JobView | null>(
    (best, job) => (best === null || rank(job) < rank(best) ? job : best),
    null,
  );
}

export interface StripTake {
  readonly id: string;
  readonly take: number;
  readonly isPick: boolean;
  readonly isRejected: boolean;
  readonly shown: ShownTake;
}

/** The takes of a shot that can be looked at, oldest first. Those in the trash, or without a file, are left out. Pure. */
export function toStrip(jobs: readonly JobView[]): readonly StripTake[] {
  return countedTakes(jobs).flatMap((job): StripTake[] => {
    const shown = toShownTake(job);
    const { id, take, flag } = job;
    if (shown === null) return [];
    return [{ id, take, isPick: flag === 'pick', isRejected: flag === 'reject', shown }];
  });
}

/** So many of the takes, in their order: picks before any other, then the newest. Pure. */
export function fewOf(takes: readonly StripTake[], most: number): readonly StripTake[] {
  const picksLast = [...takes.filter(({ isPick }) => !isPick), ...takes.filter(({ isPick }) => isPick)];
  const few = new Set(picksLast.slice(-most));
  return takes.filter((take) => few.has(take));
}

/** The take of a shot to show first: its pick, else its newest that was not rejected. Pure. */
export function firstToSee(takes: readonly StripTake[]): StripTake | null {
  const pick = takes.findLast(({ isPick }) => isPick);
  return pick ?? takes.findLast(({ isRejected }) => !isRejected) ?? takes.at(-1) ?? null;
}
