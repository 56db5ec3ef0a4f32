import type { EngineEvent } from '../../contract/events.ts';
import type { Engine } from '../../engine/engine.ts';

/** More than these wait for no slow listener: of each job only the last is kept then. */
const MOST_WAITING = 5000;

type RunEvent = Extract<EngineEvent, { type: 'job' | 'queue' | 'many' }>;

/** What an engine says of its jobs and its queue, in order, from now until it is no longer wanted. */
export class EventBuffer {
  readonly #unsubscribe: () => void;
  readonly #ended = new AbortController();
  #waiting: RunEvent[] = [];
  #wake: () => void = () => undefined;

  constructor(engine: Pick<Engine, 'subscribe'>, signals: readonly (AbortSignal | undefined)[]) {
    this.#unsubscribe = engine.subscribe((event) => {
      if (event.type === 'job' || event.type === 'queue' || event.type === 'many') this.#note(event);
    });
    for (const signal of signals) {
      if (signal?.aborted) this.end();
      signal?.addEventListener('abort', () => this.end(), { once: true, signal: this.#ended.signal });
    }
  }

  get hasEnded(): boolean {
    return this.#ended.signal.aborted;
  }

  take(): RunEvent[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  async untilSomething(): Promise<void> {
    while (this.#waiting.length === 0 && !this.hasEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  end(): void {
    this.#unsubscribe();
    this.#ended.abort();
    this.#wake();
  }

  #note(event: RunEvent): void {
    this.#waiting.push(event);
    if (this.#waiting.length > MOST_WAITING) this.#waiting = lastOfEach(this.#waiting);
    this.#wake();
  }
}

/** The last event of each job and of each other kind, in the order in which they came. Pure. */
function lastOfEach(events: readonly RunEvent[]): RunEvent[] {
  const last = new Map<string, RunEvent>();
  for (const event of events) {
    const key = event.type === 'job' ? event.job.id : event.type;
    last.delete(key);
    last.set(key, event);
  }
  return [...last.values()];
}
