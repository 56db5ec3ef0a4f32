import type { QueueView } from '../../../contract/events.ts';
import { act } from '../act.ts';
import { api, toTrouble, type Trouble } from '../client.ts';
import { atMostEvery } from '../throttle.ts';
import { toastError } from '../toasts.ts';
import { changeStream } from './changes.svelte.ts';
import type { Counts, JobView, Standing } from '../../../contract/job.ts';
import { nextRun, sumOf, countTakes, type BatchView } from '../../../contract/batch.ts';
import { projects } from './projects.svelte.ts';
import { SvelteSet } from 'svelte/reactivity';

/** How often they are read at most, ms. */
const VIEW_EVERY_MS = 500;
const RUN_EVERY_MS = 1000;

class Queue {
  view = $state.raw<QueueView | null>(null);
  trouble = $state.raw<Trouble | null>(null);

  constructor() {
    const readSoon = atMostEvery(VIEW_EVERY_MS, () => this.read());
    changeStream.listen((changes) => {
      if (changes.resync || changes.queue !== null || changes.jobs.length > 0) readSoon();
    });
  }

  async read(): Promise<void> {
    try {
      this.view = await api.queue.view();
      this.trouble = null;
    } catch (error) {
      this.trouble = toTrouble(error);
    }
  }

  async pause(): Promise<void> {
    await act('queue.pause', {}).then(() => this.read(), toastError);
  }

  async resume(): Promise<void> {
    await act('queue.resume', {}).then(() => this.read(), toastError);
  }
}

export const queue = new Queue();

/**
 * How far the present run has got: all batches that had something unfinished since the queue was last idle. A batch
 * that ends stays in the sum until all have ended, so that the bar never runs backwards.
 */
class RunProgress {
  #batches = $state.raw<ReadonlyMap<string, Counts>>(new Map());

  #ended = $state.raw<readonly BatchView[]>([]);
  readonly #reviewed = new SvelteSet<string>();

  readonly counts = $derived(sumOf(this.#batches.values()));

  constructor() {
    // Every change of a take is one of its project too, upon which the projects are read.
    projects.onRead(atMostEvery(RUN_EVERY_MS, () => this.#read()));
  }

  get total(): number {
    return countTakes(this.counts);
  }

  /** Share of takes that are over, 0 to 1. One that needs a decision is not. */
  get share(): number {
    const { unfinished, unknown } = this.counts;
    return this.total === 0 ? 1 : (this.total - unfinished - unknown) / this.total;
  }

  get running(): boolean {
    return this.counts.unfinished > 0;
  }

  /** Batches that ended in this run with takes to look at, until a person begins to. */
  readyIn({ projectId, batchId }: Scope): readonly BatchView[] {
    return this.#ended
      .filter(({ id }) => this.#batches.has(id) && !this.#reviewed.has(id))
      .filter((batch) => (batchId ?? batch.id) === batch.id && (projectId ?? batch.projectId) === batch.projectId);
  }

  beginReview(scope: Scope): void {
    for (const { id } of this.readyIn(scope)) this.#reviewed.add(id);
  }

  async #read(): Promise<void> {
    try {
      const lists = await Promise.all(
        (projects.all ?? [])
          .filter((project) => project.counts.unfinished > 0 || this.#batches.size > 0)
          .map((project) => api.batches.list({ projectId: project.id })),
      );
      const batches = lists.flat();
      this.#batches = nextRun(this.#batches, batches);
      this.#ended = batches.filter(({ counts }) => counts.unfinished === 0 && counts.saved > 0);
      for (const { id, counts } of batches) if (counts.unfinished > 0) this.#reviewed.delete(id);
    } catch {
      // The connection is gone; the resync after it returns reads again.
    }
  }
}

export const runProgress = new RunProgress();

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
