import type { Changes } from '../../../../contract/events.ts';
import { isUnsent, type JobView, type Standing } from '../../../../contract/job.ts';
import { toShownTake, type ShownTake } from '../../../lib/media/take-media.ts';

type JobsById = ReadonlyMap<string, JobView>;
export type JobChanges = Pick<Changes, 'jobs' | 'verdicts'>;

export const byId = (jobs: readonly JobView[]): JobsById => new Map(jobs.map((job) => [job.id, job]));

export function changed(before: JobsById, { jobs, verdicts }: JobChanges): JobsById {
  const after = new Map(before);
  for (const job of jobs) after.set(job.id, job);
  for (const { takeId, verdict } of verdicts) {
    const job = after.get(takeId);
    if (!job) continue;
    const { flag: _before, ...rest } = job;
    after.set(takeId, verdict.flag === null ? rest : { ...rest, flag: verdict.flag });
  }
  return after;
}

export interface ShotRow {
  /** The key of the shot. */
  readonly id: string;
  readonly jobs: readonly JobView[];
}

/** The jobs of a batch by shot. Shots are in the order of the list, takes oldest first. */
export function byShot(jobs: Iterable<JobView>): readonly ShotRow[] {
  const rows = [...Map.groupBy(jobs, ({ shot }) => shot)].map(([id, takes]) => {
    return { id, jobs: takes.sort((one, other) => one.take - other.take) };
  });
  // A row may have moved since its first take: its newest one has the present place.
  const placeOf = (row: ShotRow): number => row.jobs.at(-1)?.position ?? 0;
  return rows.sort((one, other) => placeOf(one) - placeOf(other));
}

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
