import { api } from '../client.ts';
import { atMostEvery } from '../pace.ts';
import { nextRun, countsOfRun, countTakes, type Run } from '../../../contract/batch.ts';
import { projects } from './projects.svelte.ts';
import { SvelteSet } from 'svelte/reactivity';

const READ_EVERY_MS = 1000;

/**
 * How far the present run has got: all batches that had something unfinished since the queue was last idle. A batch
 * that ends stays in the sum until all have ended, so that the bar never runs backwards.
 */
class RunProgress {
  #batches = $state.raw<Run>(new Map());

  readonly counts = $derived(countsOfRun(this.#batches));
  /** Batches that ended in this run with takes to look at, newest first, until a person begins to. */
  readonly ready = $derived(
    [...this.#batches.values()]
      .filter(({ id, counts }) => counts.unfinished === 0 && counts.saved > 0 && !this.#reviewed.has(id))
      .toSorted((a, b) => b.createdAt - a.createdAt),
  );
  readonly #reviewed = new SvelteSet<string>();

  constructor() {
    // Every change of a take is one of its project too, upon which the projects are read.
    projects.onRead(atMostEvery(READ_EVERY_MS, () => this.#read()));
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

  review(batchId: string): void {
    this.#reviewed.add(batchId);
  }

  async #read(): Promise<void> {
    try {
      const lists = await Promise.all(
        (projects.all ?? [])
          .filter((project) => project.counts.unfinished > 0 || this.#batches.size > 0)
          .map((project) => api.batches.list({ projectId: project.id })),
      );
      this.#batches = nextRun(this.#batches, lists.flat());
      for (const { id, counts } of this.#batches.values()) if (counts.unfinished > 0) this.#reviewed.delete(id);
    } catch {
      // The connection is gone; the resync after it returns reads again.
    }
  }
}

export const runProgress = new RunProgress();
