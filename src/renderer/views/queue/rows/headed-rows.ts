import type { JobView } from '../../../../contract/job.ts';
import { groupOrder } from '../../../lib/grouping.ts';

export const jobGroupings = ['batch', 'shot', 'model'] as const;
type JobGrouping = (typeof jobGroupings)[number];

export interface Heading {
  readonly title: string;
  readonly count: number;
}

/** Groups jobs under headings, by name, each in the order its jobs had. Linear time but for the sorting of names. Pure. */
export function headedRows(
  jobs: readonly JobView[],
  by: JobGrouping | undefined,
): { readonly jobs: readonly JobView[]; readonly headings: ReadonlyMap<string, Heading> } {
  if (by === undefined) return { jobs, headings: new Map() };
  const inOrder = groupOrder();
  const groups = [...Map.groupBy(jobs, (job) => nameIn(job, by))].sort(([one], [other]) => inOrder(one, other));
  const headings = groups.flatMap(([title, [first, ...others]]): [string, Heading][] =>
    first === undefined ? [] : [[first.id, { title, count: others.length + 1 }]],
  );
  return { jobs: groups.flatMap(([, members]) => members), headings: new Map(headings) };
}

const nameIn = (job: JobView, by: JobGrouping): string => (by === 'batch' ? `${job.project} · ${job.batch}` : job[by]);
