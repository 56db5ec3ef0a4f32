import type { Changes } from '../../../contract/events.ts';
import type { JobView, Standing } from '../../../contract/job.ts';
import type { TakeFilter, TakeView, VerdictField } from '../../../contract/review.ts';

export type Part = 'list' | 'tally' | 'details';

export interface Shown {
  readonly filter: TakeFilter;
  readonly focus: TakeView | null;
  readonly isRead: (takeId: string) => boolean;
}

/** A take of this standing was not among the saved ones before either. */
const neverSaved: readonly Standing[] = ['unfinished', 'unknown', 'cancelled'];

/** The parts that the view must read again after a message: none that the message itself contains. Pure. */
export function staleParts(changes: Changes, shown: Shown): readonly Part[] {
  if (changes.resync) return ['list', 'tally', 'details'];
  const { filter, focus } = shown;
  const jobs = changes.jobs.filter(({ projectId }) => projectId === filter.projectId);
  const judged = changes.verdicts.filter(({ projectId }) => projectId === filter.projectId);
  const changed = new Set(judged.flatMap((given) => given.changed));
  const listMayChange =
    changes.batches.includes(filter.projectId) ||
    jobs.some((job) => mayBeListed(job, shown)) ||
    fieldsThatCount(filter).some((field) => changed.has(field));
  return [
    ...(listMayChange ? (['list'] as const) : []),
    ...(listMayChange || changed.has('flag') ? (['tally'] as const) : []),
    ...(jobs.some((job) => isOfShot(job, focus)) ? (['details'] as const) : []),
  ];
}

/** A busy queue changes the list only when another take is saved. */
function mayBeListed({ id, standing, files }: JobView, { filter, isRead }: Shown): boolean {
  return filter.standing !== 'saved' || !neverSaved.includes(standing) || files.length > 0 || isRead(id);
}

/** What of a verdict decides which takes are listed, and where. */
function fieldsThatCount({ flag, minRating, rating, sort, text, group }: TakeFilter): VerdictField[] {
  // A search may be about any of them.
  if (text !== undefined) return ['flag', 'rating', 'note', 'tags', 'marks', 'notes'];
  const byRating = minRating !== undefined || rating !== undefined || sort === 'rating';
  return [
    ...(flag === undefined && group?.by !== 'verdict' ? [] : (['flag'] as const)),
    ...(byRating ? (['rating'] as const) : []),
    ...(group?.by === 'tag' ? (['tags'] as const) : []),
  ];
}

const isOfShot = (job: JobView, take: TakeView | null): boolean =>
  take !== null && job.batchId === take.batchId && job.shot === take.shot;
