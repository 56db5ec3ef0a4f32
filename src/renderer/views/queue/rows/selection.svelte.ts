import type { JobView } from '../../../../contract/job.ts';

type Ids = ReadonlySet<string>;

const noIds: Ids = new Set();

const toIds = (jobs: readonly JobView[]): Ids => new Set(jobs.map(({ id }) => id));

export class Selection {
  readonly #rows: () => readonly JobView[];
  #ids = $state.raw<Ids>(noIds);
  #activeId = $state<string | null>(null);
  #anchorId: string | null = null;
  /** Where the active row was last, for when it has left the list. */
  #lastIndex = $state(0);

  /** -1 when there is none. */
  readonly activeIndex = $derived.by(() => {
    const rows = this.#rows();
    if (this.#activeId === null) return -1;
    const index = rows.findIndex((job) => job.id === this.#activeId);
    return index >= 0 ? index : Math.min(this.#lastIndex, rows.length - 1);
  });
  readonly chosen = $derived.by(() => {
    const ids = this.#ids;
    return ids.size === 0 ? [] : this.#rows().filter((job) => ids.has(job.id));
  });

  constructor(rows: () => readonly JobView[]) {
    this.#rows = rows;
  }

  get active(): JobView | undefined {
    return this.#rows()[this.activeIndex];
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  only(index: number): void {
    const job = this.#goTo(index);
    if (!job) return;
    this.#anchorId = job.id;
    this.#ids = toIds([job]);
  }

  extendTo(index: number): void {
    const rows = this.#rows();
    // Where nothing was chosen before, everything from the top.
    const anchor = Math.max(
      0,
      rows.findIndex((job) => job.id === this.#anchorId),
    );
    const job = this.#goTo(index);
    if (!job) return;
    this.#anchorId = rows[anchor]?.id ?? null;
    const end = rows.indexOf(job);
    this.#ids = toIds(rows.slice(Math.min(anchor, end), Math.max(anchor, end) + 1));
  }

  toggle(index: number): void {
    const job = this.#goTo(index);
    if (!job) return;
    this.#anchorId = job.id;
    this.#ids = toggled(this.#ids, job.id);
  }

  all(): void {
    this.#ids = toIds(this.#rows());
    if (this.#activeId === null) this.#goTo(0);
  }

  none(): void {
    this.#ids = noIds;
  }

  clear(): void {
    this.none();
    this.#activeId = null;
    this.#anchorId = null;
    this.#lastIndex = 0;
  }

  #goTo(index: number): JobView | undefined {
    const rows = this.#rows();
    const at = Math.max(0, Math.min(index, rows.length - 1));
    const job = rows[at];
    if (job) {
      this.#activeId = job.id;
      this.#lastIndex = at;
    }
    return job;
  }
}

/** With the id when it was not among them, without it when it was. */
function toggled(ids: Ids, id: string): Ids {
  return new Set(ids.has(id) ? [...ids].filter((other) => other !== id) : [...ids, id]);
}
