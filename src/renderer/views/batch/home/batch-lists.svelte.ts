import type { BatchView, DraftView } from '../../../../contract/batch.ts';
import { api, troubleOf, type Trouble } from '../../../lib/client.ts';
import { changeStream } from '../../../lib/state/changes.svelte.ts';
import { discarded } from './discarding.svelte.ts';

/** How often they are read at most, however much happens, ms. */
const READ_EVERY_MS = 800;

/** The batches of a project, and the lists that were not started yet. */
export class BatchLists {
  readonly #projectId: string;
  #batches = $state.raw<readonly BatchView[] | null>(null);
  #drafts = $state.raw<readonly DraftView[]>([]);
  #trouble = $state.raw<Trouble | null>(null);
  #waiting = false;

  constructor(projectId: string) {
    this.#projectId = projectId;
  }

  /** Newest first; null until they were read. */
  get batches(): readonly BatchView[] | null {
    return this.#batches;
  }

  get drafts(): readonly DraftView[] {
    return this.#drafts.filter((draft) => !discarded.has(draft.id));
  }

  get trouble(): Trouble | null {
    return this.#trouble;
  }

  /** Keeps them up to date until the returned function is called. */
  follow(): () => void {
    void this.read();
    return changeStream.listen((changes) => {
      const isOurs =
        changes.projects.includes(this.#projectId) || changes.jobs.some((job) => job.projectId === this.#projectId);
      if (changes.resync) void this.read();
      else if (isOurs) this.#readSoon();
    });
  }

  async read(): Promise<void> {
    try {
      const [batches, drafts] = await Promise.all([
        api.batches.list({ projectId: this.#projectId }),
        api.drafts.list({ projectId: this.#projectId }),
      ]);
      this.#batches = batches.toSorted((one, other) => other.createdAt - one.createdAt);
      this.#drafts = drafts;
      this.#trouble = null;
    } catch (error) {
      this.#trouble = troubleOf(error);
    }
  }

  #readSoon(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    setTimeout(() => {
      this.#waiting = false;
      void this.read();
    }, READ_EVERY_MS);
  }
}
