import type { Changes, EngineEvent } from '../contract/events.ts';
import type { JobView } from '../contract/job.ts';
import type { GivenVerdict } from '../contract/verdict.ts';
import type { Engine } from '../engine/engine.ts';
import { MAX_JOB_EVENTS } from '../engine/jobs/engine-events.ts';
import type { Clock } from '../engine/base/ports.ts';

/** Hears what an engine says, until it is ended or one of some signals is aborted. */
class EngineListener {
  readonly ended: AbortSignal;
  readonly #ending = new AbortController();
  #wake: () => void = () => undefined;

  constructor(
    engine: Pick<Engine, 'subscribe'>,
    signals: readonly (AbortSignal | undefined)[],
    note: (event: EngineEvent) => void,
  ) {
    this.ended = AbortSignal.any([this.#ending.signal, ...signals.filter((signal) => signal !== undefined)]);
    const unsubscribe = engine.subscribe((event) => {
      note(event);
      this.#wake();
    });
    const stop = (): void => {
      unsubscribe();
      this.#wake();
    };
    if (this.ended.aborted) stop();
    else this.ended.addEventListener('abort', stop, { once: true });
  }

  end(): void {
    this.#ending.abort();
  }

  protected async until(hasSomething: () => boolean): Promise<void> {
    while (!hasSomething() && !this.ended.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** A message is sent at most so often, ms: what happens in between is gathered. */
const SPACING_MS = 250;

/**
 * What changes, for one listener: gathered, each job once, four messages a second at most, however much happens and
 * however slowly the listener reads. The first message says `resync`, and so does one after too much has changed.
 */
export class ChangeFeed extends EngineListener implements AsyncIteratorObject<Changes, undefined, void> {
  readonly #clock: Clock;
  #gathered = { ...nothing(), resync: true };
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(engine: Pick<Engine, 'subscribe'>, clock: Clock, signals: readonly (AbortSignal | undefined)[]) {
    super(engine, signals, (event) => this.#note(event));
    this.#clock = clock;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Changes, undefined>> {
    await this.until(() => this.#hasSomething);
    await this.#untilSpaced();
    if (this.ended.aborted) return { done: true, value: undefined };
    this.#sentAt = this.#clock.now();
    return { done: false, value: this.#takeChanges() };
  }

  return(): Promise<IteratorResult<Changes, undefined>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #note(event: EngineEvent): void {
    const gathered = this.#gathered;
    switch (event.type) {
      case 'job':
        gathered.projects.add(event.job.projectId);
        gathered.jobs.set(event.job.id, event.job);
        break;
      case 'many':
        gathered.resync = true;
        break;
      case 'queue':
        gathered.queue = event.status;
        break;
      case 'verdicts':
        for (const given of event.verdicts) this.#noteVerdict(given);
        break;
      case 'project':
        gathered.projects.add(event.projectId);
        break;
      case 'batches':
        gathered.projects.add(event.projectId);
        gathered.batches.add(event.projectId);
        break;
      case 'draft':
        gathered.drafts.set(event.draftId, { projectId: event.projectId, draftId: event.draftId });
        break;
      case 'library':
      case 'settings':
        gathered[event.type] = true;
        break;
    }
    const { jobs, verdicts } = gathered;
    if (jobs.size > MAX_JOB_EVENTS || verdicts.size > MAX_JOB_EVENTS) gathered.resync = true;
    if (!gathered.resync) return;
    jobs.clear();
    verdicts.clear();
  }

  /** Of two verdicts on a take the later one counts; what changed since the last message is what either changed. */
  #noteVerdict(given: GivenVerdict): void {
    const { verdicts } = this.#gathered;
    const earlier = verdicts.get(given.takeId)?.changed ?? [];
    verdicts.set(given.takeId, { ...given, changed: [...new Set([...earlier, ...given.changed])] });
  }

  #takeChanges(): Changes {
    const { jobs, verdicts, projects, batches, drafts, ...said } = this.#gathered;
    this.#gathered = nothing();
    return {
      ...said,
      jobs: [...jobs.values()],
      verdicts: [...verdicts.values()],
      projects: [...projects],
      batches: [...batches],
      drafts: [...drafts.values()],
    };
  }

  get #hasSomething(): boolean {
    const { verdicts, projects, drafts, resync, queue, library, settings } = this.#gathered;
    return resync || queue !== null || library || settings || [verdicts, projects, drafts].some(({ size }) => size > 0);
  }

  async #untilSpaced(): Promise<void> {
    const wait = this.#sentAt + SPACING_MS - this.#clock.now();
    if (wait <= 0 || this.ended.aborted) return;
    // Rejects only when the listener has gone; then there is nobody to send to.
    await this.#clock.sleep(wait, { signal: this.ended }).catch(() => undefined);
  }
}

const nothing = () => ({
  resync: false,
  jobs: new Map<string, JobView>(),
  verdicts: new Map<string, GivenVerdict>(),
  queue: null as Changes['queue'],
  projects: new Set<string>(),
  batches: new Set<string>(),
  drafts: new Map<string, Changes['drafts'][number]>(),
  library: false,
  settings: false,
});

/** More than these wait for no slow listener: of each job only the last is kept then. */
const MAX_WAITING = 5000;

type RunEvent = Extract<EngineEvent, { type: 'job' | 'queue' | 'many' }>;

/** What an engine says of its jobs and its queue, in order, from now until it is no longer wanted. */
export class EventBuffer extends EngineListener {
  #waiting: RunEvent[] = [];

  constructor(engine: Pick<Engine, 'subscribe'>, signals: readonly (AbortSignal | undefined)[]) {
    super(engine, signals, (event) => {
      if (event.type !== 'job' && event.type !== 'queue' && event.type !== 'many') return;
      this.#waiting.push(event);
      if (this.#waiting.length > MAX_WAITING) this.#waiting = lastOfEach(this.#waiting);
    });
  }

  take(): RunEvent[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  untilSomething(): Promise<void> {
    return this.until(() => this.#waiting.length > 0);
  }
}

function lastOfEach(events: readonly RunEvent[]): RunEvent[] {
  const last = new Map<string, RunEvent>();
  for (const event of events) {
    const key = event.type === 'job' ? event.job.id : event.type;
    last.delete(key);
    last.set(key, event);
  }
  return [...last.values()];
}
