import { untrack } from 'svelte';
import type { Changes } from '../../../../contract/events.ts';
import type { Counts, JobView, Standing } from '../../../../contract/job.ts';
import { toTrouble, type Trouble } from '../../../lib/client.ts';
import { changeStream } from '../../../lib/state/changes.svelte.ts';
import { GroupedJobs, noJobs, type Grouped } from './grouped-jobs.ts';
import { readCounts, readFirst, readJobs, type Scope } from '../../../lib/jobs/read-jobs.ts';

/** Counts are compared at most so often, ms; and a whole reading is repeated no sooner. */
const COUNT_EVERY_MS = 1000;
const READ_EVERY_MS = 2000;
/** The queue shows only the newest of the finished takes; all of them are in Review. */
const MAX_DONE = 2000;

const liveStandings: readonly Standing[] = ['unfinished', 'unknown', 'failed'];

/**
 * The jobs of the queue view, kept up to date while it is shown. Events are gathered and taken in once a frame.
 * Finished takes are read on demand.
 */
export class QueueRows {
  #grouped = new GroupedJobs();
  lists = $state.raw<Grouped>(noJobs);
  /** Of all jobs in scope, also those that are not read; null until the first answer. */
  counts = $state.raw<Counts | null>(null);
  trouble = $state.raw<Trouble | null>(null);
  isRead = $state(false);
  isDoneRead = $state(false);
  #wantsDone = false;
  #reading = false;
  #readAgain = false;
  #frame: number | null = null;
  #countTimer: ReturnType<typeof setTimeout> | null = null;
  #closed = false;
  /** What changed since the lists were last brought up to date, by id. */
  #pending: Record<string, JobView> = {};
  readonly #scope: Scope;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** Reads and listens until the returned function is called. For `$effect`. */
  start(): () => void {
    this.#closed = false;
    const stop = changeStream.listen((changes) => this.#note(changes));
    // What `read` looks at must not make the effect run again.
    untrack(() => void this.read());
    return () => {
      stop();
      this.#closed = true;
      if (this.#frame !== null) cancelAnimationFrame(this.#frame);
      if (this.#countTimer !== null) clearTimeout(this.#countTimer);
      this.#frame = null;
      this.#countTimer = null;
    };
  }

  /** A job of the lists in its present state. Not reactive: read `lists` beside it. */
  get(id: string): JobView | undefined {
    return this.#grouped.get(id);
  }

  /** Reads everything again; the rows on screen stay until then. */
  async read(): Promise<void> {
    if (this.#reading) {
      this.#readAgain = true;
      return;
    }
    this.#reading = true;
    try {
      if (!this.isRead) await this.#readFirst();
      await this.#readAll();
      this.trouble = null;
    } catch (error) {
      this.trouble = toTrouble(error);
    }
    await new Promise((resolve) => setTimeout(resolve, this.#readAgain ? READ_EVERY_MS : 0));
    this.#reading = false;
    if (this.#readAgain && !this.#closed) {
      this.#readAgain = false;
      await this.read();
    }
  }

  /** Shows finished takes too, from now on. */
  async wantDone(): Promise<void> {
    if (this.#wantsDone) return;
    this.#wantsDone = true;
    try {
      this.#putIn(await this.#readDone());
      this.isDoneRead = true;
    } catch (error) {
      this.#wantsDone = false;
      this.trouble = toTrouble(error);
    }
  }

  async #readFirst(): Promise<void> {
    for (const standing of liveStandings) {
      const { jobs, counts } = await readFirst(this.#scope, standing);
      this.#putIn(jobs);
      this.counts = counts;
    }
  }

  async #readAll(): Promise<void> {
    const next = new GroupedJobs();
    for (const standing of liveStandings) next.put(await readJobs(this.#scope, standing));
    if (this.#wantsDone) next.put(await this.#readDone());
    // What changed while it was read is newer than the reading, and newer than this window's old lists.
    next.put(Object.values(this.#pending));
    this.#pending = {};
    this.#grouped = next;
    this.lists = next.lists;
    this.counts = await readCounts(this.#scope);
    this.isRead = true;
  }

  async #readDone(): Promise<JobView[]> {
    const saved = await readJobs(this.#scope, 'saved', MAX_DONE);
    const cancelled = await readJobs(this.#scope, 'cancelled', MAX_DONE);
    return [...saved, ...cancelled].sort((a, b) => a.updatedAt - b.updatedAt);
  }

  #note(changes: Changes): void {
    if (changes.resync) {
      void this.read();
      return;
    }
    for (const job of changes.jobs) if (this.#isInScope(job)) this.#pending[job.id] = job;
    if (Object.keys(this.#pending).length > 0) this.#frame ??= requestAnimationFrame(() => this.#takePending());
    if (changes.projects.length > 0) this.#countSoon();
  }

  #takePending(): void {
    this.#frame = null;
    this.#putIn(Object.values(this.#pending));
    // A running read keeps them: its answer may be older.
    if (!this.#reading) this.#pending = {};
  }

  #putIn(jobs: readonly JobView[]): void {
    this.#grouped.put(jobs);
    this.lists = this.#grouped.lists;
  }

  #isInScope(job: JobView): boolean {
    const { projectId, batchId } = this.#scope;
    return (projectId ?? job.projectId) === job.projectId && (batchId ?? job.batchId) === job.batchId;
  }

  #countSoon(): void {
    this.#countTimer ??= setTimeout(() => {
      this.#countTimer = null;
      void this.#count();
    }, COUNT_EVERY_MS);
  }

  async #count(): Promise<void> {
    try {
      this.counts = await readCounts(this.#scope);
    } catch {
      // The connection is gone; the resync after it returns reads again.
    }
  }
}
