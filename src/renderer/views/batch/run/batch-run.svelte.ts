import type { BatchView } from '../../../../contract/batch.ts';
import type { JobView } from '../../../../contract/job.ts';
import { api, troubleOf, type Trouble } from '../../../lib/client.ts';
import { changeStream } from '../../../lib/state/changes.svelte.ts';
import { resource, type Resource } from '../../../lib/state/resource.svelte.ts';
import { ShotJobs } from './shot-jobs.ts';

const PAGE = 5000;
/** How often the batch's own line is read at most, ms. */
const READ_EVERY_MS = 800;

/** A running batch: its jobs by shot, kept up to date. */
export class BatchRun {
  readonly batchId: string;
  readonly #batch: Resource<string, BatchView | null>;
  jobs = $state.raw(ShotJobs.of([]));
  trouble = $state.raw<Trouble | null>(null);
  /** The first answer is here: before it, a missing job means nothing. */
  isRead = $state(false);
  #reading = 0;
  readonly #wasRead = Promise.withResolvers<undefined>();

  /** For the time that the component lives which makes it. */
  constructor(projectId: string, batchId: string) {
    this.batchId = batchId;
    this.#batch = resource({
      of: () => batchId,
      read: async () => (await api.batches.list({ projectId })).find(({ id }) => id === batchId) ?? null,
      changedBy: ({ projects, jobs }) => projects.includes(projectId) || jobs.some((job) => job.batchId === batchId),
      everyMs: READ_EVERY_MS,
    });
    $effect(() => this.#follow());
  }

  /** Null until it was read. */
  get batch(): BatchView | null {
    return this.#batch.current ?? null;
  }

  get isGone(): boolean {
    return this.#batch.current === null;
  }

  /** Resolves once the jobs were read, or could not be. */
  get wasRead(): Promise<undefined> {
    return this.#wasRead.promise;
  }

  async read(): Promise<void> {
    this.#reading += 1;
    const reading = this.#reading;
    try {
      const jobs: JobView[] = [];
      for (let total = Infinity; jobs.length < total;) {
        const page = await api.jobs.list({ batchId: this.batchId, start: jobs.length, count: PAGE });
        jobs.push(...page.jobs);
        total = page.jobs.length === 0 ? jobs.length : page.total;
      }
      if (reading !== this.#reading) return;
      this.jobs = ShotJobs.of(jobs);
      this.trouble = null;
      this.isRead = true;
    } catch (error) {
      this.trouble = troubleOf(error);
    }
    this.#wasRead.resolve(undefined);
  }

  #follow(): () => void {
    void this.read();
    return changeStream.listen((changes) => {
      const ours = changes.jobs.filter((job) => job.batchId === this.batchId);
      if (changes.resync) void this.read();
      else if (ours.length > 0) this.jobs = this.jobs.with(ours);
      this.jobs = this.jobs.judged(changes.verdicts);
    });
  }
}
