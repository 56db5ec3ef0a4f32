import type { Changes, EngineEvent, QueueStatus } from '../contract/events.ts';
import type { JobView } from '../contract/job.ts';
import type { GivenVerdict } from '../contract/verdict.ts';
import type { Engine } from '../engine/engine.ts';
import { MAX_JOB_EVENTS } from '../engine/engine-events.ts';
import type { Clock } from '../engine/base/ports.ts';

/** A message is sent at most so often, ms: what happens in between is gathered. */
const SPACING_MS = 250;

/**
 * What changes, for one listener: gathered, each job once, four messages a second at most, however much happens and
 * however slowly the listener reads. The first message says `resync`, and so does one after too much has changed.
 */
export class ChangeFeed implements AsyncIteratorObject<Changes, undefined, void> {
  readonly #clock: Clock;
  readonly #ended = new AbortController();
  readonly #unsubscribe: () => void;
  readonly #jobs = new Map<string, JobView>();
  readonly #verdicts = new Map<string, GivenVerdict>();
  readonly #projects = new Set<string>();
  readonly #batches = new Set<string>();
  readonly #drafts = new Map<string, Changes['drafts'][number]>();
  #queue: QueueStatus | null = null;
  #resync = true;
  #library = false;
  #settings = false;
  #sentAt = Number.NEGATIVE_INFINITY;
  #wake: () => void = () => undefined;

  constructor(engine: Pick<Engine, 'subscribe'>, clock: Clock, signals: readonly (AbortSignal | undefined)[]) {
    this.#clock = clock;
    this.#unsubscribe = engine.subscribe((event) => this.#note(event));
    for (const signal of signals) {
      if (signal?.aborted) this.#end();
      signal?.addEventListener('abort', () => this.#end(), { once: true, signal: this.#ended.signal });
    }
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Aborted when the listener has gone. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  async next(): Promise<IteratorResult<Changes, undefined>> {
    await this.#untilChanged();
    await this.#untilSpaced();
    if (this.#ended.signal.aborted) return { done: true, value: undefined };
    this.#sentAt = this.#clock.now();
    return { done: false, value: this.#takeChanges() };
  }

  return(): Promise<IteratorResult<Changes, undefined>> {
    this.#end();
    return Promise.resolve({ done: true, value: undefined });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #note(event: EngineEvent): void {
    switch (event.type) {
      case 'job':
        this.#projects.add(event.job.projectId);
        if (!this.#resync) this.#jobs.set(event.job.id, event.job);
        break;
      case 'many':
        this.#resync = true;
        break;
      case 'queue':
        this.#queue = event.status;
        break;
      case 'verdicts':
        if (!this.#resync) for (const given of event.verdicts) this.#noteVerdict(given);
        break;
      case 'project':
        this.#projects.add(event.projectId);
        break;
      case 'batches':
        this.#projects.add(event.projectId);
        this.#batches.add(event.projectId);
        break;
      case 'draft':
        this.#drafts.set(event.draftId, { projectId: event.projectId, draftId: event.draftId });
        break;
      case 'library':
        this.#library = true;
        break;
      case 'settings':
        this.#settings = true;
        break;
    }
    if (this.#jobs.size > MAX_JOB_EVENTS || this.#verdicts.size > MAX_JOB_EVENTS) this.#resync = true;
    if (this.#resync) {
      this.#jobs.clear();
      this.#verdicts.clear();
    }
    this.#wake();
  }

  /** Of two verdicts on a take the later one counts; what changed since the last message is what either changed. */
  #noteVerdict(given: GivenVerdict): void {
    const earlier = this.#verdicts.get(given.takeId)?.changed ?? [];
    this.#verdicts.set(given.takeId, { ...given, changed: [...new Set([...earlier, ...given.changed])] });
  }

  #takeChanges(): Changes {
    const changes: Changes = {
      resync: this.#resync,
      jobs: [...this.#jobs.values()],
      verdicts: [...this.#verdicts.values()],
      queue: this.#queue,
      projects: [...this.#projects],
      batches: [...this.#batches],
      drafts: [...this.#drafts.values()],
      library: this.#library,
      settings: this.#settings,
    };
    this.#resync = false;
    this.#jobs.clear();
    this.#verdicts.clear();
    this.#queue = null;
    this.#projects.clear();
    this.#batches.clear();
    this.#drafts.clear();
    this.#library = false;
    this.#settings = false;
    return changes;
  }

  get #hasSomething(): boolean {
    const gathered = [this.#verdicts, this.#projects, this.#drafts];
    const said = this.#resync || this.#queue !== null || this.#library || this.#settings;
    return said || gathered.some(({ size }) => size > 0);
  }

  async #untilChanged(): Promise<void> {
    while (!this.#hasSomething && !this.#ended.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async #untilSpaced(): Promise<void> {
    const wait = this.#sentAt + SPACING_MS - this.#clock.now();
    if (wait <= 0 || this.#ended.signal.aborted) return;
    // Rejects only when the listener has gone; then there is nobody to send to.
    await this.#clock.sleep(wait, { signal: this.#ended.signal }).catch(() => undefined);
  }

  #end(): void {
    this.#unsubscribe();
    this.#ended.abort();
    this.#wake();
  }
}
