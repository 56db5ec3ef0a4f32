import { untrack } from 'svelte';
import type { Changes } from '../../../contract/events.ts';
import type { Counts, JobView, Standing } from '../../../contract/job.ts';
import { toTrouble, type Trouble } from '../../lib/client.ts';
import { readCounts, readFirst, readJobs, type Scope } from '../../lib/state/queue.svelte.ts';
import { changeStream } from '../../lib/state/changes.svelte.ts';
import { atMostEvery } from '../../lib/throttle.ts';
import { GroupedJobs, headedRows, keepPlaces, matching, type GroupName, type JobGrouping } from './groups.ts';

const COUNT_EVERY_MS = 1000;
const READ_EVERY_MS = 2000;
/** The queue shows only the newest of the finished takes; all of them are in Review. */
const MAX_DONE = 2000;

const liveStandings: readonly Standing[] = ['unfinished', 'unknown', 'failed'];

/**
 * The jobs of the queue view, kept up to date while it is shown. Events are gathered and taken in once a frame.
 * Finished takes are read on demand.
 */
export class QueueJobs {
  #grouped = new GroupedJobs();
  lists = $state.raw(this.#grouped.lists);
  /** Of all jobs in scope, also those that are not read; null until the first answer. */
  counts = $state.raw<Counts | null>(null);
  trouble = $state.raw<Trouble | null>(null);
  isRead = $state(false);
  isDoneRead = $state(false);
  #wantsDone = false;
  #isReading = false;
  #isClosed = false;
  #frame = 0;
  /** What changed since the lists were last brought up to date, by id. */
  #pending: Record<string, JobView> = {};
  readonly #scope: Scope;

  /** Reads everything again; the rows on screen stay until then. */
  readonly read = atMostEvery(READ_EVERY_MS, () => this.#read());
  readonly #countSoon = atMostEvery(COUNT_EVERY_MS, async () => {
    // Where the connection is gone, the resync after it returns reads again.
    if (!this.#isClosed) this.counts = await readCounts(this.#scope).catch(() => this.counts);
  });

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** Reads and listens until the returned function is called. For `$effect`. */
  start(): () => void {
    const stop = changeStream.listen((changes) => this.#note(changes));
    // What is looked at must not make the effect run again.
    untrack(this.read);
    return () => {
      stop();
      this.#isClosed = true;
      cancelAnimationFrame(this.#frame);
    };
  }

  /** A job of the lists in its present state. Not reactive: read `lists` beside it. */
  get(id: string): JobView | undefined {
    return this.#grouped.get(id);
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

  async #read(): Promise<void> {
    if (this.#isClosed) return;
    this.#isReading = true;
    try {
      if (!this.isRead) await this.#readFirst();
      await this.#readAll();
      this.trouble = null;
    } catch (error) {
      this.trouble = toTrouble(error);
    }
    this.#isReading = false;
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
      this.read();
      return;
    }
    for (const job of changes.jobs) if (this.#isInScope(job)) this.#pending[job.id] = job;
    if (Object.keys(this.#pending).length > 0) this.#frame ||= requestAnimationFrame(() => this.#takePending());
    if (changes.projects.length > 0) this.#countSoon();
  }

  #takePending(): void {
    this.#frame = 0;
    this.#putIn(Object.values(this.#pending));
    // A running read keeps them: its answer may be older.
    if (!this.#isReading) this.#pending = {};
  }

  #putIn(jobs: readonly JobView[]): void {
    this.#grouped.put(jobs);
    this.lists = this.#grouped.lists;
  }

  #isInScope(job: JobView): boolean {
    const { projectId, batchId } = this.#scope;
    return (projectId ?? job.projectId) === job.projectId && (batchId ?? job.batchId) === job.batchId;
  }
}

/** A pointer that rests for so long, ms, does not count. */
const GONE_AFTER_MS = 10_000;

const toIds = (jobs: readonly JobView[]): ReadonlySet<string> => new Set(jobs.map(({ id }) => id));

interface Shown {
  readonly group: GroupName;
  readonly filter: string;
  readonly by: JobGrouping | undefined;
}

/**
 * The rows on screen, and those that are chosen. While the pointer is over them, none moves: one that leaves stays in
 * place as a ghost, and new ones go below.
 */
export class ShownRows {
  readonly #jobs: QueueJobs;
  readonly #wanted: () => Shown;
  #held = $state.raw<readonly JobView[] | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #chosenIds = $state.raw(toIds([]));
  #activeId = $state<string | null>(null);
  #anchorId: string | null = null;
  /** Where the active row was last, for when it has left the list. */
  #lastIndex = $state(0);

  readonly #headed = $derived.by(() => {
    const { group, filter, by } = this.#wanted();
    return headedRows(matching(this.#jobs.lists[group], filter), by);
  });
  readonly all = $derived.by(() => {
    const { jobs } = this.#headed;
    return this.#held === null ? jobs : keepPlaces(this.#held, jobs, (id) => this.#jobs.get(id));
  });
  /** -1 when there is none. */
  readonly activeIndex = $derived.by(() => {
    if (this.#activeId === null) return -1;
    const index = this.all.findIndex((job) => job.id === this.#activeId);
    return index >= 0 ? index : Math.min(this.#lastIndex, this.all.length - 1);
  });
  readonly chosen = $derived(this.#chosenIds.size === 0 ? [] : this.all.filter(({ id }) => this.#chosenIds.has(id)));

  constructor(jobs: QueueJobs, wanted: () => Shown) {
    this.#jobs = jobs;
    this.#wanted = wanted;
  }

  get headings() {
    return this.#headed.headings;
  }

  get active(): JobView | undefined {
    return this.all[this.activeIndex];
  }

  get isHeld(): boolean {
    return this.#held !== null;
  }

  hold(): void {
    this.#held ??= this.all;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.unfreeze(), GONE_AFTER_MS);
  }

  unfreeze(): void {
    clearTimeout(this.#timer);
    this.#held = null;
  }

  isChosen(id: string): boolean {
    return this.#chosenIds.has(id);
  }

  go(index: number, how: 'only' | 'toggle' | 'extend' = 'only'): void {
    const at = Math.max(0, Math.min(index, this.all.length - 1));
    const job = this.all[at];
    if (!job) return;
    this.#activeId = job.id;
    this.#lastIndex = at;
    if (how === 'extend') {
      // Where nothing was chosen before, everything from the top.
      const anchor = Math.max(
        0,
        this.all.findIndex(({ id }) => id === this.#anchorId),
      );
      this.#anchorId = this.all[anchor]?.id ?? null;
      this.#chosenIds = toIds(this.all.slice(Math.min(anchor, at), Math.max(anchor, at) + 1));
      return;
    }
    this.#anchorId = job.id;
    if (how === 'only') this.#chosenIds = toIds([job]);
    else this.#chosenIds = toIds(this.all.filter(({ id }) => (id === job.id) !== this.isChosen(id)));
  }

  chooseAll(): void {
    if (this.#activeId === null) this.go(0);
    this.#chosenIds = toIds(this.all);
  }

  chooseNone(): void {
    this.#chosenIds = toIds([]);
  }

  /** As it is when another group comes. */
  reset(): void {
    this.chooseNone();
    this.#activeId = null;
    this.#anchorId = null;
    this.#lastIndex = 0;
    this.unfreeze();
  }
}
