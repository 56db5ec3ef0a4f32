import type { BatchView } from '../../../../contract/batch.ts';
import type { JobView } from '../../../../contract/job.ts';
import { api, troubleOf, type Trouble } from '../../../lib/client.ts';
import { changeStream } from '../../../lib/state/changes.svelte.ts';
import { ShotJobs } from './shot-jobs.ts';

/** Jobs read at once. */
const PAGE = 5000;
/** How often the batch's own line is read at most, ms. */
const READ_EVERY_MS = 800;

/** A batch under way: its jobs by shot, as they are now. */
export class BatchRun {
  readonly #projectId: string;
  readonly batchId: string;
  #batch = $state.raw<BatchView | null>(null);
  #isGone = $state(false);
  #trouble = $state.raw<Trouble | null>(null);
  #jobs = $state.raw(ShotJobs.of([]));
  #waiting = false;
  #reading = 0;

  constructor(projectId: string, batchId: string) {
    this.#projectId = projectId;
    this.batchId = batchId;
  }

  /** Null until it was read. */
  get batch(): BatchView | null {
    return this.#batch;
  }

  /** The project has no such batch. */
  get isGone(): boolean {
    return this.#isGone;
  }

  get trouble(): Trouble | null {
    return this.#trouble;
  }

  get jobs(): ShotJobs {
    return this.#jobs;
  }

  /** Keeps it up to date until the returned function is called. */
  follow(): () => void {
    void this.read();
    return changeStream.listen((changes) => {
      const ours = changes.jobs.filter((job) => job.batchId === this.batchId);
      if (changes.resync) void this.read();
      else {
        if (ours.length > 0) this.#jobs = this.#jobs.with(ours);
        if (changes.projects.includes(this.#projectId) || ours.length > 0) this.#readBatchSoon();
      }
    });
  }

  async read(): Promise<void> {
    this.#reading += 1;
    const reading = this.#reading;
    try {
      await this.#readBatch();
      const jobs: JobView[] = [];
      for (let total = Infinity; jobs.length < total;) {
        const page = await api.jobs.list({ batchId: this.batchId, start: jobs.length, count: PAGE });
        jobs.push(...page.jobs);
        total = page.jobs.length === 0 ? jobs.length : page.total;
      }
      if (reading !== this.#reading) return;
      this.#jobs = ShotJobs.of(jobs);
      this.#trouble = null;
    } catch (error) {
      this.#trouble = troubleOf(error);
    }
  }

  async #readBatch(): Promise<void> {
    const batches = await api.batches.list({ projectId: this.#projectId });
    this.#batch = batches.find(({ id }) => id === this.batchId) ?? null;
    this.#isGone = this.#batch === null;
  }

  #readBatchSoon(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    setTimeout(() => {
      this.#waiting = false;
      // A failure shows as a lost connection; the resync after it reads again.
      this.#readBatch().catch(() => undefined);
    }, READ_EVERY_MS);
  }
}
