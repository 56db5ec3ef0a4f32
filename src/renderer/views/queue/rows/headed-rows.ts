import type { JobView } from '../../../../contract/job.ts';
import type { Grouping } from '../../../../contract/review.ts';
import { groupOrder } from '../../../lib/grouping.ts';

export interface Heading {
  readonly title: string;
  readonly count: number;
}

export interface HeadedRows {
  readonly jobs: readonly JobView[];
  readonly headings: ReadonlyMap<string, Heading>;
}

/**
 * Groups jobs under headings, by name, those without one last, each in the order its jobs had. `textOf` gives a job's
 * text in the column. Linear time but for the sorting of names. Pure.
 */
export function headedRows(
  jobs: readonly JobView[],
  group: Grouping | undefined,
  textOf: (jobId: string) => string,
  titleOf: (group: Grouping, name: string) => string,
): HeadedRows {
  if (group === undefined) return { jobs, headings: new Map() };
  const groups = [...Map.groupBy(jobs, (job) => nameIn(job, group, textOf))];
  const inOrder = groupOrder();
  groups.sort(([one], [other]) => inOrder(one, other));
  const headings = groups.flatMap(([name, [first, ...others]]): [string, Heading][] =>
    first === undefined ? [] : [[first.id, { title: titleOf(group, name), count: others.length + 1 }]],
  );
  return { jobs: groups.flatMap(([, members]) => members), headings: new Map(headings) };
}

function nameIn(job: JobView, { by }: Grouping, textOf: (jobId: string) => string): string {
  if (by === 'column') return textOf(job.id);
  if (by === 'batch') return `${job.project} · ${job.batch}`;
  return by === 'shot' ? job.shot : job.model;
}

export class ColumnTexts {
  readonly #texts = new Map<string, string>();

  of(jobId: string): string {
    return this.#texts.get(jobId) ?? '';
  }

  put(jobIds: readonly string[], texts: readonly string[]): void {
    for (const [index, id] of jobIds.entries()) this.#texts.set(id, texts[index] ?? '');
  }

  /** Jobs that were never read, at most so many. */
  missing(jobs: readonly JobView[], most: number): string[] {
    const missing: string[] = [];
    for (const { id } of jobs) {
      if (this.#texts.has(id)) continue;
      missing.push(id);
      if (missing.length === most) break;
    }
    return missing;
  }
}
