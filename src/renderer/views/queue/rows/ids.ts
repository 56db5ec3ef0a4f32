import type { JobView } from '../../../../contract/job.ts';

export type Ids = ReadonlySet<string>;

export const noIds: Ids = new Set();

export const idsOf = (jobs: readonly JobView[]): Ids => new Set(jobs.map(({ id }) => id));

/** With the id when it was not among them, without it when it was. */
export function toggled(ids: Ids, id: string): Ids {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}
