import type { JobView } from '../../../../contract/job.ts';
import { toGroup, groups, type GroupName } from './groups.ts';

export type Grouped = Readonly<Record<GroupName, readonly JobView[]>>;

export const noJobs: Grouped = { 'under-way': [], undecided: [], failed: [], waiting: [], done: [] };

/**
 * Jobs by group. What waits is in the order of the line, every other group in the order in which its jobs came into it:
 * a change moves one row to the end of another group and leaves all others at their places. Costs as much as what changed, not as much as there is.
 */
export class GroupedJobs {
  readonly #groupOf = new Map<string, GroupName>();
  readonly #members: Record<GroupName, Map<string, JobView>> = {
    'under-way': new Map(),
    undecided: new Map(),
    failed: new Map(),
    waiting: new Map(),
    done: new Map(),
  };
  /** The lists as they are now; those of groups in which nothing changed are the same arrays as before. */
  lists: Grouped = noJobs;

  get(id: string): JobView | undefined {
    const group = this.#groupOf.get(id);
    return group && this.#members[group].get(id);
  }

  put(jobs: Iterable<JobView>): void {
    const touched = new Set<GroupName>();
    for (const job of jobs) {
      const known = this.get(job.id);
      if (known && known.updatedAt > job.updatedAt) continue;
      const from = this.#groupOf.get(job.id);
      const to = toGroup(job);
      if (from !== undefined && from !== to) {
        this.#members[from].delete(job.id);
        touched.add(from);
      }
      this.#members[to].set(job.id, job);
      this.#groupOf.set(job.id, to);
      touched.add(to);
    }
    if (touched.size > 0) this.#renew(touched);
  }

  #renew(touched: ReadonlySet<GroupName>): void {
    this.lists = Object.fromEntries(
      groups.map(({ name }) => [name, touched.has(name) ? this.#list(name) : this.lists[name]]),
    ) as Record<GroupName, readonly JobView[]>;
  }

  #list(name: GroupName): readonly JobView[] {
    const list = [...this.#members[name].values()];
    if (name === 'waiting') return list.sort(inLine);
    // A person looks for the takes that were saved last.
    return name === 'done' ? list.reverse().sort((a, b) => b.updatedAt - a.updatedAt) : list;
  }
}

/** The order in which they are sent; those queued at the same moment stay in the order in which they came. */
const inLine = (a: JobView, b: JobView): number =>
  b.priority - a.priority || a.turn - b.turn || a.createdAt - b.createdAt;

/** `places` in their order, each job as it is now; jobs of `current` that have no place yet come after them. */
export function keepPlaces(
  places: readonly JobView[],
  current: readonly JobView[],
  latest: (id: string) => JobView | undefined,
): readonly JobView[] {
  const placed = new Set(places.map((job) => job.id));
  return [...places.map((job) => latest(job.id) ?? job), ...current.filter((job) => !placed.has(job.id))];
}
