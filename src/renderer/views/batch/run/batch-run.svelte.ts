import type { BatchView } from '../../../../contract/batch.ts';
import type { JobView, Standing } from '../../../../contract/job.ts';
import { api, toTrouble, type Trouble } from '../../../lib/client.ts';
import { changeStream } from '../../../lib/state/changes.svelte.ts';
import { resource, type Resource } from '../../../lib/state/resource.svelte.ts';
import { byId, byShot, changed, countedTakes, type JobChanges, type ShotRow } from './shot-jobs.ts';

const PAGE = 5000;
/** How often the batch's own line is read at most, ms. */
const READ_EVERY_MS = 800;

/** A batch and its jobs, as it runs. */
export class BatchRun {
  readonly batchId: string;
  /** Null once it is gone. */
  readonly batch: Resource<string, BatchView | null>;
  #jobs = $state.raw(byId([]));
  trouble = $state.raw<Trouble | null>(null);
  isRead = $state(false);
  /** Only shots with such a take; null for all. */
  standing = $state<Standing | null>(null);
  readonly #all = $derived(byShot(this.#jobs.values()));
  readonly rows: readonly ShotRow[] = $derived.by(() => {
    const { standing } = this;
    if (standing === null) return this.#all;
    return this.#all.filter(({ jobs }) => countedTakes(jobs).some((job) => job.standing === standing));
  });
  /** Takes that wait for a release. */
  readonly waiting = $derived([...this.#jobs.values()].filter(({ wait }) => wait === 'release'));
  /** All takes, whatever the filter shows. */
  readonly all = $derived([...this.#jobs.values()]);
  #reading = 0;
  /** What changed while the jobs are read: a page may be older than it. */
  #changedMeanwhile: JobChanges[] | null = null;
  readonly #firstRead = Promise.withResolvers<undefined>();
  /** Resolves when all are known, or cannot be: a filter passes over every shot whose takes were not read yet. */
  readonly firstRead = this.#firstRead.promise;

  constructor(projectId: string, batchId: string) {
    this.batchId = batchId;
    this.batch = resource({
      of: () => batchId,
      read: async () => (await api.batches.list({ projectId })).find(({ id }) => id === batchId) ?? null,
      changedBy: ({ projects, jobs }) => projects.includes(projectId) || jobs.some((job) => job.batchId === batchId),
      everyMs: READ_EVERY_MS,
    });
    $effect(() => this.#follow());
  }

  async read(): Promise<void> {
    this.#reading += 1;
    const reading = this.#reading;
    this.#changedMeanwhile = [];
    try {
      const jobs: JobView[] = [];
      for (let total = Infinity; jobs.length < total;) {
        const page = await api.jobs.list({ batchId: this.batchId, start: jobs.length, count: PAGE });
        jobs.push(...page.jobs);
        total = page.jobs.length === 0 ? jobs.length : page.total;
      }
      if (reading !== this.#reading) return;
      this.#jobs = this.#changedMeanwhile.reduce(changed, byId(jobs));
      this.trouble = null;
      this.isRead = true;
    } catch (error) {
      if (reading !== this.#reading) return;
      this.trouble = toTrouble(error);
    }
    this.#changedMeanwhile = null;
    this.#firstRead.resolve(undefined);
  }

  #follow(): () => void {
    void this.read();
    return changeStream.listen((changes) => {
      const jobs = changes.jobs.filter((job) => job.batchId === this.batchId);
      if (changes.resync) void this.read();
      if (jobs.length === 0 && changes.verdicts.length === 0) return;
      const ours = { jobs, verdicts: changes.verdicts };
      this.#changedMeanwhile?.push(ours);
      this.#jobs = changed(this.#jobs, ours);
    });
  }
}
