import type { BatchView } from '../../../../contract/batch.ts';
import type { JobView, Standing } from '../../../../contract/job.ts';
import { api, toTrouble, type Trouble } from '../../../lib/client.ts';
import { changeStream } from '../../../lib/state/changes.svelte.ts';
import { resource, type Resource } from '../../../lib/state/resource.svelte.ts';
import { countedTakes, ShotJobs } from './shot-jobs.ts';

const PAGE = 5000;
/** How often the batch's own line is read at most, ms. */
const READ_EVERY_MS = 800;

/** A batch and its jobs, as it runs. */
export class BatchRun {
  readonly batchId: string;
  /** Null once it is gone. */
  readonly batch: Resource<string, BatchView | null>;
  jobs = $state.raw(ShotJobs.of([]));
  trouble = $state.raw<Trouble | null>(null);
  isRead = $state(false);
  /** Only shots with such a take; null for all. */
  standing = $state<Standing | null>(null);
  readonly shots: readonly string[] = $derived.by(() => {
    const { standing, jobs } = this;
    if (standing === null) return jobs.shots;
    return jobs.shots.filter((shot) => countedTakes(jobs.ofShot(shot)).some((job) => job.standing === standing));
  });
  #reading = 0;
  /** What changed while the jobs are read: a page may be older than it. */
  #changedMeanwhile: ((jobs: ShotJobs) => ShotJobs)[] | null = null;
  readonly #firstRead = Promise.withResolvers<undefined>();

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

  /** The shot at a place once all are known: a filter passes over every shot whose takes were not read yet. */
  async shotOnceRead(placeNow: () => number): Promise<string> {
    await this.#firstRead.promise;
    return this.shots[placeNow()] ?? '';
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
      this.jobs = this.#changedMeanwhile.reduce((known, change) => change(known), ShotJobs.of(jobs));
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
      const ours = changes.jobs.filter((job) => job.batchId === this.batchId);
      if (changes.resync) void this.read();
      this.#change((jobs) => (ours.length === 0 ? jobs : jobs.with(ours)).judged(changes.verdicts));
    });
  }

  #change(change: (jobs: ShotJobs) => ShotJobs): void {
    this.#changedMeanwhile?.push(change);
    this.jobs = change(this.jobs);
  }
}
