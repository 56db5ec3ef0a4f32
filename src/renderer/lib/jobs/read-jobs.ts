import type { Counts, JobView, Standing } from '../../../contract/job.ts';
import { api } from '../client.ts';

const PAGE = 500;

export interface Scope {
  readonly projectId?: string;
  readonly batchId?: string;
}

type Page = Awaited<ReturnType<typeof api.jobs.list>>;

/** The first screenful and the counts, for a view that has nothing to show yet. */
export const readFirst = (scope: Scope, standing: Standing): Promise<Page> =>
  api.jobs.list({ ...scope, standing, start: 0, count: 100 });

export async function readCounts(scope: Scope): Promise<Counts> {
  return (await api.jobs.list({ ...scope, start: 0, count: 1 })).counts;
}

/**
 * Reads the jobs of a standing page by page, from the last one back. Jobs that leave the standing meanwhile shift those
 * behind them: read from the end that makes some appear twice, read from the start it would make some be missed.
 * Ends early once `most` are read.
 */
export async function readJobs(scope: Scope, standing: Standing, most = Number.POSITIVE_INFINITY): Promise<JobView[]> {
  const { total } = await api.jobs.list({ ...scope, standing, start: 0, count: 1 });
  const pages: JobView[][] = [];
  let read = 0;
  for (let end = total; end > 0; end -= PAGE) {
    const start = Math.max(0, end - PAGE);
    const { jobs } = await api.jobs.list({ ...scope, standing, start, count: end - start });
    pages.push(jobs);
    read += jobs.length;
    if (read >= most) break;
  }
  return pages.reverse().flat();
}
