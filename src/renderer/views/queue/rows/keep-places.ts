import type { JobView } from '../../../../contract/job.ts';

/** `places` in their order, each job as it is now; jobs of `current` that have no place yet come after them. */
export function keepPlaces(
  places: readonly JobView[],
  current: readonly JobView[],
  latest: (id: string) => JobView | undefined,
): readonly JobView[] {
  const placed = new Set(places.map((job) => job.id));
  return [...places.map((job) => latest(job.id) ?? job), ...current.filter((job) => !placed.has(job.id))];
}
